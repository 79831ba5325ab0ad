import { join } from 'node:path';
import { explainFailure } from './explain-failure.ts';
import { loadSqliteDriver } from './load-driver.ts';

/**
 * Claims a data directory for this process until it ends, however it ends.
 *
 * The claim is an exclusive transaction on a database of its own: the kernel drops it with the process, so
 * that nothing is left to clean up after a kill.
 *
 * @throws Error when another process holds it.
 */
export function lockDataDirectory(dataDirectory: string): () => void {
  const { DatabaseSync } = loadSqliteDriver();
  let lock: InstanceType<typeof DatabaseSync> | undefined;
  try {
    lock = new DatabaseSync(join(dataDirectory, 'muster.lock'));
    lock.exec('PRAGMA busy_timeout = 0');
    lock.exec('PRAGMA locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock?.close();
    const message = error instanceof Error ? error.message : String(error);
    if (!/locked|busy/i.test(message)) {
      throw new Error(`${dataDirectory} cannot be locked: ${explainFailure(message)}`);
    }
    throw new Error(
      `${dataDirectory} is in use by another Muster process. Stop that one, choose another MUSTER_DATA_DIR, or run several on PostgreSQL with DATABASE_URL.`,
      { cause: error },
    );
  }
  const held = lock;
  return () => held.close();
}
