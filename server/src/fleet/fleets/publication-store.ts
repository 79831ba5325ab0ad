import { type Kysely, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { nextSeconds, recentPublications } from './publication-clock.ts';
import type { Publication } from './version-choice.ts';

interface NewPublication {
  readonly projectID: string;
  readonly fleetID: string;
  readonly versionID: string;
  readonly now: number;
}

/** Gives a version a date, later than all others of the project. It is served from when something chooses it, such as `makeCurrent`. */
export async function publish(
  trx: Kysely<Tables>,
  database: Database,
  { projectID, fleetID, versionID, now }: NewPublication,
): Promise<Publication> {
  await database.takeLock(trx, `fleet clock of ${projectID}`);
  const recent = await listPublications(trx, projectID);
  const seconds = nextSeconds(
    now,
    recent.map((one) => one.seconds),
  );
  await trx
    .insertInto('fleet_publications')
    .values({ project_id: projectID, seconds, fleet_id: fleetID, version_id: versionID, published_at: now })
    .execute();
  return { fleetID, versionID, seconds, publishedAt: now };
}

/** From now on, the fleet serves it. */
export async function makeCurrent(
  trx: Kysely<Tables>,
  { fleetID, versionID, seconds }: Publication,
): Promise<void> {
  await trx
    .updateTable('fleets')
    .set({ current_version_id: versionID, current_seconds: seconds })
    .where('id', '=', fleetID)
    .execute();
}

/** The newest publications of a project, the newest first. */
export async function listPublications(db: Kysely<Tables>, projectID: string): Promise<Publication[]> {
  return selectPublications(db)
    .where('project_id', '=', projectID)
    .orderBy('seconds', 'desc')
    .limit(recentPublications)
    .execute();
}

/** The latest date of a fleet; undefined if it has published nothing. */
export async function findNewestSeconds(db: Kysely<Tables>, fleetID: string): Promise<number | undefined> {
  const { seconds } = await db
    .selectFrom('fleet_publications')
    .select((eb) => eb.fn.max<number | null>('seconds').as('seconds'))
    .where('fleet_id', '=', fleetID)
    .executeTakeFirstOrThrow();
  return seconds ?? undefined;
}

/** A version of a fleet under its latest date before another date; undefined if it was not published before that. */
export async function findPublicationBefore(
  db: Kysely<Tables>,
  { fleetID, versionID, seconds }: Pick<Publication, 'fleetID' | 'versionID' | 'seconds'>,
): Promise<Publication | undefined> {
  return selectPublications(db)
    .where('fleet_id', '=', fleetID)
    .where('version_id', '=', versionID)
    .where('seconds', '<', seconds)
    .orderBy('seconds', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** What the fleet serves now; undefined if that is nothing. */
export async function findCurrent(db: Kysely<Tables>, fleetID: string): Promise<Publication | undefined> {
  return selectPublications(db)
    .innerJoin('fleets', (join) =>
      join
        .onRef('fleets.project_id', '=', 'fleet_publications.project_id')
        .onRef('fleets.current_seconds', '=', 'fleet_publications.seconds'),
    )
    .where('fleets.id', '=', fleetID)
    .executeTakeFirst();
}

/**
 * Call it as the last statement of a transaction that changes what agents are served, but before `noteCredentialChange`. Replicas read the number
 * before they answer an agent, and then forget what they know of fleets.
 */
export async function noteFleetChange(trx: Kysely<Tables>): Promise<void> {
  await trx.updateTable('credential_changes').set({ fleet_generation: sql`fleet_generation + 1` }).execute();
}

/** It grows with every change of what fleets serve, of any project. */
export async function readFleetGeneration(db: Kysely<Tables>): Promise<number> {
  const { fleet_generation: generation } = await db
    .selectFrom('credential_changes')
    .select('fleet_generation')
    .executeTakeFirstOrThrow();
  return generation;
}

function selectPublications(db: Kysely<Tables>) {
  return db
    .selectFrom('fleet_publications')
    .select([
      'fleet_publications.fleet_id as fleetID',
      'fleet_publications.version_id as versionID',
      'fleet_publications.seconds as seconds',
      'fleet_publications.published_at as publishedAt',
    ]);
}
