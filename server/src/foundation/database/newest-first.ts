import { type SelectQueryBuilder, sql } from 'kysely';
import type { Page } from '../list-page.ts';

/** The rows of a page, from the newest to the oldest by their ids, with one more than the page if another page follows. */
export function newestFirst<DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  id: string,
  { before, limit }: Page,
): SelectQueryBuilder<DB, Table, Row> {
  const column = sql.ref<string>(id);
  const following = before === undefined ? query : query.where(column, '<', before);
  return following.orderBy(column, 'desc').limit(limit + 1);
}
