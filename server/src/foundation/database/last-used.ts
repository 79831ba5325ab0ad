import { WriteBehind } from '../write-behind.ts';
import type { Database } from './database.ts';
import { isDatabaseFailure } from './database-failures.ts';
import { type RowsStatement, writeRows } from './write-rows.ts';

type CredentialTable = 'project_tokens' | 'access_tokens' | 'sessions' | 'earlier_secrets';

const intervalMilliseconds = 5_000;

/** When credentials were last used, written behind. The key is the id, or the digest of a value from before a rotation. */
export class LastUsed extends WriteBehind<number> {
  constructor(database: Database, table: CredentialTable, onFailure: (error: unknown) => void) {
    super({
      merge: Math.max,
      write: (usedAt) => writeLastUsed(database, table, usedAt),
      onFailure,
      isOutage: isDatabaseFailure,
      intervalMilliseconds,
    });
  }
}

const statements: Readonly<Record<CredentialTable, RowsStatement>> = {
  project_tokens: statement('project_tokens'),
  access_tokens: statement('access_tokens'),
  sessions: statement('sessions'),
  earlier_secrets: statement('earlier_secrets', 'digest', 'text'),
};

/** Records when each of many credentials was last used. An earlier time than the recorded one changes nothing. */
export async function writeLastUsed(
  database: Database,
  table: CredentialTable,
  usedAt: ReadonlyMap<string, number>,
): Promise<void> {
  await writeRows(database, statements[table], [...usedAt]);
}

function statement(table: CredentialTable, key = 'id', type = 'uuid'): RowsStatement {
  return {
    sqlite: `update ${table} set last_used_at = max(coalesce(last_used_at, ?2), ?2) where ${key} = ?1`,
    // Locked in the order of the key, so that replicas that update the same rows cannot deadlock.
    postgres: `
      with input as materialized (
        select * from unnest($1::${type}[], $2::bigint[]) as t (${key}, used_at)
      ), locked as materialized (
        select ${table}.${key}, input.used_at
        from ${table} join input using (${key})
        order by ${table}.${key}
        for no key update of ${table}
      )
      update ${table}
      set last_used_at = greatest(last_used_at, locked.used_at)
      from locked
      where ${table}.${key} = locked.${key}`,
  };
}
