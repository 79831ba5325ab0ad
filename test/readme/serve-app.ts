import { mkdirSync } from 'node:fs';
import { buildApp } from '../../server/src/app/build-app.ts';
import { createLogger } from '../../server/src/app/create-logger.ts';
import { createRunBackup } from '../../server/src/app/start/run-backup-process.ts';
import { version } from '../../server/src/app/version.ts';
import { systemClock, systemMonotonicClock } from '../../server/src/foundation/clock.ts';
import { migrate } from '../../server/src/foundation/database/migrate.ts';
import { openDatabase } from '../../server/src/foundation/database/open-database.ts';
import { systemRandomBytes } from '../../server/src/foundation/secret.ts';
import { writeServerUrlFile } from '../../server/src/foundation/server-url-file.ts';
import { readConfig } from '../../server/src/foundation/settings/config.ts';
import { writeSecretFile } from '../../server/src/foundation/write-secret-file.ts';
import { schemaCompilers } from '../../server/src/testing/calls/schema-compilers.ts';
import { prepareMigratedDatabase } from '../../server/src/testing/test-database.ts';

/** An address that is served until it is closed. */
interface ServedApp {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The app as `muster serve` starts it with its default settings, apart from those in the environment, but in this process, because a process
 * takes most of a second of the processor to load it.
 */
export async function serveApp(
  dataDirectory: string,
  musterFile: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServedApp> {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const databaseUrl = await prepareMigratedDatabase(dataDirectory);
  const config = { ...readConfig({ env, flags: {} }), dataDirectory, databaseUrl };
  const database = await openDatabase({ ...config, onConnectionError: () => undefined });
  await migrate(database);
  const app = await buildApp({
    config,
    database,
    logger: createLogger({ level: 'fatal', format: 'json', isTerminal: false }),
    clock: systemClock,
    monotonic: systemMonotonicClock,
    randomBytes: systemRandomBytes,
    version,
    schemaCompilers,
    runBackup: createRunBackup(musterFile, config),
  });
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  writeServerUrlFile(dataDirectory, url);
  const token = app.firstStart?.project?.token;
  if (token !== undefined) writeSecretFile(dataDirectory, 'project-token', token);
  return { url, close: () => app.close() };
}
