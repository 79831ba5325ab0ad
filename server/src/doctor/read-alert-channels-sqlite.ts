import { join } from 'node:path';
import { sqliteFileName } from '../database/sqlite/open-sqlite.ts';
import { alertChannelsSql, type StoredChannel } from './alert-channel-row.ts';
import { readSqlite } from './read-sqlite.ts';

/** None if the tables are older than alerts, which another finding says. */
export function readAlertChannelsSqlite(dataDirectory: string): StoredChannel[] {
  return readSqlite(join(dataDirectory, sqliteFileName), (all) => {
    const hasTable = all("select 1 from sqlite_schema where name = 'alert_channels'").length > 0;
    return hasTable ? (all(alertChannelsSql) as unknown as StoredChannel[]) : []; // the columns of the statement
  });
}
