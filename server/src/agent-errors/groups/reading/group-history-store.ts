import { sql } from 'kysely';
import { minIDAt } from '../../../clock.ts';
import type { Engine } from '../../../database/migrations/column-types.ts';
import type { SearchTurn } from '../../../database/searches.ts';
import { bucketMilliseconds, bucketStarts, type HistoryRange } from '../../../history-range.ts';
import { errorRowsOf } from '../../rows/error-rows-of.ts';

interface GroupHistoryRange extends HistoryRange {
  readonly groupID: string;
}

export interface HistoryRow {
  /** Milliseconds. */
  readonly startsAt: number;
  readonly errors: number;
  readonly agents: number;
}

/** A history is read in up to this many portions, so that other searches have their turn in between. */
const maxPortions = 20;

/** All buckets of the range, oldest first; those in which nothing was created have zeros. */
export async function countHistory(
  { db, goOn }: SearchTurn,
  engine: Engine,
  range: GroupHistoryRange,
): Promise<HistoryRow[]> {
  const rows = errorRowsOf(engine);
  const length = bucketMilliseconds[range.bucket];
  const count = Math.ceil((range.until - range.since) / length);
  const counted = new Map<number, HistoryRow>();
  const step = Math.ceil(count / maxPortions) * length;
  for (let since = range.since; since < range.until; since += step) {
    goOn();
    const until = Math.min(range.until, since + step);
    const errors = rows.source(
      { of: 'groups', ids: [range.groupID] },
      { from: minIDAt(since), before: minIDAt(until) },
    );
    const found = await sql<HistoryRow>`
      select ${rows.createdAt} / ${sql.lit(length)} * ${sql.lit(length)} as "startsAt", count(*) as errors,
        count(distinct ${rows.agent}) as agents
      from ${errors} group by 1`.execute(db);
    for (const row of found.rows) counted.set(row.startsAt, row);
  }
  return bucketStarts(range).map((startsAt) => counted.get(startsAt) ?? { startsAt, errors: 0, agents: 0 });
}
