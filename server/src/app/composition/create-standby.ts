import { Standby, type StandbyState } from '../../foundation/database/standby.ts';
import { ConfigError } from '../../foundation/settings/config-error.ts';
import type { AppParts } from './app-parts.ts';

/**
 * Where lists are read; undefined without MUSTER_READ_DATABASE_URL.
 *
 * @throws ConfigError if that is no copy of the database, because nothing of another installation may be shown
 */
export async function createStandby({
  config,
  database,
  clock,
  monotonic,
  logger,
}: Pick<AppParts, 'config' | 'database' | 'clock' | 'monotonic' | 'logger'>): Promise<Standby | undefined> {
  const { readDatabaseUrl: url } = config;
  if (url === undefined || database.engine === 'sqlite') return undefined;
  const standby = new Standby({
    url,
    primary: database,
    clock,
    monotonic,
    onChange(state, error) {
      if (state === 'used') {
        logger.info('lists are read from the standby (MUSTER_READ_DATABASE_URL)');
        return;
      }
      logger.warn(
        { reason: reasons[state], ...(error === undefined ? {} : { err: error }) },
        'lists are read from the primary, because the standby (MUSTER_READ_DATABASE_URL) cannot be used; it is tried again within 30 s',
      );
    },
  });
  const isCopy = await standby.start().catch(async (error: unknown) => {
    await standby.close();
    throw error;
  });
  if (isCopy) return standby;
  await standby.close();
  throw new ConfigError([
    'MUSTER_READ_DATABASE_URL names a database that is no copy of the one that DATABASE_URL names. Name a standby that follows that server by streaming replication, with the same database name, or take the setting out.',
  ]);
}

const reasons: Readonly<Record<Exclude<StandbyState, 'used'>, string>> = {
  behind: 'it is more than 5 s behind: look at its load, and at pg_stat_replication on the primary',
  failed: 'it failed or did not answer',
  no_standby: 'it is no standby, perhaps because it was promoted: name a standby of the present primary',
  diverged:
    'it has what the primary does not have, so it follows another one, perhaps that before a failover',
  of_another: 'it is no copy of this database: name a standby of the present primary',
};
