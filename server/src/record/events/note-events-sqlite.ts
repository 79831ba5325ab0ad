import type { CountedGroup, NotedPortion } from '../../foundation/counted-portion.ts';
import type { SqliteRow } from '../../foundation/database/sqlite/sqlite-messages.ts';
import type { SqliteStatements } from '../../foundation/database/sqlite/sqlite-procedure.ts';
import { type EventFold, makeEvents, type NewEvent } from './event-batch.ts';
import { maxEventChanges } from './event-changes.ts';

/** Writes the events of a portion of changes, in its transaction. */
export function noteEventsOnSqlite(
  statements: SqliteStatements,
  groups: readonly CountedGroup[],
  now: number,
): NotedPortion {
  const changes = statements.all(selectChangesSql, maxEventChanges);
  const last = changes.at(-1)?.key;
  if (last !== undefined) statements.run('delete from event_changes where key <= ?1', last);
  const { events, folds } = makeEvents({
    changes: changes.map((row) => ({
      project_id: String(row.project_id),
      type: String(row.type),
      data: String(row.data),
    })),
    groups,
    folds: readFolds(statements, groups),
    patterns: readPatterns(statements, groups),
    now,
  });
  insertEvents(statements, events, now);
  for (const fold of folds) {
    statements.run(
      upsertFoldSql,
      fold.group_id,
      fold.project_id,
      fold.written_at,
      fold.waiting,
      fold.newest_id,
    );
  }
  return {
    written: events.length,
    hasMore: changes.length === maxEventChanges,
    isWaiting: statements.get('select 1 from event_folds where waiting > 0 limit 1') !== undefined,
  };
}

function readFolds(statements: SqliteStatements, groups: readonly CountedGroup[]): EventFold[] {
  const ids = JSON.stringify(groups.map(({ groupID }) => groupID));
  return statements.all(selectFoldsSql, ids).map(foldOf);
}

function foldOf(row: SqliteRow): EventFold {
  return {
    group_id: String(row.group_id),
    project_id: String(row.project_id),
    written_at: Number(row.written_at),
    waiting: Number(row.waiting),
    newest_id: typeof row.newest_id === 'string' ? row.newest_id : null,
  };
}

function readPatterns(statements: SqliteStatements, groups: readonly CountedGroup[]): Map<string, string> {
  const patterns = new Map<string, string>();
  for (const { groupID, isNew, hasRegressed } of groups) {
    if (!isNew && !hasRegressed) continue;
    const row = statements.get('select pattern from agent_error_groups where id = ?1', groupID);
    patterns.set(groupID, String(row?.pattern ?? ''));
  }
  return patterns;
}

function insertEvents(statements: SqliteStatements, events: readonly NewEvent[], now: number): void {
  const lastNumbers = new Map<string, number>();
  for (const { projectID, type, data } of events) {
    const before =
      lastNumbers.get(projectID) ?? Number(statements.get(selectSequenceSql, projectID)?.last_sequence ?? 0);
    lastNumbers.set(projectID, before + 1);
    statements.run(insertEventSql, projectID, before + 1, type, data, now);
  }
  for (const [projectID, last] of lastNumbers) statements.run(upsertSequenceSql, projectID, last);
}

const selectChangesSql = 'select key, project_id, type, data from event_changes order by key limit ?1';

const selectFoldsSql = `
  select * from event_folds where waiting > 0
  union all
  select * from event_folds where group_id in (select value from json_each(?1)) and waiting = 0`;

const upsertFoldSql = `
  insert into event_folds (group_id, project_id, written_at, waiting, newest_id) values (?1, ?2, ?3, ?4, ?5)
  on conflict (group_id) do update
  set written_at = excluded.written_at, waiting = excluded.waiting, newest_id = excluded.newest_id`;

const selectSequenceSql = 'select last_sequence from event_sequences where project_id = ?1';

const upsertSequenceSql = `
  insert into event_sequences (project_id, last_sequence, removed_through) values (?1, ?2, 0)
  on conflict (project_id) do update set last_sequence = excluded.last_sequence`;

const insertEventSql = `
  insert into events (project_id, sequence, type, data, created_at) values (?1, ?2, ?3, ?4, ?5)`;
