import { type IDPlace, maxMoved } from '../../foundation/database/id-place.ts';
import type { SqliteValue } from '../../foundation/database/sqlite/sqlite-messages.ts';
import type { SqliteStatements } from '../../foundation/database/sqlite/sqlite-procedure.ts';
import type { CreatedError } from '../groups/counting/created-errors.ts';

export interface NewErrorRow {
  /** The place of its id. */
  readonly wanted: IDPlace;
  readonly agentKey: number;
  readonly projectKey: number;
  readonly epoch: number;
  readonly digest: number;
  readonly configID: Uint8Array | null;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly error: string;
  readonly groupKey: number;
  /** Undefined: the error is open. */
  readonly dismissReason: string | undefined;
}

/** Rows of one statement, largest first: to begin a statement costs as much as to insert a row. */
const rowsOfStatement = [32, 8, 1];

/**
 * The errors that a batch stores. Rows wait until there are enough for a statement: read errors with `reader`, and call
 * `flush` at the end.
 */
export class NewErrorRows {
  readonly #statements: SqliteStatements;
  /** The values of one row after the other. */
  #waiting: SqliteValue[] = [];
  /** Of the open errors of this batch, the sums of agent and digest: those of two different rows are rarely equal. */
  readonly #sums = new Set<number>();
  /** All places behind this one are free. */
  #lastPlace: bigint | undefined;
  /** Places that are taken, without a gap. */
  #run = { from: 0n, end: 0n };
  readonly created: CreatedError[] = [];
  /** Statements that find waiting rows too. */
  readonly reader: SqliteStatements;

  constructor(statements: SqliteStatements) {
    this.#statements = statements;
    const flushed = (): SqliteStatements => {
      this.flush();
      return statements;
    };
    this.reader = {
      get: (sql, ...parameters) => flushed().get(sql, ...parameters),
      all: (sql, ...parameters) => flushed().all(sql, ...parameters),
      run: (sql, ...parameters) => flushed().run(sql, ...parameters),
    };
  }

  /** False if certainly no open error of this batch is of this agent and digest. */
  mayHold(agentKey: number, digest: number): boolean {
    return this.#sums.has(agentKey + digest);
  }

  /** Returns the place of the error: the next free one if another error has its place, because a clock was set back. */
  add(row: NewErrorRow): bigint {
    const { wanted, agentKey, digest, epoch, groupKey, createdAt, dismissReason } = row;
    this.#lastPlace ??= this.#readLastPlace();
    const isBehind = wanted.place > this.#lastPlace;
    let { place } = wanted;
    if (isBehind && dismissReason === undefined) {
      addValues(this.#waiting, row, place);
    } else {
      this.flush();
      place = this.#insertAtFreePlace(row);
    }
    if (place > this.#lastPlace) this.#lastPlace = place;
    const isOpen = dismissReason === undefined;
    if (isOpen) this.#sums.add(agentKey + digest);
    this.created.push({ place, groupKey, agentKey, epoch, isOpen, seenAt: createdAt });
    return place;
  }

  flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (let from = 0; from < waiting.length; ) {
      const left = (waiting.length - from) / valuesOfRow;
      const count = rowsOfStatement.find((size) => size <= left) ?? 1;
      const end = from + count * valuesOfRow;
      if (this.#statements.run(insertRowsSql(count), ...waiting.slice(from, end)) < count) {
        throw new Error('an error has taken the place of another one');
      }
      from = end;
    }
  }

  #readLastPlace(): bigint {
    const last = this.#statements.get(
      'select cast(max(place) as text) as place from agent_error_rows',
    )?.place;
    return typeof last === 'string' ? BigInt(last) : -1n;
  }

  /** A site chooses the times of its errors, so that it can want the same places again and again: the end of a long run is looked up once. */
  #insertAtFreePlace(row: NewErrorRow): bigint {
    const { wanted } = row;
    const isInRun = wanted.place >= this.#run.from && wanted.place < this.#run.end;
    let place = isInRun ? this.#run.end : wanted.place;
    for (let tries = 0; ; tries += 1) {
      const values: SqliteValue[] = [];
      addValues(values, row, place);
      const inserted =
        row.dismissReason === undefined
          ? this.#statements.run(insertRowsSql(1), ...values)
          : this.#statements.run(insertMutedSql, ...values, row.dismissReason);
      if (inserted > 0) {
        this.#run = { from: isInRun ? this.#run.from : wanted.place, end: place + 1n };
        return place;
      }
      place = tries < maxMoved ? place + 1n : this.#endOfRun(place);
    }
  }

  /** The first free place after one that is taken. */
  #endOfRun(taken: bigint): bigint {
    const end = this.#statements.get(endOfRunSql, taken)?.place;
    return typeof end === 'string' ? BigInt(end) : taken + 1n;
  }
}

function addValues(to: SqliteValue[], row: NewErrorRow, place: bigint): void {
  const { wanted, agentKey, projectKey, epoch, digest, configID, createdAt, error, groupKey } = row;
  to.push(place, wanted.rest, agentKey, projectKey, epoch, digest, configID, createdAt, error, groupKey);
}

const valuesOfRow = 10;
const columnsSql =
  'place, id_rest, agent_key, project_key, epoch, digest, config_id, last_seen_at, error, error_group, occurrences';

const insertsSql = new Map(rowsOfStatement.map((count) => [count, makeInsertSql(count)]));

/** `or ignore`, because then SQLite keeps no copies of pages to undo the statement alone. */
function makeInsertSql(count: number): string {
  const rows = Array.from({ length: count }, () => '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)');
  return `insert or ignore into agent_error_rows (${columnsSql}) values ${rows.join(', ')}`;
}

function insertRowsSql(count: number): string {
  return insertsSql.get(count) ?? makeInsertSql(count);
}

const endOfRunSql = `
  select cast(place + 1 as text) as place from agent_error_rows as taken
  where place >= ?1 and not exists (select 1 from agent_error_rows where place = taken.place + 1)
  order by place limit 1`;

const insertMutedSql = `
  insert or ignore into agent_error_rows (
    ${columnsSql}, dismissed_at, dismiss_reason, dismissed_by_kind, is_muted
  ) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1, ?8, ?11, 'system', 1)`;
