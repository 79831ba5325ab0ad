import { idAtPlaceSql, isAtPlaceSql, placeOfID, timeAtPlaceSql } from '../../foundation/database/id-place.ts';
import type { SqliteRow, SqliteValue } from '../../foundation/database/sqlite/sqlite-messages.ts';
import type { SqliteProcedure, SqliteStatements } from '../../foundation/database/sqlite/sqlite-procedure.ts';
import { hasEqualOpenSql } from '../error-row-store-sqlite.ts';
import { errorChangeKinds } from '../groups/counting/error-changes.ts';
import type { ChangedPortion, DismissPortion, ReopenPortion } from './dismissed-error-store.ts';

/** Dismisses a portion of the errors of a dismissal, in one transaction of the writer. */
export function createDismissProcedure(): SqliteProcedure<DismissPortion, ChangedPortion | undefined> {
  return {
    run(statements, portion) {
      const job = findJob(statements, portion, 'running');
      if (job === undefined || job.cursor_id !== portion.cursorBefore) return undefined;
      const agentIDs = new Set<string>();
      let errors = 0;
      for (const { id, agentID } of portion.errors) {
        const at = placeOfID(id);
        if (at === undefined) continue;
        const changed = statements.run(
          dismissSql,
          at.place,
          at.rest,
          job.requested_at ?? 0,
          job.reason ?? null,
          job.requested_by_kind ?? null,
          job.requested_by_id ?? null,
          job.key ?? null,
        );
        if (changed === 0) continue;
        errors += 1;
        agentIDs.add(agentID);
      }
      let agents = 0;
      for (const agentID of agentIDs) agents += statements.run(insertAgentSql, portion.dismissalID, agentID);
      statements.run(
        noteDismissedSql,
        portion.dismissalID,
        portion.cursorAfter,
        errors,
        agents,
        portion.isLast ? portion.now : null,
        portion.leaseUntil,
      );
      if (portion.isLast) queueOutlived(statements, portion, Number(job.requested_at));
      return { agentIDs: [...agentIDs], isDone: portion.isLast };
    },
  };
}

/**
 * Reopens a portion of the errors that a dismissal has dismissed, the newest first, so that of equal ones the newest is reopened. An error that cannot be
 * reopened no longer belongs to the dismissal.
 */
export function createReopenProcedure(): SqliteProcedure<ReopenPortion, ChangedPortion | undefined> {
  return {
    run(statements, portion) {
      const job = findJob(statements, portion, 'undoing');
      if (job === undefined) return undefined;
      const due = statements.all(selectDismissedSql, job.key ?? null, portion.maxErrors);
      const agentIDs = new Set<string>();
      const groups = new Set<SqliteValue>();
      let reopened = 0;
      let equalOpen = 0;
      for (const row of due) {
        if (row.error_group != null) groups.add(row.error_group);
        const at = placeOfID(String(row.id));
        if (at === undefined) continue;
        if (statements.run(reopenSql, at.place, at.rest, job.requested_at ?? 0) === 1) {
          reopened += 1;
          agentIDs.add(String(row.agent_id));
          continue;
        }
        if (row.dismissed_at === job.requested_at) equalOpen += 1;
        statements.run(leaveSql, at.place, at.rest);
      }
      for (const group of groups) statements.run(queueUndoneSql, group, job.requested_at ?? 0);
      const isDone = due.length < portion.maxErrors;
      statements.run(
        noteReopenedSql,
        portion.dismissalID,
        reopened,
        equalOpen,
        isDone ? portion.now : null,
        portion.leaseUntil,
      );
      return { agentIDs: [...agentIDs], isDone };
    },
  };
}

/** Tells the counter which groups have newer open errors than their dismissal. */
function queueOutlived(
  statements: SqliteStatements,
  { wholeGroups }: DismissPortion,
  requestedAt: number,
): void {
  const bound = wholeGroups && placeOfID(wholeGroups.boundID);
  if (wholeGroups === undefined || bound === undefined) return;
  const { projectID, groupIDs } = wholeGroups;
  const given = groupIDs === undefined ? null : JSON.stringify(groupIDs);
  statements.run(queueOutlivedSql, projectID, bound.place, requestedAt, given);
}

function findJob(
  statements: SqliteStatements,
  { dismissalID, holder }: Pick<DismissPortion, 'dismissalID' | 'holder'>,
  state: 'running' | 'undoing',
): SqliteRow | undefined {
  return statements.get(selectJobSql, dismissalID, holder, state);
}

const selectJobSql = `
  select dismissals.key, cursor_id, reason, requested_at, requested_by_kind, requested_by_id
  from dismissals join projects on projects.id = dismissals.project_id
  where dismissals.id = ?1 and lease_holder = ?2 and state = ?3 and projects.deleted_at is null`;

const dismissSql = `
  update agent_error_rows
  set dismissed_at = ?3, dismiss_reason = ?4, dismissed_by_kind = ?5, dismissed_by_id = ?6, dismissal = ?7
  where ${isAtPlaceSql('?1', '?2')} and dismissed_at is null`;

const insertAgentSql = 'insert or ignore into dismissal_agents (dismissal_id, agent_id) values (?1, ?2)';

const noteDismissedSql = `
  update dismissals
  set cursor_id = ?2, errors_count = errors_count + ?3, agents_count = agents_count + ?4, ended_at = ?5,
    state = case when ?5 is null then state else 'done' end, lease_until = ?6
  where id = ?1`;

/** With the first open error of each group that was created since the dismissal was requested. */
const queueOutlivedSql = `
  insert into agent_error_changes (kind, group_key, agent_key, epoch, opened, dismissed, occurrences, seen_at)
  select ${errorChangeKinds.outlived}, error_group, agent_key, epoch, 0, 0, 0, ${timeAtPlaceSql}
  from (
    select (
      select place from agent_error_rows indexed by agent_error_rows_by_group
      where error_group = error_groups.key and place >= ?2 and dismissed_at is null
      order by place limit 1) as first
    from agent_error_groups as error_groups
    where project_id = ?1 and first_seen_at < ?3 and (?4 is null or id in (select value from json_each(?4)))
  )
  cross join agent_error_rows on place = first`;

/** After the changes of the errors themselves, which triggers have queued. */
const queueUndoneSql = `
  insert into agent_error_changes (kind, group_key, agent_key, epoch, opened, dismissed, occurrences, seen_at)
  values (${errorChangeKinds.undone}, ?1, 0, 0, 0, 0, 0, ?2)`;

const selectDismissedSql = `
  select ${idAtPlaceSql} as id, agents.id as agent_id, dismissed_at, error_group
  from agent_error_rows indexed by agent_error_rows_of_dismissal
  cross join id_keys as agents on agents.key = agent_key
  where dismissal = ?1 order by place desc limit ?2`;

const reopenSql = `
  update agent_error_rows
  set dismissed_at = null, dismiss_reason = null, dismissed_by_kind = null, dismissed_by_id = null, dismissal = null,
    superseded_at = null
  where ${isAtPlaceSql('?1', '?2')} and dismissed_at = ?3 and not ${hasEqualOpenSql}`;

const leaveSql = `update agent_error_rows set dismissal = null where ${isAtPlaceSql('?1', '?2')}`;

const noteReopenedSql = `
  update dismissals
  set reopened_count = reopened_count + ?2, equal_open_count = equal_open_count + ?3, undo_ended_at = ?4,
    state = case when ?4 is null then state else 'undone' end, lease_until = ?5
  where id = ?1`;
