import { type RawBuilder, sql } from 'kysely';

/**
 * Makes a query on an agent table in PostgreSQL lock its rows in the order of their key until the transaction ends. Statements that lock several of
 * the same rows then cannot deadlock.
 *
 * @param rows a query that returns `agent_id` and `id`.
 */
export function inLockOrder(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${rows} order by agent_id, id for update`;
}
