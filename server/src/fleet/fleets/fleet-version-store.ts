import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { isAnyOf } from '../../foundation/database/text-matching.ts';
import type { Page } from '../../foundation/list-page.ts';

export type FleetVersionRow = Selectable<Tables['fleet_versions']>;

/** Without the configuration. */
export type ListedVersionRow = Omit<
  FleetVersionRow,
  'raw_config' | 'learned_structure' | 'learned_text_digest'
>;

const listed = [
  'id',
  'fleet_id',
  'project_id',
  'number',
  'config_format',
  'files',
  'digest',
  'note',
  'findings',
  'created_at',
  'created_by_kind',
  'created_by_id',
  'created_by_name',
] as const;

export async function insertVersion(
  trx: Kysely<Tables>,
  row: Insertable<Tables['fleet_versions']>,
): Promise<void> {
  await trx.insertInto('fleet_versions').values(row).execute();
}

export async function findVersion(db: Kysely<Tables>, id: string): Promise<FleetVersionRow | undefined> {
  return db.selectFrom('fleet_versions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The newest version of a fleet, or the newest one before a number. */
export async function findNewestVersion(
  db: Kysely<Tables>,
  fleetID: string,
  before?: number,
): Promise<FleetVersionRow | undefined> {
  let query = db.selectFrom('fleet_versions').selectAll().where('fleet_id', '=', fleetID);
  if (before !== undefined) query = query.where('number', '<', before);
  return query.orderBy('number', 'desc').limit(1).executeTakeFirst();
}

/** Newest first, with one more than the page if another page follows. */
export async function listVersions(
  db: Kysely<Tables>,
  fleetID: string,
  page: Page,
): Promise<ListedVersionRow[]> {
  const query = db.selectFrom('fleet_versions').select(listed).where('fleet_id', '=', fleetID);
  return newestFirst(query, 'id', page).execute();
}

/** Those of the versions of which a rollout has stopped by itself. */
export async function listFailedVersions(
  db: Kysely<Tables>,
  versionIDs: readonly string[],
): Promise<ReadonlySet<string>> {
  if (versionIDs.length === 0) return new Set();
  const rows = await db
    .selectFrom('rollouts')
    .innerJoin('fleet_versions', 'fleet_versions.id', 'rollouts.to_version_id')
    .select('to_version_id')
    .distinct()
    .whereRef('rollouts.fleet_id', '=', 'fleet_versions.fleet_id')
    .where('fleet_versions.id', 'in', versionIDs)
    .where(({ and, eb, or }) =>
      or([
        eb('state', 'in', ['stopped', 'reverting', 'reverted']),
        // It was superseded while it went back.
        and([eb('state', '=', 'superseded'), eb('back_seconds', 'is not', null)]),
      ]),
    )
    .where('verdict', 'not like', '%"rule":"person"%')
    .execute();
  return new Set(rows.map(({ to_version_id }) => to_version_id));
}

/** Stores the bytes of files that are not stored yet. */
export async function insertContents(
  trx: Kysely<Tables>,
  projectID: string,
  files: readonly { readonly digest: string; readonly bytes: Uint8Array }[],
): Promise<void> {
  for (const { digest, bytes } of files) {
    await trx
      .insertInto('fleet_contents')
      .values({ project_id: projectID, digest, contents: bytes })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** The bytes of files by their digests. */
export async function readContents(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (digests.length === 0) return new Map();
  const rows = await db
    .selectFrom('fleet_contents')
    .select(['digest', 'contents'])
    .where('project_id', '=', projectID)
    .where(isAnyOf(engine, sql.ref('digest'), digests))
    .execute();
  return new Map(rows.map(({ digest, contents }) => [digest, contents]));
}
