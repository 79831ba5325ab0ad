import type { RegisterAgent } from '@muster/client';
import type { AgentRecord, AgentRecordFile } from '../state/agent-record.ts';
import { type Registration, type ReportService, ServiceFailure } from './report-service.ts';

/** What is registered of an agent. */
export interface AgentDescription {
  readonly body: RegisterAgent;
  /** Digest of the body. */
  readonly digest: string;
  /** Digest of the configuration alone. */
  readonly configDigest: string;
}

export interface RegistrarOptions {
  readonly service: ReportService;
  /** The agent as it is now: its configuration may change while it runs. */
  readonly agent: () => AgentDescription;
  /** The version that the agent has printed, if it has. */
  readonly version: () => string | undefined;
  readonly records: AgentRecordFile;
  readonly onRecordLost: (error: unknown) => void;
  /** Called when the agent got another name than it had in the service before. */
  readonly onRenamed: (from: string, to: string) => void;
}

/**
 * Registers the agent when it is new, and updates it when it has another configuration or version than the service
 * knows; otherwise it does nothing.
 */
export class Registrar {
  readonly #options: RegistrarOptions;
  #record: AgentRecord | undefined;
  #isRead = false;
  /** The service has taken a registration or an update in this run. */
  #isUsed = false;
  #written: Promise<void> = Promise.resolve();

  constructor(options: RegistrarOptions) {
    this.#options = options;
  }

  /** @throws ServiceFailure */
  async registerCurrent(signal: AbortSignal): Promise<Registration> {
    const agent = this.#options.agent();
    const version = this.#options.version();
    const known = await this.known();
    if (known === undefined) return this.#register(agent.body, agent.digest, signal);
    const isCurrent = known.digest === agent.digest && (version === undefined || version === known.version);
    return isCurrent ? known : this.#update(known, agent, signal);
  }

  /** For errors of an earlier configuration: the agent as it is registered, else the agent without a configuration. */
  async registerAny(signal: AbortSignal): Promise<Registration> {
    const known = await this.known();
    if (known !== undefined) return known;
    const { rawConfig: _, ...body } = this.#options.agent().body;
    return this.#register(body, '', signal);
  }

  /** The service no longer knows the agent. */
  async forget(): Promise<void> {
    this.#record = undefined;
    await this.#written;
    await this.#options.records.remove();
  }

  /** Resolves when the last registration has been stored, or could not be stored. */
  settle(): Promise<void> {
    return this.#written;
  }

  /** The registration of this run or of an earlier one, without asking the service. */
  async known(): Promise<AgentRecord | undefined> {
    if (!this.#isRead) this.#record = await this.#options.records.read();
    this.#isRead = true;
    return this.#record;
  }

  /** Registers the agent again when the service no longer knows it. */
  async #update(known: AgentRecord, agent: AgentDescription, signal: AbortSignal): Promise<AgentRecord> {
    const body = this.#withVersion(agent.body);
    try {
      await this.#options.service.update(known, body, signal);
    } catch (error) {
      const status = error instanceof ServiceFailure ? error.status : 0;
      // An agent that was deleted while it runs stays deleted until its next start.
      if (status === 410 && this.#isUsed) await this.forget();
      if (status !== 401 && status !== 404 && (status !== 410 || this.#isUsed)) throw error;
      await this.forget();
      return this.#register(agent.body, agent.digest, signal);
    }
    if (known.name !== undefined && known.name !== body.name) this.#options.onRenamed(known.name, body.name);
    return this.#keep({
      ...known,
      digest: agent.digest,
      version: body.version ?? known.version,
      name: body.name,
    });
  }

  async #register(body: RegisterAgent, digest: string, signal: AbortSignal): Promise<AgentRecord> {
    const { service } = this.#options;
    const registered = this.#withVersion(body);
    const { agentID, agentToken } = await service.register(registered, signal, this.#record?.agentToken);
    const version = registered.version ?? this.#record?.version;
    return this.#keep({ agentID, agentToken, digest, version, name: registered.name });
  }

  #withVersion(body: RegisterAgent): RegisterAgent {
    const version = this.#options.version();
    return version === undefined ? body : { ...body, version };
  }

  #keep(record: AgentRecord): AgentRecord {
    const { records, onRecordLost } = this.#options;
    this.#record = record;
    this.#isUsed = true;
    // Reports do not wait for a slow disk.
    this.#written = records.write(record).catch(onRecordLost);
    return record;
  }
}
