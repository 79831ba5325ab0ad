import { join } from 'node:path';
import { attachStrace } from './attach-strace.ts';

/**
 * From now on, every read of the database files by a process hangs.
 *
 * @returns a function that ends this; the waiting reads then complete
 */
export function hangReads(pid: number, dataDirectory: string): Promise<() => Promise<void>> {
  const paths = ['muster.db', 'muster.db-wal'].flatMap((name) => ['-P', join(dataDirectory, name)]);
  // Microseconds: longer than any test.
  const delay = ['-e', 'trace=pread64', '-e', 'inject=pread64:delay_enter=600000000'];
  return attachStrace(pid, ['-o', '/dev/null', ...delay, ...paths]);
}
