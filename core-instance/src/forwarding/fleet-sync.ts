import type { SiteFleetContent, SiteFleets } from '@muster/contract';
import { contentsOf, type FleetCache } from '../fleets/fleet-cache.ts';
import type { SiteLog } from '../site-log.ts';
import { CentreFailure } from './centre-failure.ts';
import { SpacedRefresh } from './spaced-refresh.ts';

interface FleetSyncOptions {
  readonly cache: FleetCache;
  /** @throws CentreFailure (as a rejection) */
  readonly ask: (cursor: string | undefined) => Promise<SiteFleets>;
  /** @throws CentreFailure (as a rejection) */
  readonly askContent: (key: string) => Promise<SiteFleetContent>;
  readonly log: SiteLog;
  /** True when calls are broken off, because the core instance ends. */
  readonly isEnding: () => boolean;
  /** Never steps back. */
  readonly monotonic: () => number;
  /** Resolves after some milliseconds, or when all is over. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Contents. Each may take half a minute. */
const maxUnreachableInARow = 3;

/** Keeps what fleets serve as the centre has it. */
export class FleetSync {
  readonly #options: FleetSyncOptions;
  readonly #refresh: SpacedRefresh;
  /** Keys of contents that could not be had. */
  #failed = new Set<string>();
  /** Why the list cannot be had. */
  #told: string | undefined;

  constructor(options: FleetSyncOptions) {
    this.#options = options;
    this.#refresh = new SpacedRefresh({ ...options, refresh: () => this.#sync() });
  }

  /** Asks for what has changed, at most once a second. False if the centre cannot be reached. */
  refresh(): Promise<boolean> {
    return this.#refresh.run();
  }

  async #sync(): Promise<boolean> {
    const { cache, ask, log } = this.#options;
    try {
      // Also after a content was lost.
      const isWhole = cache.fleets.flatMap(contentsOf).every((key) => cache.has(key));
      const { cursor, changed } = await ask(isWhole ? cache.cursor || undefined : undefined);
      this.#told = undefined;
      if (changed === null) return true;
      // Before they are served, so that a line that is cut now leaves nothing without its content.
      const missing = await this.#fetch(changed.fleets.flatMap(contentsOf));
      const before = new Map(cache.fleets.map((fleet) => [fleet.id, fleet]));
      const fleets = changed.fleets.map((fleet) =>
        contentsOf(fleet).some((key) => missing.has(key)) ? (before.get(fleet.id) ?? fleet) : fleet,
      );
      // Without a cursor, all of it is asked for again.
      await cache.replace({ cursor: missing.size === 0 ? cursor : '', known: { ...changed, fleets } });
      return true;
    } catch (error) {
      if (error instanceof CentreFailure) this.#tell(error);
      else
        log.error('What fleets serve could not be kept: agents go on with what they were served before.', {
          err: error,
        });
      return false;
    }
  }

  /** Once for each reason: a list that is too long would keep every new version and every way back from the site. */
  #tell({ message }: CentreFailure): void {
    const { isEnding, log } = this.#options;
    if (this.#told !== message && !isEnding())
      log.warn(
        `What fleets serve cannot be asked for: ${message}. Agents go on with what they were served before.`,
      );
    this.#told = message;
  }

  /** Resolves with the keys of contents that cannot be had now: their fleets stay as they are, and the others do not wait for them. */
  async #fetch(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const { cache, askContent, isEnding, log } = this.#options;
    const missing = new Set(keys.filter((key) => !cache.has(key)));
    this.#failed = new Set([...this.#failed].filter((key) => missing.has(key)));
    // One that takes all the time that a call has must not keep others from ever being asked for.
    const asked = [...missing].sort(
      (one, other) => Number(this.#failed.has(one)) - Number(this.#failed.has(other)),
    );
    let unreachable = 0;
    for (const key of asked) {
      if (unreachable >= maxUnreachableInARow) break;
      try {
        await cache.keep(key, await askContent(key));
        missing.delete(key);
        unreachable = 0;
      } catch (error) {
        if (!(error instanceof CentreFailure)) throw error;
        if (isEnding()) break;
        unreachable = error.kind === 'unreachable' ? unreachable + 1 : 0;
        if (!this.#failed.has(key))
          log.warn(
            `What a fleet serves now could not be fetched, and is asked for again: ${error.message}. Until then, the fleet stays as it was.`,
            {
              content: key,
            },
          );
        this.#failed.add(key);
      }
    }
    return missing;
  }
}
