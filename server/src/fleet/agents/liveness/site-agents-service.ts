import type { Kysely } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { Listening } from './listening.ts';
import * as store from './site-agents-store.ts';

interface SiteAgentsOptions {
  readonly database: Database;
  readonly listening: Pick<Listening, 'since'>;
}

/** What is known of the agents for which a core instance was the last to speak. */
export class SiteAgentsService {
  readonly #options: SiteAgentsOptions;

  constructor(options: SiteAgentsOptions) {
    this.#options = options;
  }

  /** Nobody hears who speaks for them, since a time in milliseconds. */
  markUnknown(trx: Kysely<Tables>, site: store.Site, since: number): Promise<void> {
    return store.markAgentsUnknown(trx, this.#options.database.engine, site, since);
  }

  /** They are judged by themselves. */
  markKnown(trx: Kysely<Tables>, site: store.Site): Promise<void> {
    return store.markAgentsKnown(trx, this.#options.database.engine, site);
  }

  /** The same of those that would not be offline now. Returns whether these are all. */
  async markHeard(trx: Kysely<Tables>, site: store.Site, now: number): Promise<boolean> {
    const { database, listening } = this.#options;
    await store.markAgentsKnown(trx, database.engine, site, { now, heardSince: listening.since });
    return !(await store.hasUnknownAgents(trx, site));
  }
}
