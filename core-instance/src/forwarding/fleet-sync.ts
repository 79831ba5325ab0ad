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
  /** Never steps back. */
  readonly monotonic: () => number;
  /** Resolves after some milliseconds, or when all is over. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** Keeps what fleets serve as the centre has it. */
export class FleetSync {
  readonly #options: FleetSyncOptions;
  readonly #refresh: SpacedRefresh;

  constructor(options: FleetSyncOptions) {
    this.#options = options;
    this.#refresh = new SpacedRefresh({ ...options, refresh: () => this.#sync() });
  }

  /** Asks for what has changed, at most once a second. False if the centre cannot be reached. */
  refresh(): Promise<boolean> {
    return this.#refresh.run();
  }

  async #sync(): Promise<boolean> {
    const { cache, ask, askContent, log } = this.#options;
    try {
      // Also after a content was lost.
      const isWhole = cache.fleets.flatMap(contentsOf).every((key) => cache.has(key));
      const { cursor, changed } = await ask(isWhole ? cache.cursor : undefined);
      if (changed === null) return true;
      // Before they are served, so that a line that is cut now leaves nothing without its content.
      for (const key of new Set(changed.fleets.flatMap(contentsOf)))
        if (!cache.has(key)) await cache.keep(key, await askContent(key));
      await cache.replace({ cursor, known: changed });
      return true;
    } catch (error) {
      if (!(error instanceof CentreFailure))
        log.error('What fleets serve could not be kept: agents go on with what they were served before.', {
          err: error,
        });
      return false;
    }
  }
}
