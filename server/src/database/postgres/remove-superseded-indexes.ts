import { sql } from 'kysely';
import type { PostgresDatabase } from '../database.ts';

/** The migration whose indexes replace these. Versions with this migration do not use them. */
const supersedingMigration = 7;
const superseded = [
  'agent_errors_pkey',
  'agent_errors_open',
  'agent_errors_by_project',
  'agent_errors_by_dismissal',
];

/**
 * Removes the indexes that only an older version uses, once no older version is connected. Its reports would fail
 * without them, because its `on conflict` names one. Until then, each new error is written to the old and new indexes.
 *
 * @returns whether they are removed. They are not while an older version runs, or if other statements use the table
 * for so long that everything would have to wait.
 */
export async function removeSupersededIndexes(database: PostgresDatabase): Promise<boolean> {
  if (!(await hasSuperseded(database.read))) return true;
  if (await isOlderConnected(database.read)) return false;
  try {
    return await database.write.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = '500ms'`.execute(trx);
      await database.takeLock(trx, 'superseded indexes');
      // From here on, other statements wait.
      await sql`lock table agent_errors in access exclusive mode`.execute(trx);
      // Checked again, because another replica may have removed them.
      if (!(await hasSuperseded(trx))) return true;
      if (await isOlderConnected(trx)) return false;
      await sql`alter table agent_errors
        drop constraint if exists agent_errors_pkey,
        add constraint agent_errors_key primary key using index agent_errors_key`.execute(trx);
      for (const name of superseded) await sql`drop index if exists ${sql.table(name)}`.execute(trx);
      return true;
    });
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

type Reader = PostgresDatabase['read'];

async function hasSuperseded(db: Reader): Promise<boolean> {
  const { rows } = await sql`select 1 where to_regclass('agent_errors_open') is not null`.execute(db);
  return rows.length > 0;
}

async function isOlderConnected(db: Reader): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name ~ '^muster( [0-9]+)?$'
      and coalesce(substring(application_name from '[0-9]+')::integer, 0) < ${supersedingMigration}
    limit 1`.execute(db);
  return rows.length > 0;
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03';
}
