import type { SqliteRow } from '../../../foundation/database/sqlite/sqlite-messages.ts';
import type { SqliteStatements } from '../../../foundation/database/sqlite/sqlite-procedure.ts';
import { type CreatedError, packCreatedErrors, unpackCreatedErrors } from './created-errors.ts';
import { errorChangeKinds as kinds } from './error-changes.ts';

/** A change of one error, or of an agent. */
export interface QueuedChange {
  readonly kind: number;
  readonly groupKey: number | null;
  readonly agentKey: number;
  readonly epoch: number;
  /** The place of a created error. */
  readonly place: bigint | null;
  readonly opened: number;
  readonly dismissed: number;
  readonly occurrences: number;
  readonly seenAt: number | null;
}

export interface TakenChanges {
  /** In the order of the commits. */
  readonly changes: readonly QueuedChange[];
  /** The key of the last row. */
  readonly last: number;
  readonly hasMore: boolean;
}

/** The number of rows in one read. Each may list all errors of a batch. */
const rowsAtATime = 32;

/** The oldest changes: at least this many, unless there are fewer. The last row is read as a whole. */
export function takeChanges(statements: SqliteStatements, maxChanges: number): TakenChanges {
  const changes: QueuedChange[] = [];
  let last = 0;
  for (;;) {
    const limit = Math.min(rowsAtATime, maxChanges - changes.length);
    const rows = statements.all(selectRowsSql, last, limit);
    for (const row of rows) {
      last = Number(row.key);
      if (row.errors instanceof Uint8Array) changes.push(...unpackCreatedErrors(row.errors).map(changeOf));
      else changes.push(readChange(row));
    }
    if (rows.length < limit) return { changes, last, hasMore: false };
    if (changes.length >= maxChanges) return { changes, last, hasMore: true };
  }
}

/** Appends one row for all errors of a batch, because one row for each error would cost as much as an index. */
export function queueCreatedErrors(statements: SqliteStatements, errors: readonly CreatedError[]): void {
  if (errors.length > 0) statements.run(insertSql, packCreatedErrors(errors));
}

export function removeChanges(statements: SqliteStatements, last: number): void {
  statements.run('delete from agent_error_changes where key <= ?1', last);
}

function changeOf({ place, groupKey, agentKey, epoch, isOpen, seenAt }: CreatedError): QueuedChange {
  const [opened, dismissed] = isOpen ? [1, 0] : [0, 1];
  return { kind: kinds.created, groupKey, agentKey, epoch, place, opened, dismissed, occurrences: 1, seenAt };
}

function readChange(row: SqliteRow): QueuedChange {
  return {
    kind: Number(row.kind),
    groupKey: row.group_key === null ? null : Number(row.group_key),
    agentKey: Number(row.agent_key),
    epoch: Number(row.epoch),
    place: typeof row.created_place === 'string' ? BigInt(row.created_place) : null,
    opened: Number(row.opened),
    dismissed: Number(row.dismissed),
    occurrences: Number(row.occurrences),
    seenAt: row.seen_at === null ? null : Number(row.seen_at),
  };
}

/** A place has more bits than a number of JavaScript can represent. */
const selectRowsSql = `
  select key, kind, group_key, agent_key, epoch, opened, dismissed, occurrences, seen_at, errors,
    case when kind = ${kinds.created} then cast(place as text) end as created_place
  from agent_error_changes where key > ?1 order by key limit ?2`;

const insertSql = `
  insert into agent_error_changes (kind, agent_key, epoch, opened, dismissed, occurrences, errors)
  values (${kinds.createdTogether}, 0, 0, 0, 0, 0, ?1)`;
