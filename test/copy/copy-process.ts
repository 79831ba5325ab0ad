import { copyInstallation } from '../../server/src/foundation/database/copy/copy-installation.ts';

/** A process for tests to kill: copies in small pages and prints its progress after each. */
const [dataDirectory = '', databaseUrl = ''] = process.argv.slice(2);
await copyInstallation({
  dataDirectory,
  databaseUrl,
  limits: { rows: 20, bytes: 1_000_000 },
  onProgress: (progress) => process.stdout.write(`${JSON.stringify(progress)}\n`),
});
process.stdout.write('"done"\n');
