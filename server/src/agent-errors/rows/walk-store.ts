import { sql } from 'kysely';
import { allOf } from '../../database/all-of.ts';
import type { ErrorRows, Range, Sql, Walk } from './error-rows.ts';

interface WalkedErrors {
  readonly range?: Range;
  readonly conditions?: readonly Sql[];
  /** Absent: as `walked` of the rows. */
  readonly columns?: Sql;
}

/** All errors of walks, unsorted, as `fromPage` takes them. */
export function allErrors(rows: ErrorRows, walks: readonly Walk[], walked: WalkedErrors): Sql {
  return unionOf(partsOf(rows, walks).map((walk) => selectAll(rows, walk, walked)));
}

/** The newest errors of walks, the newest first, as `fromPage` takes them. */
export function newestErrors(
  rows: ErrorRows,
  walks: readonly Walk[],
  limit: number,
  walked: WalkedErrors,
): Sql {
  const parts = partsOf(rows, walks);
  const [one, ...others] = parts;
  if (one !== undefined && others.length === 0) return selectNewest(rows, one, limit, walked);
  return sql`${newestOfEach(rows, parts, limit, walked)} order by ${rows.key} desc limit ${limit}`;
}

/** The newest errors of each walk, unsorted, as `fromPage` takes them. */
export function newestOfEach(
  rows: ErrorRows,
  walks: readonly Walk[],
  limit: number,
  walked: WalkedErrors,
): Sql {
  return unionOf(
    partsOf(rows, walks).map(
      (walk) => sql`select * from (${selectNewest(rows, walk, limit, walked)}) as part`,
    ),
  );
}

function partsOf(rows: ErrorRows, walks: readonly Walk[]): readonly Walk[] {
  return walks.flatMap(rows.partsOf);
}

function selectAll(
  rows: ErrorRows,
  walk: Walk,
  { range = {}, conditions = [], columns = rows.walked }: WalkedErrors,
): Sql {
  // Conditions may ask for others.
  const source = rows.source(walk, range, conditions.length === 0 ? columns : rows.walked);
  return sql`select ${columns} from ${allOf(source, conditions)}`;
}

function selectNewest(rows: ErrorRows, walk: Walk, limit: number, walked: WalkedErrors): Sql {
  return sql`${selectAll(rows, walk, walked)} order by ${rows.keyOrder(walk, 'desc')} limit ${limit}`;
}

function unionOf(parts: readonly Sql[]): Sql {
  return sql.join(parts, sql` union all `);
}
