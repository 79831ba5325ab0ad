import { foldError, foldVersion } from '@muster/faults';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../../foundation/database/tables.ts';
import { groupIDOf } from './error-group.ts';

/** Their texts are read and folded together. */
const groupsInSlice = 2_000;

/**
 * Stores groups that are missing, or whose pattern is unknown. Reports only name their group, so that no report waits for another.
 * If the errors of a group no longer exist, its pattern is empty until the next error.
 *
 * @param groups by id
 */
export async function insertMissingGroups(
  trx: Kysely<Tables>,
  groups: readonly MissingGroup[],
): Promise<void> {
  for (let from = 0; from < groups.length; from += groupsInSlice) {
    await insertSlice(trx, groups.slice(from, from + groupsInSlice));
  }
}

interface MissingGroup {
  readonly id: string;
  readonly project_id: string;
}

async function insertSlice(trx: Kysely<Tables>, groups: readonly MissingGroup[]): Promise<void> {
  const { rows } = await sql<{
    group_id: string;
    project_id: string;
    error: string | null;
    config_id: string | null;
    created_at: number | null;
  }>`
    select missing.group_id, missing.project_id, e.error, e.config_id, e.created_at
    from unnest(${groups.map(({ id }) => id)}::uuid[], ${groups.map(({ project_id }) => project_id)}::uuid[])
      as missing (group_id, project_id)
    left join lateral (
      select * from agent_errors as e where e.group_id = missing.group_id order by e.id limit 1
    ) as e on true
    order by missing.group_id`.execute(trx);
  const found = rows.map((row) => {
    const error = row.error ?? '';
    const pattern = foldError(error);
    // The id comes from other rules: the errors get another group when they are grouped again.
    const version = groupIDOf(row.project_id, pattern) === row.group_id ? foldVersion : 0;
    return { ...row, error, pattern, version, seenAt: row.created_at ?? 0 };
  });
  await sql`
    insert into agent_error_groups (
      id, project_id, pattern, example, fold_version, first_config_id, first_seen_at, last_seen_at
    )
    select id, project_id, pattern, example, fold_version, first_config_id, seen_at, seen_at from unnest(
      ${found.map(({ group_id }) => group_id)}::uuid[], ${found.map(({ project_id }) => project_id)}::uuid[],
      ${found.map(({ pattern }) => pattern)}::text[], ${found.map(({ error }) => error)}::text[],
      ${found.map(({ version }) => version)}::bigint[], ${found.map(({ config_id }) => config_id)}::uuid[],
      ${found.map(({ seenAt }) => seenAt)}::bigint[]
    ) as missing (id, project_id, pattern, example, fold_version, first_config_id, seen_at)
    on conflict (id) do update
    set pattern = excluded.pattern, example = excluded.example, fold_version = excluded.fold_version,
      first_config_id = excluded.first_config_id, first_seen_at = excluded.first_seen_at`.execute(trx);
}

/** Groups errors that were stored without a group. The resulting changes are appended to the queue. */
export async function groupUngrouped(
  trx: Kysely<Tables>,
  { projectIDs, errorIDs }: { readonly projectIDs: readonly string[]; readonly errorIDs: readonly string[] },
): Promise<void> {
  if (errorIDs.length === 0) return;
  const { rows } = await sql<{ id: string; project_id: string; error: string }>`
    select e.id, e.project_id, e.error
    from unnest(${projectIDs}::uuid[], ${errorIDs}::uuid[]) as wanted (project_id, id)
    cross join lateral (
      select * from agent_errors as e
      where e.project_id = wanted.project_id and e.id = wanted.id and e.group_id is null
      limit 1
    ) as e`.execute(trx);
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
