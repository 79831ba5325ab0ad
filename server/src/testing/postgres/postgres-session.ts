import pg from 'pg';
import { eventually } from '../eventually.ts';
import { prepareTestDatabase } from '../test-database.ts';

/** A separate session on the PostgreSQL database of an app, which holds locks while the app works. */
export interface PostgresSession {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Resolves when that many statements of other sessions that contain this text wait for a lock. */
  waitForBlocked(text: string, count: number): Promise<void>;
  end(): Promise<void>;
}

export async function openPostgresSession(dataDirectory: string): Promise<PostgresSession> {
  const client = new pg.Client({ connectionString: await prepareTestDatabase(dataDirectory) });
  await client.connect();
  const query: PostgresSession['query'] = async <Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ) => (await client.query<Row>(text, [...values])).rows;
  return {
    query,
    async waitForBlocked(text, count) {
      await eventually(async () => {
        // Within a transaction, the view of other sessions would not change.
        await query('select pg_stat_clear_snapshot()');
        const blocked = await query(
          `select 1 from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0`,
          [text],
        );
        if (blocked.length !== count) {
          throw new Error(`${blocked.length} statements with '${text}' wait for a lock, not ${count}`);
        }
      });
    },
    end: () => client.end(),
  };
}
