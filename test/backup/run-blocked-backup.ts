import { backupToDirectory } from '../../server/src/foundation/database/backup/create-backup.ts';

/** A process for tests to kill: it stops in the middle of a backup, when a part of the database is copied. */
const [dataDirectory = '', directory = ''] = process.argv.slice(2);
await backupToDirectory({
  dataDirectory,
  databaseUrl: undefined,
  directory,
  keep: 1,
  clock: Date.now,
  musterVersion: '1.2.3',
  pace: { pauseFactor: 0, maxLogBytes: 0 },
  onProgress() {
    process.stdout.write('copying\n', () => undefined);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
