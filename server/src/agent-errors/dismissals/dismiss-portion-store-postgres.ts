import { type Kysely, sql } from 'kysely';
import { isUniqueViolation } from '../../database/database-failures.ts';
import { inLockOrder } from '../../database/in-lock-order.ts';
import type { Tables } from '../../database/tables.ts';
import { errorRowsOnPostgres } from '../rows/error-row-store-postgres.ts';
import type { ChangedPortion, DismissPortion, ReopenPortion } from './dismissed-error-store.ts';

/** Several replicas can change the same errors. The lock on the row of a dismissal allows only one portion of it at a time. */
export async function dismissPortionOnPostgres(
  trx: Kysely<Tables>,
  portion: DismissPortion,
): Promise<ChangedPortion | undefined> {
  const { dismissalID, errors, isLast, now } = portion;
  const job = await lockJob(trx, portion, 'running');
  if (job === undefined || job.cursor_id !== portion.cursorBefore) return undefined;
  const due = sql`
    select project_id, id, agent_id from agent_errors as e
    where project_id = ${job.project_id} and id = any(${errors.map(({ id }) => id)}::uuid[])
      and ${errorRowsOnPostgres.isOpen}`;
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
  return { agentIDs: changed?.agent_ids ?? [], isDone: isLast };
}

/** Reopens a smaller portion if an equal error was stored at the same moment: the next attempt sees it. */
export async function reopenPortionOnPostgres(
  write: Kysely<Tables>,
  portion: ReopenPortion,
): Promise<ChangedPortion | undefined> {
  for (let { maxErrors } = portion; ; maxErrors = Math.ceil(maxErrors / 8)) {
    try {
      return await write.transaction().execute((trx) => reopenPortion(trx, { ...portion, maxErrors }));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
  }
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

interface ReopenedRow {
  readonly reopened: number;
  readonly equal_open: number;
  readonly agent_ids: string[] | null;
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
        select project_id, id, agent_id, epoch, error_digest,
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
        dismissal_id = null
      from judged where judged.is_reopened and e.project_id = judged.project_id and e.id = judged.id
      returning e.agent_id
    ), left_out as (
      update agent_errors as e set dismissal_id = null
      from judged where not judged.is_reopened and e.project_id = judged.project_id and e.id = judged.id
    )
    select (select count(*) from reopened)::integer as reopened,
      (select count(*) from judged where not is_reopened and not has_changed)::integer as equal_open,
      (select array_agg(distinct agent_id) from reopened) as agent_ids`.execute(trx);
  const [changed] = rows;
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

async function hasDismissed(trx: Kysely<Tables>, dismissalID: string): Promise<boolean> {
  const { rows } = await sql`select 1 from agent_errors where dismissal_id = ${dismissalID} limit 1`.execute(
    trx,
  );
  return rows.length > 0;
}
