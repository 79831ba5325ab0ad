import { join } from 'node:path';
import { attachStrace } from './attach-strace.ts';

/**
 * From now on, every sync of the log by a process fails, whichever commit it belongs to. The service also commits in the background, so a number of
 * the sync that fails would not tell whose commit fails.
 *
 * @returns a function that ends this
 */
export function failSyncs(pid: number, dataDirectory: string): Promise<() => Promise<void>> {
  const calls = '?fsync,?fdatasync';
  const fault = ['-e', `trace=${calls}`, '-e', `inject=${calls}:error=EIO`];
  return attachStrace(pid, ['-o', '/dev/null', ...fault, '-P', join(dataDirectory, 'muster.db-wal')]);
}
