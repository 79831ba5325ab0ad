import { resolve } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { announcement } from './announce.ts';
import { type App, buildApp } from './build-app.ts';
import { systemClock, systemMonotonicClock } from './clock.ts';
import type { Config } from './config.ts';
import { refuseUnfinishedCopy } from './database/copy/refuse-unfinished-copy.ts';
import { type MigrationProgress, migrate, pendingMigrations } from './database/migrate.ts';
import { eachTenth } from './database/migration-steps.ts';
import { openDatabase } from './database/open-database.ts';
import { requireFreePort } from './http/require-free-port.ts';
import { keepHeapSmall } from './keep-heap-small.ts';
import { systemRandomBytes } from './secret.ts';
import { writeServerUrlFile } from './server-url-file.ts';
import { version } from './version.ts';
import { writeSecretFile } from './write-secret-file.ts';

export { copyInstallation } from './database/copy/copy-installation.ts';

/**
 * A fleet that comes back connects at once. What finds no place in the queue of the system tries again after seconds;
 * the system may have a lower limit of its own (net.core.somaxconn).
 */
const maxUnacceptedConnections = 16_384;
/** After this long a stop no longer waits for requests under way. */
const maxDrainMilliseconds = 9_000;
/** What is written last, an answer or a line of the log, needs a moment to get out. */
const lastAnswersMilliseconds = 300;

/**
 * Brings the database up to date, listens, and says so; ends with SIGTERM or SIGINT.
 *
 * @param command what a person types to run the `muster` command, quoted for a shell
 */
export async function serve(given: Config, { command }: { readonly command: string }): Promise<void> {
  keepHeapSmall();
  const config = { ...given, dataDirectory: resolve(given.dataDirectory) };
  const logger = createLogger(config.logLevel);
  await requireFreePort(config.host, config.port);
  const database = await openDatabase({
    ...config,
    onConnectionError: (error) => logger.warn({ err: error }, 'a connection to the database broke'),
    onNotice: (notice) => logger.warn(notice),
    onFatal(error) {
      // Nothing can be stored any more; a new process starts from what is on the disk.
      logger.fatal(
        { err: error },
        'the embedded database has failed; what waits for it gets 503, then the service ends',
      );
      setTimeout(() => process.exit(1), lastAnswersMilliseconds);
    },
  });
  let app: App | undefined;
  try {
    await refuseUnfinishedCopy(database);
    await migrate(database, {
      onProgress: eachTenth((progress) =>
        logger.info(progress, 'the database is rewritten once; after a stop, the next start goes on with it'),
      ),
    });
    app = await buildApp({
      config,
      database,
      logger,
      clock: systemClock,
      monotonic: systemMonotonicClock,
      randomBytes: systemRandomBytes,
      version,
    });
    const address = await app.http.listen({
      host: config.host,
      port: config.port,
      backlog: maxUnacceptedConnections,
    });
    const removeServerUrlFile = writeServerUrlFile(config.dataDirectory, address);
    // Before anybody is told that it runs, and stops it.
    stopOnSignals(app, logger, removeServerUrlFile);
    const projectTokenFile = keepProjectToken(app, config);
    process.stdout.write(
      announcement(app, config, { url: config.publicUrl ?? address, command, projectTokenFile }),
    );
  } catch (error) {
    // What stays open would keep the process, and its lock, although it serves nothing.
    await (app ?? database).close();
    throw error;
  }
}

/**
 * Where nobody reads the output on a terminal, it is likely to be kept by what runs the service: then the first project
 * token goes to a file beside the administrator's. Undefined: it is to be shown, or there is none.
 */
function keepProjectToken({ firstStart }: App, { dataDirectory }: Config): string | undefined {
  const isShown = process.stdout.isTTY === true;
  if (isShown || firstStart?.adminTokenFile === undefined) return undefined;
  return writeSecretFile(dataDirectory, 'project-token', firstStart.projectToken);
}

/** Runs the migrations that are pending, or only names them; answers their names. */
export async function runMigrations(
  given: Config,
  options: { readonly check: boolean; readonly onProgress?: (progress: MigrationProgress) => void },
): Promise<readonly string[]> {
  const database = await openDatabase({
    ...given,
    dataDirectory: resolve(given.dataDirectory),
    onConnectionError: () => undefined,
  });
  try {
    if (options.check) return await pendingMigrations(database);
    const { onProgress = () => undefined } = options;
    return await migrate(database, { onProgress: eachTenth(onProgress) });
  } finally {
    await database.close();
  }
}

/** Logs go to stderr, so that stdout holds the announcement alone: lines for people, JSON for machines. */
function createLogger(level: string): FastifyBaseLogger {
  const stream = process.stderr.isTTY
    ? pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' })
    : pino.destination({ dest: 2, sync: false });
  return pino({ level }, stream);
}

function stopOnSignals(app: App, logger: FastifyBaseLogger, onStop: () => void): void {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'stopping: requests under way are answered first');
    setTimeout(() => {
      logger.error('requests under way, or the disk, took too long; stopping without them');
      // Not `process.exit`: it waits for the database's thread, which a disk that hangs does not let go.
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), lastAnswersMilliseconds);
    }, maxDrainMilliseconds).unref();
    onStop();
    app.stopAccepting();
    app.close().then(
      () => {
        logger.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        logger.error({ err: error }, 'stopped with a fault');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
