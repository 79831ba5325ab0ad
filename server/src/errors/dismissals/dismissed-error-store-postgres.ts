import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PostgresDatabase } from '../../foundation/database/database.ts';
import { isUniqueViolation } from '../../foundation/database/database-failures.ts';
import { inLockOrder } from '../../foundation/database/in-lock-order.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { containsText } from '../../foundation/database/text-matching.ts';
import { isCurrent, isInFleet } from '../error-row-store-postgres.ts';
import { errorChangeKinds } from '../groups/counting/error-changes.ts';
import type {
  AgentCount,
  ChangedPortion,
  DismissedErrorStore,
  DismissPortion,
  ErrorSelection,
  FoundError,
  ReopenPortion,
  WalkStep,
} from './dismissed-error-store.ts';

/** Several replicas can change the same errors. The lock on the row of a dismissal allows only one portion of it at a time. */
export function createPostgresDismissedErrorStore({ write }: PostgresDatabase): DismissedErrorStore {
  return {
    async find(db, selection, step, maxFound) {
      const end = await findEnd(db, selection, step);
      const { rows } = await sql<FoundError>`
        select id, agent_id as "agentID",
          (${isCurrent(true, 'e')})::integer as "isCurrent"
        from agent_errors as e
        where ${walk(selection, step.after, end)} and ${conditionsOf(selection)}
        order by id limit ${maxFound}`.execute(db);
      return { found: rows, end: rows.length === maxFound ? rows.at(-1)?.id : end };
    },
    async count(db, selection, step) {
      const end = await findEnd(db, selection, step);
      const { rows } = await sql<AgentCount>`
        select agent_id as "agentID", count(*)::integer as errors from agent_errors as e
        where ${walk(selection, step.after, end)} and ${conditionsOf(selection)}
        group by agent_id`.execute(db);
      return { found: rows, end };
    },
    dismiss: (portion) => write.transaction().execute((trx) => dismissPortion(trx, portion)),
    async reopen(portion) {
      for (let maxErrors = portion.maxErrors; ; maxErrors = Math.ceil(maxErrors / 8)) {
        try {
          return await write.transaction().execute((trx) => reopenPortion(trx, { ...portion, maxErrors }));
        } catch (error) {
          // An equal error was stored at the same moment. The next attempt sees it.
          if (!isUniqueViolation(error)) throw error;
        }
      }
    },
  };
}

