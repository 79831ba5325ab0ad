import type { Kysely } from 'kysely';
import type { NewID } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { filesOf } from './fleet-content.ts';
import { replaceFiles } from './fleet-file-store.ts';
import { findVersion } from './fleet-version-store.ts';
import * as store from './publication-store.ts';
import type { Publication } from './version-choice.ts';

interface FleetPublicationsOptions {
  readonly database: Database;
  readonly newID: NewID;
}

/** Dates versions, and decides which one a fleet serves. All inside transactions of callers, who have locked the fleet. */
export class FleetPublications {
  readonly #options: FleetPublicationsOptions;

  constructor(options: FleetPublicationsOptions) {
    this.#options = options;
  }

  /** Gives a version a new date. It is served when it is made current, or when something else chooses it. */
  publish(
    trx: Kysely<Tables>,
    publication: { projectID: string; fleetID: string; versionID: string; now: number },
  ): Promise<Publication> {
    return store.publish(trx, this.#options.database, publication);
  }

  /** From the commit on, the fleet serves it to everybody, and its files are those of the fleet. Call `noteFleetChange` at the end of the transaction. */
  async makeCurrent(trx: Kysely<Tables>, publication: Publication, now: number): Promise<void> {
    const { fleetID, versionID } = publication;
    await store.makeCurrent(trx, publication);
    const version = await findVersion(trx, versionID);
    if (version === undefined) throw new Error('a version that was published does not exist');
    await replaceFiles(trx, fleetID, filesOf(version), { now, newID: this.#options.newID });
  }
}
