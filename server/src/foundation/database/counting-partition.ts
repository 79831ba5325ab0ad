import { type RawBuilder, sql } from 'kysely';
import { arrayLiteral } from './postgres/array-literal.ts';

/**
 * On PostgreSQL, the changes that wait to be counted are divided by their project, so that several replicas count at once and no project waits for
 * another. Everything of a project is in one partition.
 */
export const countingPartitions = 16;

/** The last digit of the id of the project, as the columns `part` have it. */
export function countingPartitionOf(projectID: string): number {
  return Number.parseInt(projectID.slice(-1), countingPartitions);
}

/** As a condition for one or several of them. */
export function oneOfPartitions(partitions: readonly number[]): RawBuilder<unknown> {
  return sql`any(${arrayLiteral(partitions)}::smallint[])`;
}

type Queue = 'agent_error_changes' | 'agent_changes' | 'event_changes';

/**
 * Whether something waits in the queue, for a partition of `counting_partitions`. `exists` would read all that waits in the others for each partition in which nothing
 * does: PostgreSQL expects to find a row soon, because it takes the partitions for equally full.
 */
export function hasWaitingSql(queue: Queue): string {
  return `(select queue.key from ${queue} as queue where queue.part = counting_partitions.part order by queue.key limit 1) is not null`;
}

/**
 * The rows of a queue with the lowest keys, at most `limit` of each partition, as `waiting`. If one condition named several partitions, everything that
 * waits in them would be read and sorted. One alone needs no join, with which a portion of a storm took a sixth more.
 *
 * @param floorOf the key of a partition below which nothing waits
 */
export function waitingIn(
  queue: Queue,
  partitions: readonly number[],
  limit: number,
  floorOf: (partition: number) => number = () => 0,
): RawBuilder<unknown> {
  const [first = 0] = partitions;
  const rowsOf = (part: RawBuilder<unknown>, floor: RawBuilder<unknown>) => sql`(
    select ctid as place, * from ${sql.table(queue)} as queue
    where queue.part = ${part} and queue.key > ${floor} order by key limit ${limit}
  ) as waiting`;
  if (partitions.length === 1) return rowsOf(sql`${first}`, sql`${floorOf(first)}::bigint`);
  return sql`unnest(${arrayLiteral(partitions)}::smallint[], ${arrayLiteral(partitions.map(floorOf))}::bigint[]) as due (part, floor)
    cross join lateral ${rowsOf(sql`due.part`, sql`due.floor`)}`;
}
