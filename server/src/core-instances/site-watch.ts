import { coreInstanceLagsAfterSeconds, reachableSince, unreachableAfterSeconds } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { SiteAgentsService } from '../fleet/agents/liveness/site-agents-service.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Database } from '../foundation/database/database.ts';
import { noteEvent } from '../foundation/database/note-event.ts';
import type { Tables } from '../foundation/database/tables.ts';
import { forEachApart } from '../foundation/scheduling/for-each-apart.ts';
import { JoinedRuns } from '../foundation/scheduling/joined-runs.ts';
import * as store from './site-watch-store.ts';

interface SiteWatchOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Since when the service hears agents without a break. */
  readonly listening: { readonly since: number };
  readonly siteAgents: SiteAgentsService;
  /** Writes what was heard of agents. */
  readonly signs: { flush(): Promise<void> };
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
}

const maxSites = 1_000;
const missedMilliseconds = unreachableAfterSeconds * 1_000;
const maxLagMilliseconds = coreInstanceLagsAfterSeconds * 1_000;
/** As long as an agent may be silent that promised a sign of life every 30 s. */
const returnMilliseconds = 90_000;
/** Between two marks of the agents of a site that is behind, which can be so for hours. */
const behindMilliseconds = 15_000;

/** Finds core instances that are not heard any more, or again: nothing is known of the agents behind them meanwhile. */
export class SiteWatch {
  readonly #options: SiteWatchOptions;
  /** When core instances were heard again whose agents are not all known yet. */
  readonly #returnedAt = new Map<string, number>();
  /** When agents were last marked behind core instances at which older things still wait. */
  readonly #markedAt = new Map<string, number>();
  readonly #looks = new JoinedRuns(() => this.#lookNow());

  constructor(options: SiteWatchOptions) {
    this.#options = options;
  }

  /** Resolves when the agents of all core instances are marked as they are now. */
  look(): Promise<void> {
    return this.#looks.run();
  }

  close(): Promise<void> {
    return this.#looks.end();
  }

  async #lookNow(): Promise<void> {
    const { database, clock, listening, signs, closing } = this.#options;
    const now = clock();
    // While the service did not listen, nobody could be heard.
    if (closing.aborted || listening.since >= reachableSince(now)) return;
    const heardSince = reachableSince(now);
    const sites = await store.listChangedSites(database.read, heardSince, maxSites);
    const ids = new Set(sites.map(({ id }) => id));
    for (const times of [this.#returnedAt, this.#markedAt])
      for (const id of times.keys()) if (!ids.has(id)) times.delete(id);
    if (sites.length === 0) return;
    await signs.flush();
    await forEachApart(sites, closing, (site) => {
      if ((site.last_contact_at ?? 0) < heardSince) return this.#noteMissed(site);
      return (site.oldest_spooled_at ?? now) < now - maxLagMilliseconds
        ? this.#noteBehind(site, now)
        : this.#noteReturn(site, now);
    });
  }

  async #noteMissed(site: store.ChangedSite): Promise<void> {
    const { database, listening, siteAgents } = this.#options;
    const contactAt = site.last_contact_at ?? 0;
    const since = Math.max(contactAt, listening.since) + missedMilliseconds;
    this.#returnedAt.delete(site.id);
    await database.write.transaction().execute(async (trx) => {
      if (!(await store.lockSite(trx, database.engine, site))) return;
      await store.markMissed(trx, site.id, contactAt);
      await siteAgents.markUnknown(trx, site, since);
      await noteSite(trx, site, 'core_instance.unreachable');
    });
  }

  /**
   * Of most of its agents it is not known yet when they were last heard; signs of life overtake what waits. At a busy site, something always waits, but not
   * for long.
   */
  async #noteBehind(site: store.ChangedSite, now: number): Promise<void> {
    const { database, siteAgents } = this.#options;
    const markedAt = this.#markedAt.get(site.id);
    if (markedAt !== undefined && Math.abs(now - markedAt) < behindMilliseconds) return;
    this.#returnedAt.delete(site.id);
    const isMarked = await database.write.transaction().execute(async (trx) => {
      const isAsRead = await store.lockSite(trx, database.engine, site);
      if (isAsRead) await siteAgents.markHeard(trx, site, now);
      return isAsRead;
    });
    // Otherwise it was heard meanwhile, and is looked at again at once.
    if (isMarked) this.#markedAt.set(site.id, now);
  }

  /** The last signs of its agents come after all that waited. Those that would be offline get time to send one. */
  async #noteReturn(site: store.ChangedSite, now: number): Promise<void> {
    const { database, siteAgents } = this.#options;
    const returnedAt = this.#returnedAt.get(site.id) ?? now;
    this.#returnedAt.set(site.id, returnedAt);
    const isOver = Math.abs(now - returnedAt) >= returnMilliseconds;
    await database.write.transaction().execute(async (trx) => {
      if (!(await store.lockSite(trx, database.engine, site))) return;
      if (isOver) await siteAgents.markKnown(trx, site);
      else if (!(await siteAgents.markHeard(trx, site, now))) return;
      await store.markMissed(trx, site.id, null);
      await noteSite(trx, site, 'core_instance.reachable');
    });
  }
}

/** Tells listeners. */
function noteSite(
  trx: Kysely<Tables>,
  { id, project_id: projectID, name }: store.ChangedSite,
  type: 'core_instance.unreachable' | 'core_instance.reachable',
): Promise<void> {
  return noteEvent(trx, projectID, { type, coreInstanceID: id, name });
}