async function findEnd(
  db: Kysely<Tables>,
  selection: ErrorSelection,
  { after, rows: count }: WalkStep,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from agent_errors as e where ${walk(selection, after, undefined)}
    order by id limit 1 offset ${count - 1}`.execute(db);
  return rows[0]?.id;
}

/** The conditions that an index decides: `(group_id, id)` for groups, and the indexes of open errors for agents and projects. */
function walk(
  { projectID, boundID, groupIDs, agentIDs }: ErrorSelection,
  after: string | null,
  end: string | undefined,
): RawBuilder<unknown> {
  const source =
    groupIDs !== undefined
      ? sql`e.group_id = any(${groupIDs}::uuid[])`
      : agentIDs !== undefined
        ? sql`e.agent_id = any(${agentIDs}::uuid[]) and e.dismissed_at is null`
        : sql`e.project_id = ${projectID} and e.dismissed_at is null`;
  return sql.join(
    [
      source,
      sql`e.id < ${boundID}`,
      ...(after === null ? [] : [sql`e.id > ${after}`]),
      ...(end === undefined ? [] : [sql`e.id <= ${end}`]),
    ],
    sql` and `,
  );
}

function conditionsOf(selection: ErrorSelection): RawBuilder<unknown> {
  const { projectID, error, text, agentIDs, fleetID, current } = selection;
  // `walk` has chosen the index.
  const conditions: RawBuilder<unknown>[] = [
    isOpen(sql.ref('e.dismissed_at')),
    sql`coalesce(e.project_id) = ${projectID}`,
  ];
  if (error !== undefined) conditions.push(sql`e.error = ${error}`);
  if (text !== undefined) conditions.push(containsText('postgres', sql.ref('e.error'), text));
  if (agentIDs !== undefined) conditions.push(sql`e.agent_id = any(${agentIDs}::uuid[])`);
  if (fleetID !== undefined) conditions.push(isInFleet(projectID, fleetID));
  if (current !== undefined) conditions.push(isCurrent(current, 'e'));
  return sql.join(conditions, sql` and `);
}

interface LockedJob {
  readonly project_id: string;
  readonly cursor_id: string | null;
  readonly reason: string;
  readonly requested_at: number;
  readonly requested_by_kind: string;
  readonly requested_by_id: string | null;
}

/** Locks the dismissal, unless its state has changed, another process works on it, or its project was deleted. */
async function lockJob(
  trx: Kysely<Tables>,
  { dismissalID, holder }: Pick<DismissPortion, 'dismissalID' | 'holder'>,
  state: 'running' | 'undoing',
): Promise<LockedJob | undefined> {
  const { rows } = await sql<LockedJob>`
    select dismissals.project_id, cursor_id, reason, requested_at, requested_by_kind, requested_by_id
    from dismissals join projects on projects.id = dismissals.project_id
    where dismissals.id = ${dismissalID} and lease_holder = ${holder} and state = ${state}
      and projects.deleted_at is null
    for update of dismissals`.execute(trx);
  return rows[0];
}

/**
 * Written so that no index of open errors has the condition: with old statistics, reading all open errors of the project looks cheaper
 * than a look-up of each.
 */
function isOpen(dismissedAt: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`coalesce(${dismissedAt}, -1) = -1`;
}

async function dismissPortion(
  trx: Kysely<Tables>,
  portion: DismissPortion,
): Promise<ChangedPortion | undefined> {
  const { dismissalID, errors, isLast, now } = portion;
  const job = await lockJob(trx, portion, 'running');
  if (job === undefined || job.cursor_id !== portion.cursorBefore) return undefined;
  const due = sql`
    select project_id, id, agent_id from agent_errors
    where project_id = ${job.project_id} and id = any(${errors.map(({ id }) => id)}::uuid[])
      and ${isOpen(sql.ref('dismissed_at'))}`;
  const { rows } = await sql<{ agents: number; agent_ids: string[] | null; errors: number }>`
    with due as materialized (${inLockOrder(due)}),
    changed as (
      update agent_errors as e
      set dismissed_at = ${job.requested_at}, dismiss_reason = ${job.reason},
        dismissed_by_kind = ${job.requested_by_kind}, dismissed_by_id = ${job.requested_by_id},
        dismissal_id = ${dismissalID}
      from due where e.project_id = due.project_id and e.id = due.id
      returning e.agent_id
    ), counted as (
      insert into dismissal_agents (dismissal_id, agent_id)
      select distinct ${dismissalID}::uuid, agent_id from changed
      on conflict do nothing returning agent_id
    )
    select (select count(*) from changed)::integer as errors, (select count(*) from counted)::integer as agents,
      (select array_agg(distinct agent_id) from changed) as agent_ids`.execute(trx);
  const [changed] = rows;
  await sql`
    update dismissals
    set cursor_id = ${portion.cursorAfter}, errors_count = errors_count + ${changed?.errors ?? 0},
      agents_count = agents_count + ${changed?.agents ?? 0}, ended_at = ${isLast ? now : null},
      state = ${isLast ? 'done' : 'running'}, lease_until = ${portion.leaseUntil}
    where id = ${dismissalID}`.execute(trx);
  if (isLast && portion.wholeGroups) await queueOutlived(trx, portion.wholeGroups, job.requested_at);
  return { agentIDs: changed?.agent_ids ?? [], isDone: isLast };
}

/** Tells the counter which groups have newer open errors than their dismissal, with the first one that was created since it was requested. */
async function queueOutlived(
  trx: Kysely<Tables>,
  { projectID, boundID, groupIDs }: ErrorSelection,
  requestedAt: number,
): Promise<void> {
  const ofGroups = groupIDs === undefined ? sql`true` : sql`error_group.id = any(${groupIDs}::uuid[])`;
  await sql`
    insert into agent_error_changes
      (kind, group_id, project_id, agent_id, epoch, opened, dismissed, occurrences, seen_at)
    select ${errorChangeKinds.outlived}, error_group.id, error_group.project_id, first.agent_id, first.epoch, 0, 0, 0, first.created_at
    from agent_error_groups as error_group
    cross join lateral (
      select e.agent_id, e.epoch, e.created_at from agent_errors as e
      where e.group_id = error_group.id and e.id > ${boundID} and ${isOpen(sql.ref('e.dismissed_at'))}
      order by e.id limit 1
    ) as first
    where error_group.project_id = ${projectID} and error_group.first_seen_at < ${requestedAt} and ${ofGroups}`.execute(
    trx,
  );
}

/** In a change of no agent. */
const noAgentID = '00000000-0000-0000-0000-000000000000';

interface ReopenedRow {
  readonly reopened: number;
  readonly equal_open: number;
  readonly agent_ids: string[] | null;
  readonly group_ids: string[] | null;
}

/**
 * The newest errors come first, so that of equal ones the newest is reopened. Look-ups are lateral queries of one row: the plan of a join would depend
 * on statistics, and compare each error of the portion with all of the dismissal if they are older than it.
 *
 * @throws a unique violation if an equal error is stored at the same moment
 */
async function reopenPortion(
  trx: Kysely<Tables>,
  portion: ReopenPortion,
): Promise<ChangedPortion | undefined> {
  const { dismissalID, maxErrors, now } = portion;
  const job = await lockJob(trx, portion, 'undoing');
  if (job === undefined) return undefined;
  const { rows } = await sql<ReopenedRow>`
    with portion as materialized (
      select project_id, id, agent_id from agent_errors
      where dismissal_id = ${dismissalID} order by id desc limit ${maxErrors}
    ), due as materialized (
      select e.* from (select * from portion order by agent_id, id) as portion
      cross join lateral (
        select project_id, id, group_id, agent_id, epoch, error_digest,
          dismissed_at is distinct from ${job.requested_at} as has_changed
        from agent_errors as e
        where e.project_id = portion.project_id and e.id = portion.id and e.dismissal_id = ${dismissalID}
        limit 1 for update) as e
    ), judged as materialized (
      select due.project_id, due.id, has_changed, not has_changed and equal.is_open is null
        and row_number() over (
          partition by has_changed, agent_id, epoch, error_digest order by due.id desc) = 1 as is_reopened
      from due left join lateral (
        select true as is_open from agent_errors as other
        where other.agent_id = due.agent_id and other.epoch = due.epoch
          and other.error_digest = due.error_digest and other.dismissed_at is null
        limit 1) as equal on true
    ), reopened as (
      update agent_errors as e
      set dismissed_at = null, dismiss_reason = null, dismissed_by_kind = null, dismissed_by_id = null,
        dismissal_id = null, superseded_at = null
      from judged where judged.is_reopened and e.project_id = judged.project_id and e.id = judged.id
      returning e.agent_id
    ), left_out as (
      update agent_errors as e set dismissal_id = null
      from judged where not judged.is_reopened and e.project_id = judged.project_id and e.id = judged.id
    )
    select (select count(*) from reopened)::integer as reopened,
      (select count(*) from judged where not is_reopened and not has_changed)::integer as equal_open,
      (select array_agg(distinct agent_id) from reopened) as agent_ids,
      (select array_agg(distinct group_id) from due where group_id is not null) as group_ids`.execute(trx);
  const [changed] = rows;
  await queueUndone(trx, job, changed?.group_ids ?? []);
  const isDone = !(await hasDismissed(trx, dismissalID));
  await sql`
    update dismissals
    set reopened_count = reopened_count + ${changed?.reopened ?? 0},
      equal_open_count = equal_open_count + ${changed?.equal_open ?? 0},
      undo_ended_at = ${isDone ? now : null}, state = ${isDone ? 'undone' : 'undoing'},
      lease_until = ${portion.leaseUntil}
    where id = ${dismissalID}`.execute(trx);
  return { agentIDs: changed?.agent_ids ?? [], isDone };
}

/** After the changes of the errors themselves, which triggers have queued. */
async function queueUndone(
  trx: Kysely<Tables>,
  { project_id, requested_at }: LockedJob,
  groupIDs: readonly string[],
): Promise<void> {
  if (groupIDs.length === 0) return;
  await sql`
    insert into agent_error_changes
      (kind, group_id, project_id, agent_id, epoch, opened, dismissed, occurrences, seen_at)
    select ${errorChangeKinds.undone}, group_id, ${project_id}, ${noAgentID}::uuid, 0, 0, 0, 0, ${requested_at}::bigint
    from unnest(${groupIDs}::uuid[]) as undone (group_id)`.execute(trx);
}

async function hasDismissed(trx: Kysely<Tables>, dismissalID: string): Promise<boolean> {
  const { rows } = await sql`select 1 from agent_errors where dismissal_id = ${dismissalID} limit 1`.execute(
    trx,
  );
  return rows.length > 0;
}
