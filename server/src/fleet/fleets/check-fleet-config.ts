import type { FleetConfigFinding } from '@muster/contract';
import { PacedTurns } from '../../foundation/scheduling/paced-turns.ts';
import { type CheckedConfig, findingsOf } from './config-findings.ts';
import { ConfigThread, maxInlineBytes } from './config-thread.ts';

/** Checks configurations: small ones one after the other, and large ones on a thread. */
export class FleetConfigChecker {
  readonly #turns = new PacedTurns();
  readonly #thread = new ConfigThread();

  /** @throws Refusal overloaded, invalid_fleet_config */
  check(config: CheckedConfig): Promise<FleetConfigFinding[]> {
    const bytes = config.files.reduce((sum, file) => sum + file.bytes.length, config.rawConfig.length);
    if (bytes <= maxInlineBytes) return this.#turns.run(() => findingsOf(config));
    return this.#thread.run({ kind: 'check', config }, bytes);
  }
}
