import type { Database } from '../database.ts';
import { findUnfinishedCopy } from './copy-progress.ts';

/** @throws Error if the database holds an unfinished `muster copy`, because a part of an installation must not be served. */
export async function refuseUnfinishedCopy(database: Database): Promise<void> {
  if (database.engine === 'sqlite') return;
  const unfinished = await findUnfinishedCopy(database.read);
  if (unfinished === undefined) return;
  throw new Error(
    `The database that DATABASE_URL names holds an unfinished copy of the installation in ${unfinished.dataDirectory}, so that Muster does not start on it. Run 'muster copy --from sqlite:${unfinished.dataDirectory} --to …' again until it says that everything is verified, or name another database.`,
  );
}
