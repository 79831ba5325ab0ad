import type { SqliteValue } from '../../foundation/database/sqlite/sqlite-messages.ts';
import type { SqliteStatements } from '../../foundation/database/sqlite/sqlite-procedure.ts';

/** A text that an agent reported under its current configuration. */
export interface DigestOfAgent {
  readonly agentKey: number;
  readonly epoch: number;
  readonly digest: number;
}

/** Look-ups of one statement, fewest first: to run a statement costs several times as much as a look-up. */
const sizes = [8, 32];

/**
 * The positions of those whose digest an open error of the agent has. Almost always, that error has the same text. The others are certainly not open.
 */
export function findLikelyRepeats(
  statements: SqliteStatements,
  wanted: readonly (DigestOfAgent | undefined)[],
): ReadonlySet<number> {
  const found = new Set<number>();
  for (let from = 0; from < wanted.length; ) {
    const left = wanted.length - from;
    const size = sizes.find((one) => one >= left) ?? Math.max(...sizes);
    const parameters: SqliteValue[] = [];
    for (let index = from; index < from + size; index += 1) {
      // Nothing equals null.
      const { agentKey = null, epoch = null, digest = null } = wanted[index] ?? {};
      parameters.push(agentKey, epoch, digest);
    }
    for (const { position } of statements.all(selectSql(size), ...parameters))
      found.add(from + Number(position));
    from += size;
  }
  return found;
}

const selectsSql = new Map(sizes.map((size) => [size, makeSelectSql(size)]));

function selectSql(size: number): string {
  return selectsSql.get(size) ?? makeSelectSql(size);
}

/** `cross join` keeps the order of the tables. */
function makeSelectSql(size: number): string {
  const rows = Array.from({ length: size }, (_, position) => `(${position}, ?, ?, ?)`);
  return `
    select wanted.column1 as position
    from (values ${rows.join(', ')}) as wanted
    cross join agent_error_rows as errors indexed by agent_error_rows_open
      on errors.agent_key = wanted.column2 and errors.epoch = wanted.column3 and errors.digest = wanted.column4
      and errors.dismissed_at is null`;
}
