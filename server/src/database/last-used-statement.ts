import type { RowsStatement } from './write-rows.ts';

/** Records when each of many tokens was last used, from rows of id and time. An earlier time than the recorded one changes nothing. */
export function lastUsedStatement(table: 'project_tokens' | 'access_tokens' | 'sessions'): RowsStatement {
  return {
    sqlite: `update ${table} set last_used_at = max(coalesce(last_used_at, ?2), ?2) where id = ?1`,
    // Locked in the order of the key, so that replicas that update the same rows cannot deadlock.
    postgres: `
      with input as materialized (
        select * from unnest($1::uuid[], $2::bigint[]) as t (id, used_at)
      ), locked as materialized (
        select ${table}.id, input.used_at
        from ${table} join input using (id)
        order by ${table}.id
        for no key update of ${table}
      )
      update ${table}
      set last_used_at = greatest(last_used_at, locked.used_at)
      from locked
      where ${table}.id = locked.id`,
  };
}
