import { type RawBuilder, sql } from 'kysely';

/**
 * Makes a query of rows of one agent table, on PostgreSQL, lock them in the order of their key until the transaction ends.
 * Statements that lock several of the same rows then wait for each other in one direction.
 *
 * @param rows a query that answers `agent_id` and `id`.
 */
export function inLockOrder(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${rows} order by agent_id, id for update`;
}
