import { hash } from 'node:crypto';
import type { UpdateAgent } from '@muster/contract';
import { redactValues } from '@muster/redaction';
import type { NewID } from '../clock.ts';
import type { UsageService } from '../usage/usage-service.ts';
import { isGiven } from './agent-description.ts';
import type { AgentAfterChange, SentConfig } from './agent-store.ts';
import { ConfigRedactor } from './config-redactor.ts';
import { fitMetadata } from './fit-metadata.ts';

/** What an agent has sent and the service has not stored, since a limit is reached. */
export type LeftOut = 'metadata' | 'rawConfig';

interface DescriptionLimitsOptions {
  readonly newID: NewID;
  readonly usage: Pick<UsageService, 'isNearlyFull' | 'addConfig'>;
  readonly maxMetadataBytes: number;
  /** Called when something that an agent has sent was left out. */
  readonly onLeftOut: (what: LeftOut, projectID: string) => void;
}

/** What an agent says of itself, as far as it is stored. */
interface TakenDescription<Input> {
  readonly input: Input;
  readonly config: ReadConfig | undefined;
  /** Beside the configuration, of which that is known when it turns out to be another one. */
  readonly leftOut: readonly LeftOut[];
}

export interface ReadConfig extends SentConfig {
  /** Without its secrets, or what stands for it. */
  readonly stored: string;
  readonly isLeftOut: boolean;
}

const leftOutConfig =
  '# Not stored: this project has nearly as many bytes as MUSTER_MAX_STORED_BYTES_PER_PROJECT allows.\n';
/** Enough to tell where an agent runs. */
const metadataBytesWhenNearlyFull = 1_024;

/** Takes what agents say of themselves, with a registration or an update, as far as the limits allow. */
export class DescriptionLimits {
  readonly #options: DescriptionLimitsOptions;
  readonly #configRedactor = new ConfigRedactor();

  constructor(options: DescriptionLimitsOptions) {
    this.#options = options;
  }

  /** Nothing is refused: that could mute an agent for good. */
  async take<Input extends UpdateAgent>(projectID: string, given: Input): Promise<TakenDescription<Input>> {
    const { usage, maxMetadataBytes } = this.#options;
    const isNearlyFull = usage.isNearlyFull(projectID);
    const config = await this.#readConfig(given.rawConfig, isNearlyFull);
    if (!isGiven(given.metadata)) return { input: given, config, leftOut: [] };
    const maxBytes = isNearlyFull ? metadataBytesWhenNearlyFull : maxMetadataBytes;
    const { metadata, isCut } = fitMetadata(redactValues(given.metadata), maxBytes);
    return { input: { ...given, metadata }, config, leftOut: isCut ? ['metadata'] : [] };
  }

  /** Called when the change was committed; answers what of it was left out. */
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
  ): Promise<ReadConfig | undefined> {
    if (rawConfig === undefined || rawConfig === null) return undefined;
    const stored = isLeftOut ? leftOutConfig : await this.#configRedactor.redact(rawConfig);
    // Compared as sent, so that a rotated password is a change; stored without it.
    return { id: this.#options.newID(), digest: hash('sha256', rawConfig), stored, isLeftOut };
  }
}
