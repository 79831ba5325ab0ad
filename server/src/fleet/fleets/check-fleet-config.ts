import type { FleetConfigFinding } from '@muster/contract';
import { describePrincipal, type Principal, projectOf } from '../../foundation/credentials/principal.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { FairSlots } from '../../foundation/scheduling/fair-slots.ts';
import { PacedTurns } from '../../foundation/scheduling/paced-turns.ts';
import { type CheckedConfig, findingsOf } from './config-findings.ts';
import { ConfigThread, maxInlineBytes } from './config-thread.ts';

const slots = { count: 1, maxWaiting: 50, maxWaitingPerCaller: 10, maxWaitMilliseconds: 60_000 } as const;

/** Checks configurations: small ones one after the other, and large ones on a thread. */
export class FleetConfigChecker {
  readonly #turns = new PacedTurns();
  readonly #thread = new ConfigThread();
  readonly #small = new ValidationTurns();
  readonly #large = new ValidationTurns();

  /** @throws Refusal overloaded, invalid_fleet_config */
  check(config: CheckedConfig): Promise<FleetConfigFinding[]> {
    const bytes = config.files.reduce((sum, file) => sum + file.bytes.length, config.rawConfig.length);
    if (bytes <= maxInlineBytes) return this.#turns.run(() => findingsOf(config));
    return this.#thread.run({ kind: 'check', config }, bytes);
  }

  /**
   * Does a validation, which checks so many bytes, when its turn has come. Checks of changes take none: the token of an agent may validate, and would
   * keep operators from changing fleets.
   *
   * @throws Refusal overloaded
   */
  validate<Result>(by: Principal, bytes: number, work: () => Promise<Result>): Promise<Result> {
    return (bytes <= maxInlineBytes ? this.#small : this.#large).run(by, work);
  }
}

/** Validations one after the other, by turns of people, and of the tokens of each project. All of these tokens together have the turns of one person. */
class ValidationTurns {
  readonly #all = new FairSlots(slots);
  readonly #ofTokens = new FairSlots(slots);

  run<Result>(by: Principal, work: () => Promise<Result>): Promise<Result> {
    if (by.kind === 'access') return inTurn(this.#all, describePrincipal(by), work);
    return inTurn(this.#ofTokens, projectOf(by) ?? describePrincipal(by), () =>
      inTurn(this.#all, 'tokens', work),
    );
  }
}

async function inTurn<Result>(
  turns: FairSlots,
  caller: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const giveBack = await turns.take(caller);
  if (giveBack === 'none') {
    throw new Refusal('overloaded', {
      detail: 'Too many configurations wait to be validated. Validate one after the other.',
      retryAfterSeconds: 5,
    });
  }
  try {
    return await work();
  } finally {
    giveBack();
  }
}
