import { openSession } from '../database/postgres/open-session.ts';
import { alertChannelsSql, type StoredChannel } from './alert-channel-row.ts';

/** None if the tables are older than alerts, which another finding says. */
export async function readAlertChannelsPostgres(databaseUrl: string): Promise<StoredChannel[]> {
  const session = await openSession(databaseUrl, 'muster doctor');
  try {
    await session.query('set default_transaction_read_only = on');
    const { rows } = await session.query<{ name: string | null }>(
      "select to_regclass('alert_channels')::text as name",
    );
    return rows[0]?.name == null ? [] : (await session.query<StoredChannel>(alertChannelsSql)).rows;
  } finally {
    await session.end();
  }
}
