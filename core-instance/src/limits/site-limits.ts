import type { SiteCredentials } from '@muster/contract';
import { countedAddress } from '@muster/http/limits/counted-address';
import { InvalidAttempts } from '@muster/http/limits/invalid-attempts';
import { createLimitRefusals, type LimitRefusals } from '@muster/http/limits/limit-refusals';
import type { UntoldRefusal } from '@muster/http/refusal';
import type { SiteLog } from '../site-log.ts';
import { NewErrors } from './new-errors.ts';

type Given = SiteCredentials['limits'];

interface SiteLimitsOptions {
  /** As the centre gave them last. Undefined: it gave none yet. */
  readonly read: () => Given | undefined;
  /** Never steps back. */
  readonly monotonic: () => number;
  readonly log: SiteLog;
}

interface Applied {
  readonly given: Given | undefined;
  readonly limits: { readonly newPerAgentPerMinute: number; readonly newPerProjectPerSecond: number };
  readonly refusals: LimitRefusals;
  readonly attempts: InvalidAttempts;
}

/**
 * The limits of the centre, as far as they are about what arrives within a second or a minute: the site applies them to agents, because the centre takes
 * what has waited at the site at any pace.
 */
export class SiteLimits {
  readonly #options: SiteLimitsOptions;
  readonly #newErrors = new NewErrors();
  #applied: Applied | undefined;

  constructor(options: SiteLimitsOptions) {
    this.#options = options;
  }

  /** True if whoever registers a known machine again has to prove to be its agent. */
  get isRegisteredOnce(): boolean {
    return this.#options.read()?.registration === 'once';
  }

  /** Counts a new error of an agent. Returns the refusal if a limit is reached. */
  takeNewError(agent: string, text: string): UntoldRefusal | undefined {
    const { limits, refusals } = this.#current();
    const limit = this.#newErrors.take(agent, text, limits, Math.floor(this.#options.monotonic()));
    return limit === undefined ? undefined : refusals[limit];
  }

  /** Counts a credential that was refused, and returns the refusal to send. Any other failure is returned unchanged. */
  judgeAttempt(failure: unknown, address: string | undefined): unknown {
    return this.#current().attempts.judge(failure, countedAddress(address ?? '') ?? 'unknown');
  }

  #current(): Applied {
    const given = this.#options.read();
    if (this.#applied?.given !== given || this.#applied === undefined) this.#applied = this.#apply(given);
    return this.#applied;
  }

  #apply(given: Given | undefined): Applied {
    const { monotonic, log } = this.#options;
    const limits = {
      newPerAgentPerMinute: given?.newErrorsPerAgentPerMinute ?? 0,
      newPerProjectPerSecond: given?.newErrorsPerProjectPerSecond ?? 0,
    };
    return {
      given,
      limits,
      // The other limits are about what is stored, which the centre alone knows.
      refusals: createLimitRefusals({ ...limits, openPerAgent: 0, storedBytesPerProject: 0 }),
      attempts: new InvalidAttempts({
        perMinute: given?.invalidCredentialsPerAddressPerMinute ?? 0,
        clock: monotonic,
        onAttempt: () => undefined,
        onLimited: ({ address, attempts }) =>
          log.warn('Too many invalid credentials from one address: they are refused with 429.', {
            address: address ?? 'many',
            attempts,
          }),
      }),
    };
  }
}
