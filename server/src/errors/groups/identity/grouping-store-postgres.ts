import { foldVersion } from '@muster/faults';
import { type Kysely, sql } from 'kysely';
import type { PostgresDatabase } from '../../../foundation/database/database.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { ErrorGroupIDs } from './error-group.ts';
import { setGroups } from './group-store-postgres.ts';
import type { GroupingPortion, GroupingRequest } from './grouping.ts';

const firstID = '00000000-0000-0000-0000-000000000000';

/**
 * Groups a portion of the errors that have no group or were grouped by other rules, in one transaction. Reports
 * `isDone` too if another replica is doing this.
 */
export async function groupErrorsOnPostgres(
  database: PostgresDatabase,
  { maxRows }: GroupingRequest,
  groups: ErrorGroupIDs,
  version = foldVersion,
): Promise<GroupingPortion> {
  return database.write.transaction().execute(async (trx) => {
    const last = await begin(trx, version);
    if (last === undefined) return { rows: 0, isDone: true };
    const { rows } = await sql<{
      id: string;
      project_id: string;
      error: string;
      group_id: string | null;
      created_at: number;
    }>`
      select id, project_id, error, group_id, created_at from agent_errors
      where (project_id, id) > (${last.last_project_id}, ${last.last_id})
      order by project_id, id limit ${maxRows}`.execute(trx);
    const grouped = rows.map((row) => ({ ...row, groupID: groups.of(row.project_id, row.error) }));
    // Errors before groups, as the counter locks them.
    await setGroups(
      trx,
      grouped.filter(({ group_id, groupID }) => group_id !== groupID),
    );
    await refreshGroups(trx, grouped, version);
    const isDone = rows.length < maxRows;
    const { project_id = last.last_project_id, id = last.last_id } = rows.at(-1) ?? {};
    await sql`
      update agent_error_grouping
      set last_project_id = ${project_id}, last_id = ${id}, is_done = ${isDone ? 1 : 0}`.execute(trx);
    return { rows: rows.length, isDone };
  });
}

interface LastGrouped {
  readonly last_project_id: string;
  readonly last_id: string;
}

/** Returns the error after which to continue; undefined if no errors are left or another replica does this. */
async function begin(trx: Kysely<Tables>, version: number): Promise<LastGrouped | undefined> {
  const { rows } = await sql<LastGrouped & { fold_version: number; is_done: number }>`
    select fold_version, last_project_id, last_id, is_done from agent_error_grouping for update skip locked`.execute(
    trx,
  );
  const [progress] = rows;
  if (progress === undefined || progress.fold_version > version) return undefined;
  if (progress.fold_version === version) {
    if (progress.is_done === 0) return progress;
    const outdated = await trx
      .selectFrom('agent_error_groups')
      .select('id')
      .where('fold_version', '<', version)
      .where('agents', '>', 0)
      .limit(1)
      .execute();
    if (outdated.length === 0) return undefined;
  }
  await sql`
    update agent_error_grouping
    set fold_version = ${version}, last_project_id = ${firstID}, last_id = ${firstID}, is_done = 0`.execute(
    trx,
  );
  return { last_project_id: firstID, last_id: firstID };
}

/** Missing groups are stored by the counter. */
async function refreshGroups(
  trx: Kysely<Tables>,
  errors: readonly { readonly groupID: string; readonly created_at: number }[],
  version: number,
): Promise<void> {
  const first = new Map<string, number>();
  for (const { groupID, created_at } of errors) {
    first.set(groupID, Math.min(first.get(groupID) ?? created_at, created_at));
  }
  const refreshed = [...first].sort(([a], [b]) => (a < b ? -1 : 1));
  await sql`
    update agent_error_groups
    set first_seen_at = least(first_seen_at, change.created_at), fold_version = greatest(fold_version, ${version})
    from unnest(
      ${refreshed.map(([id]) => id)}::uuid[], ${refreshed.map(([, createdAt]) => createdAt)}::bigint[]
    ) as change (id, created_at)
    where agent_error_groups.id = change.id
      and (first_seen_at > change.created_at or fold_version < ${version})`.execute(trx);
}
