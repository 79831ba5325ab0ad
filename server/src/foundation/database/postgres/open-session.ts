import pg from 'pg';
import { parseDatabaseUrl } from './database-url.ts';
import { explainConnection, type FailedAttempt } from './explain-connection.ts';

const connectTimeoutMilliseconds = 5_000;

/** The database or the user may set limits. The driver sends no limit of 0, and the last name is known since PostgreSQL 17. */
const liftTimeLimits = `
  select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'idle_session_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/**
 * Opens one session without time limits on the first host that answers. The caller ends it.
 *
 * @param name `application_name` of the session
 */
export async function openSession(databaseUrl: string, name: string): Promise<pg.Client> {
  const location = parseDatabaseUrl(databaseUrl);
  const attempts: FailedAttempt[] = [];
  for (const host of location.hosts) {
    const url = new URL(location.urlOfFirst);
    url.hostname = host.host.includes(':') ? `[${host.host}]` : host.host;
    url.port = String(host.port);
    const client = new pg.Client({
      connectionString: url.toString(),
      application_name: name,
      connectionTimeoutMillis: connectTimeoutMilliseconds,
    });
    // A broken connection fails the statement that is under way. Without a listener, it would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(liftTimeLimits);
      if (!location.needsReadWrite || (await takesWrites(client))) return client;
      throw new Error('no host takes writes: this one is a standby');
    } catch (error) {
      await client.end().catch(() => undefined);
      attempts.push({ host, error });
    }
  }
  throw explainConnection(attempts, location, 'DATABASE_URL');
}

async function takesWrites(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select current_setting('transaction_read_only') as read_only");
  return rows[0]?.read_only === 'off';
}
