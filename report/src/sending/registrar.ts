import type { RegisterAgent } from '@muster/client';
import type { AgentRecord, AgentRecordFile } from '../state/agent-record.ts';
import type { Registration, ReportService } from './report-service.ts';

/** What is registered. */
export interface AgentDescription {
  readonly body: RegisterAgent;
  /** Of the body. */
  readonly digest: string;
  /** Of its configuration alone. */
  readonly configDigest: string;
}

export interface RegistrarOptions {
  readonly service: ReportService;
  readonly agent: AgentDescription;
  /** What the agent has said of its version so far. */
  readonly version: () => string | undefined;
  readonly records: AgentRecordFile;
  readonly onRecordLost: (error: unknown) => void;
}

/** Registers the agent when it is new, has another configuration or another version, and else not at all. */
export class Registrar {
  readonly #options: RegistrarOptions;
  #record: AgentRecord | undefined;
  #isRead = false;
  #written: Promise<void> = Promise.resolve();

  constructor(options: RegistrarOptions) {
    this.#options = options;
  }

  /** @throws ServiceFailure */
  async registerCurrent(signal: AbortSignal): Promise<Registration> {
    const { agent, version } = this.#options;
    const known = await this.#known();
    const isCurrent =
      known?.digest === agent.digest && (version() === undefined || version() === known.version);
    return known !== undefined && isCurrent ? known : this.#register(agent.body, agent.digest, signal);
  }

  /** For errors of an earlier configuration: whatever is registered, else the agent without a configuration. */
  async registerAny(signal: AbortSignal): Promise<Registration> {
    const known = await this.#known();
    if (known !== undefined) return known;
    const { rawConfig: _, ...body } = this.#options.agent.body;
    return this.#register(body, '', signal);
  }

  /** What was registered is not known to the service any more. */
  async forget(): Promise<void> {
    this.#record = undefined;
    await this.#written;
    await this.#options.records.remove();
  }

  /** Resolves when the last registration is kept, or cannot be. */
  settle(): Promise<void> {
    return this.#written;
  }

  async #known(): Promise<AgentRecord | undefined> {
    if (!this.#isRead) this.#record = await this.#options.records.read();
    this.#isRead = true;
    return this.#record;
  }

  async #register(body: RegisterAgent, digest: string, signal: AbortSignal): Promise<AgentRecord> {
    const { service, records, onRecordLost } = this.#options;
    const version = this.#options.version();
    const { agentID, agentToken } = await service.register(
      version === undefined ? body : { ...body, version },
      signal,
    );
    const record: AgentRecord = { agentID, agentToken, digest, version: version ?? this.#record?.version };
    this.#record = record;
    // Not waited for: a slow disk holds up no report.
    this.#written = records.write(record).catch(onRecordLost);
    return record;
  }
}
