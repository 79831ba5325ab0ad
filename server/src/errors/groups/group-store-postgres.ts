import { foldError, foldVersion } from '@muster/faults';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables } from '../../foundation/database/tables.ts';
import { errorChangeKinds as kinds } from './error-changes.ts';
import { groupIDOf } from './error-group.ts';

/** The condition for the rows of `agent_error_changes as change` that a portion applies. */
export type IsTaken = RawBuilder<boolean>;

/**
 * Stores the missing groups that these changes name. Reports only name their group, so that no report waits for another.
 * If the errors of a group no longer exist, its pattern is unknown, and empty until the next error.
 */
export async function insertMissingGroups(trx: Kysely<Tables>, isTaken: IsTaken): Promise<void> {
  const { rows } = await sql<{
    group_id: string;
    project_id: string;
    error: string | null;
    config_id: string | null;
    created_at: number | null;
  }>`
    select distinct on (change.group_id) change.group_id, change.project_id, e.error, e.config_id, e.created_at
    from (
      select group_id, project_id, error_id from agent_error_changes as change
      where ${isTaken} and group_id is not null
        and not exists (
          select from agent_error_groups as known where known.id = change.group_id and known.pattern <> '')
      -- Nearly all changes end here: their errors are not read.
      offset 0
    ) as change
    left join lateral (
      select * from agent_errors as e
      where e.project_id = change.project_id and e.id = change.error_id and e.group_id = change.group_id
      limit 1
    ) as e on true
    order by change.group_id, e.id`.execute(trx);
  for (const row of rows) {
    const error = row.error ?? '';
    const pattern = foldError(error);
    // The id comes from other rules: the errors get another group when they are grouped again.
    const version = groupIDOf(row.project_id, pattern) === row.group_id ? foldVersion : 0;
    await sql`
      insert into agent_error_groups (
        id, project_id, pattern, example, fold_version, first_config_id, first_seen_at, last_seen_at
      ) values (
        ${row.group_id}, ${row.project_id}, ${pattern}, ${error}, ${version}, ${row.config_id},
        ${row.created_at ?? 0}, ${row.created_at ?? 0})
      on conflict (id) do update
      set pattern = excluded.pattern, example = excluded.example, fold_version = excluded.fold_version,
        first_config_id = excluded.first_config_id, first_seen_at = excluded.first_seen_at
    `.execute(trx);
  }
}

/** Groups the errors that a version without groups stored. The resulting changes are appended to the queue. */
export async function groupUngrouped(trx: Kysely<Tables>, isTaken: IsTaken): Promise<void> {
  const { rows } = await sql<{ id: string; project_id: string; error: string }>`
    select e.id, e.project_id, e.error
    from agent_error_changes as change
    cross join lateral (
      select * from agent_errors as e
      where e.project_id = change.project_id and e.id = change.error_id
      limit 1
    ) as e
    where ${isTaken} and change.kind = ${sql.lit(kinds.ungrouped)}
      and e.group_id is null`.execute(trx);
  await setGroups(
    trx,
    rows.map((row) => ({ ...row, groupID: groupIDOf(row.project_id, foldError(row.error)) })),
  );
}

export async function setGroups(
  trx: Kysely<Tables>,
  errors: readonly { readonly project_id: string; readonly id: string; readonly groupID: string }[],
): Promise<void> {
  if (errors.length === 0) return;
  await sql`
    with due as materialized (
      select e.project_id, e.id, input.group_id
      from unnest(
        ${errors.map(({ project_id }) => project_id)}::uuid[], ${errors.map(({ id }) => id)}::uuid[],
        ${errors.map(({ groupID }) => groupID)}::uuid[]) as input (project_id, id, group_id)
      join agent_errors as e on e.project_id = input.project_id and e.id = input.id
      order by e.agent_id, e.id
      for no key update of e
    )
    update agent_errors as e set group_id = due.group_id
    from due where e.project_id = due.project_id and e.id = due.id`.execute(trx);
}
