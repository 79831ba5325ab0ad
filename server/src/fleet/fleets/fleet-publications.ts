import type { Kysely } from 'kysely';
import type { NewID } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import type { FileOfVersion } from './fleet-content.ts';
import * as files from './fleet-file-store.ts';
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
    const wanted = JSON.parse(version.files) as readonly FileOfVersion[]; // written by the service alone
    const present = new Map((await files.listFiles(trx, fleetID)).map((file) => [file.name, file]));
    for (const { name, digest, bytes } of wanted) {
      const file = present.get(name);
      present.delete(name);
      if (file === undefined) {
        await files.insertFile(trx, {
          id: this.#options.newID(),
          fleet_id: fleetID,
          name,
          digest,
          bytes,
          created_at: now,
          updated_at: now,
        });
      } else if (file.digest !== digest)
        await files.updateFile(trx, file.id, { digest, bytes, updated_at: now });
    }
    for (const { id } of present.values()) await files.deleteFile(trx, id);
  }
}
