import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import { isAnyID } from '../../foundation/database/is-any-id.ts';
import type { Engine } from '../../foundation/database/migrations/column-types.ts';
import { newestFirst } from '../../foundation/database/newest-first.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { arrayHasText, matchesName } from '../../foundation/database/text-matching.ts';
import { type Page, type PageOf, takeFitting } from '../../foundation/list-page.ts';

export type FleetRow = Selectable<Tables['fleets']>;

/** A fleet with the version that it serves; without one, these columns are null. */
export interface FleetRowWithVersion extends FleetRow {
  readonly raw_config: string | null;
  readonly config_format: string | null;
  readonly version_number: number | null;
  readonly published_at: number | null;
}

interface FleetFilter {
  readonly projectID: string;
  readonly name: string | undefined;
  readonly tags: readonly string[];
}

/** Bounds the memory of a page. */
const maxPageBytes = 4 * 1024 * 1024;

export async function insertFleet(db: Kysely<Tables>, row: Insertable<Tables['fleets']>): Promise<void> {
  await db.insertInto('fleets').values(row).execute();
}

export async function updateFleet(
  db: Kysely<Tables>,
  id: string,
  change: Updateable<Tables['fleets']>,
): Promise<void> {
  await db.updateTable('fleets').set(change).where('id', '=', id).execute();
}

/** One that was not deleted, of a project that exists. */
export async function findFleet(db: Kysely<Tables>, id: string): Promise<FleetRowWithVersion | undefined> {
  return withVersions(selectFleets(db)).where('fleets.id', '=', id).executeTakeFirst();
}

/** The same by the number in the ids of its agents. */
export async function findFleetByNumber(db: Kysely<Tables>, number: number): Promise<FleetRow | undefined> {
  return selectFleets(db).where('fleets.number', '=', number).executeTakeFirst();
}

/** Locked until the transaction ends. */
export async function lockFleet(
  trx: Kysely<Tables>,
  engine: Engine,
  id: string,
): Promise<FleetRow | undefined> {
  const query = trx.selectFrom('fleets').selectAll().where('id', '=', id).where('deleted_at', 'is', null);
  // SQLite has one transaction at a time.
  return (engine === 'postgres' ? query.forNoKeyUpdate() : query).executeTakeFirst();
}

export async function findFleetNamed(
  db: Kysely<Tables>,
  projectID: string,
  name: string,
): Promise<FleetRow | undefined> {
  return selectFleets(db)
    .where('fleets.project_id', '=', projectID)
    .where('fleets.name', '=', name)
    .executeTakeFirst();
}

export async function countFleets(db: Kysely<Tables>, projectID: string): Promise<number> {
  const { count } = await db
    .selectFrom('fleets')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('project_id', '=', projectID)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A page that ends early if its configurations are large. */
export async function listFleets(
  db: Kysely<Tables>,
  engine: Engine,
  { projectID, name, tags }: FleetFilter,
  page: Page,
): Promise<PageOf<FleetRowWithVersion>> {
  let query = selectFleets(db)
    .clearSelect()
    .leftJoin('fleet_versions as versions', 'versions.id', 'fleets.current_version_id')
    .select(['fleets.id', sql<number>`coalesce(octet_length(versions.raw_config), 0) + 1024`.as('bytes')])
    .where('fleets.project_id', '=', projectID);
  if (name !== undefined) query = query.where(matchesName(engine, sql.ref('fleets.name'), name));
  for (const tag of tags) query = query.where(arrayHasText(engine, sql.ref('fleets.tags'), tag));
  const sizes = await newestFirst(query, 'fleets.id', page).execute();
  const { ids, hasNext } = takeFitting(sizes, page, maxPageBytes);
  if (ids.length === 0) return { rows: [], hasNext };
  const rows = await withVersions(selectFleets(db))
    .where(isAnyID(engine, sql.ref('fleets.id'), ids))
    .orderBy('fleets.id', 'desc')
    .execute();
  return { rows, hasNext };
}

export interface NamedFleet {
  readonly id: string;
  readonly name: string;
}

/** The fleets of a project in the order of their names. */
export async function listFleetNames(
  db: Kysely<Tables>,
  projectID: string,
): Promise<(NamedFleet & { readonly number: number; readonly handle_key: string })[]> {
  const rows = await selectFleets(db)
    .clearSelect()
    .select(['fleets.id', 'fleets.name', 'fleets.number', 'fleets.handle_key'])
    .where('fleets.project_id', '=', projectID)
    .execute();
  // In the same order on both engines, whatever the collation of the database.
  return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function selectFleets(db: Kysely<Tables>) {
  return db
    .selectFrom('fleets')
    .innerJoin('projects', 'projects.id', 'fleets.project_id')
    .where('projects.deleted_at', 'is', null)
    .where('fleets.deleted_at', 'is', null)
    .selectAll('fleets');
}

function withVersions(query: ReturnType<typeof selectFleets>) {
  return query
    .leftJoin('fleet_versions as versions', 'versions.id', 'fleets.current_version_id')
    .leftJoin('fleet_publications as publications', (join) =>
      join
        .onRef('publications.project_id', '=', 'fleets.project_id')
        .onRef('publications.seconds', '=', 'fleets.current_seconds'),
    )
    .select([
      'versions.raw_config',
      'versions.config_format',
      'versions.number as version_number',
      'publications.published_at',
    ]);
}
