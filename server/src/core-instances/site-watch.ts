import { unreachableAfterSeconds } from '@muster/contract';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { noteEvent } from '../database/note-event.ts';
import * as store from './site-watch-store.ts';

interface SiteWatchOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Since when the service hears agents without a break. */
  readonly listening: { readonly since: number };
  /** Writes what was heard of agents. */
  readonly signs: { flush(): Promise<void> };
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  /** Absent: 1 s. 0: only when somebody asks. */
  readonly intervalMilliseconds?: number | undefined;
}

const usualIntervalMilliseconds = 1_000;
const maxSites = 100;

/** Finds core instances that are not heard any more, or again: nothing is known of the agents behind them meanwhile. */
export class SiteWatch {
  readonly #options: SiteWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: SiteWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { intervalMilliseconds = usualIntervalMilliseconds, onFailure } = this.#options;
    if (intervalMilliseconds === 0) return;
    this.#timer = setInterval(() => void this.look().catch(onFailure), intervalMilliseconds).unref();
  }

  /** Resolves when the agents of all core instances are marked as they are now. */
  look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking?.catch(() => undefined);
  }

  async #lookNow(): Promise<void> {
    const { database, clock, listening, signs, closing } = this.#options;
    const now = clock();
    const bound = unreachableAfterSeconds * 1_000;
    // While the service did not listen, nobody could be heard.
    if (closing.aborted || now - listening.since <= bound) return;
    const sites = await store.listChangedSites(database.read, now - bound, maxSites);
    if (sites.length === 0) return;
    await signs.flush();
    for (const site of sites) await this.#mark(site, now, bound);
  }

  async #mark(site: store.ChangedSite, now: number, bound: number): Promise<void> {
    const { database, listening } = this.#options;
    const contactAt = site.last_contact_at ?? 0;
    const isMissed = contactAt < now - bound;
    const since = Math.max(contactAt, listening.since) + bound;
    await database.write.transaction().execute(async (trx) => {
      if (!(await store.lockSite(trx, database.engine, site))) return;
      await store.markMissed(trx, site.id, isMissed ? contactAt : null);
      await store.markAgentsOf(trx, database.engine, site, isMissed ? since : null);
      await noteEvent(trx, site.project_id, {
        type: isMissed ? 'core_instance.unreachable' : 'core_instance.reachable',
        coreInstanceID: site.id,
        name: site.name,
      });
    });
  }
}
