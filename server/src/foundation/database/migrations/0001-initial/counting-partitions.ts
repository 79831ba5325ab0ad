import { type RawBuilder, sql } from 'kysely';

/**
 * On PostgreSQL, the first column of the key of what waits for the consumer of changes (`counting-partition.ts`): the last digit of the id of the project.
 */
export const partOfProject: RawBuilder<unknown> = sql`part smallint not null
  generated always as ((get_byte(uuid_send(project_id), 15) & 15)::smallint) stored`;

/**
 * One row for each partition, which is locked while its changes are counted.
 *
 * `counted_at`: everything that was committed before is counted. `marked_key`: while more changes wait than a portion takes, the last key that was seen
 * at `marked_at`. `next_at`: in a storm, when they are counted next.
 */
export const countingPartitionTables: readonly RawBuilder<unknown>[] = [
  sql`create table counting_partitions (
    part smallint not null primary key,
    counted_at bigint not null,
    marked_key bigint,
    marked_at bigint not null,
    next_at bigint not null
  ) with (fillfactor = 20)`,
  sql`insert into counting_partitions (part, counted_at, marked_at, next_at) select part, 0, 0, 0 from generate_series(0, 15) as part`,
];
