import { hash } from 'node:crypto';
import type { UpdateAgent } from '@muster/contract';
import { redactValues } from '@muster/redaction';
import type { NewID } from '../../foundation/clock.ts';
import type { SecretRemover } from '../secret-remover.ts';
import type { UsageService } from '../usage/usage-service.ts';
import { isGiven } from './agent-description.ts';
import type { AgentAfterChange, SentConfig } from './agent-store.ts';
import { ConfigRedactor } from './config-redactor.ts';
import { fitMetadata } from './fit-metadata.ts';

/** Data of an agent that was not stored because a limit is reached. */
export type LeftOut = 'metadata' | 'rawConfig';

interface DescriptionLimitsOptions {
  readonly newID: NewID;
  readonly usage: Pick<UsageService, 'isNearlyFull' | 'addConfig'>;
  readonly maxMetadataBytes: number;
  /** What agents were served as secrets. */
  readonly secrets: { find(projectID: string): Promise<SecretRemover> };
  /** Called when some data of an agent was not stored. */
  readonly onLeftOut: (what: LeftOut, projectID: string) => void;
}

/** The part of an agent's description that is stored. */
interface TakenDescription<Input> {
  readonly input: Input;
  readonly config: ReadConfig | undefined;
  /** Without the configuration, for which it is decided only when it turns out to be a new one. */
  readonly leftOut: readonly LeftOut[];
}

export interface ReadConfig extends SentConfig {
  /** The redacted configuration, or a note in its place. */
  readonly stored: string;
  readonly isLeftOut: boolean;
}

const leftOutConfig =
  '# Not stored: this project has nearly as many bytes as MUSTER_MAX_STORED_BYTES_PER_PROJECT allows.\n';
/** Enough to show where an agent runs. */
const metadataBytesWhenNearlyFull = 1_024;

/** Limits what is stored of an agent's description, from a registration or an update. */
export class DescriptionLimits {
  readonly #options: DescriptionLimitsOptions;
  readonly #configRedactor = new ConfigRedactor();

  constructor(options: DescriptionLimitsOptions) {
    this.#options = options;
  }

  /** Refuses nothing, because a refused agent may stay silent until it is restarted. */
  async take<Input extends UpdateAgent>(projectID: string, given: Input): Promise<TakenDescription<Input>> {
    const { usage, maxMetadataBytes, secrets } = this.#options;
    const isNearlyFull = usage.isNearlyFull(projectID);
    const remover = await secrets.find(projectID);
    const config = await this.#readConfig(given.rawConfig, isNearlyFull, remover);
    if (!isGiven(given.metadata)) return { input: given, config, leftOut: [] };
    const maxBytes = isNearlyFull ? metadataBytesWhenNearlyFull : maxMetadataBytes;
    const { metadata, isCut } = fitMetadata(redactValues(remover.removeFrom(given.metadata)), maxBytes);
    return { input: { ...given, metadata }, config, leftOut: isCut ? ['metadata'] : [] };
  }

  /** Call it when the change was committed. Returns what was left out. */
  noteStored(
    projectID: string,
    agent: AgentAfterChange,
    { config, leftOut }: TakenDescription<unknown>,
  ): readonly LeftOut[] {
    const { usage, onLeftOut } = this.#options;
    const isNewConfig = config !== undefined && agent.config_id === config.id;
    if (isNewConfig && !config.isLeftOut) usage.addConfig(projectID, config.stored);
    const all: readonly LeftOut[] = isNewConfig && config.isLeftOut ? [...leftOut, 'rawConfig'] : leftOut;
    for (const what of all) onLeftOut(what, projectID);
    return all;
  }

  async #readConfig(
    rawConfig: string | null | undefined,
    isLeftOut: boolean,
    remover: SecretRemover,
  ): Promise<ReadConfig | undefined> {
    if (rawConfig === undefined || rawConfig === null) return undefined;
    const stored = isLeftOut ? leftOutConfig : await this.#configRedactor.redact(remover.remove(rawConfig));
    // Compared as sent, so that a changed password is a new configuration; stored without secrets.
    return { id: this.#options.newID(), digest: hash('sha256', rawConfig), stored, isLeftOut };
  }
}
