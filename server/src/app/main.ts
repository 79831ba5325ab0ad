import { resolve } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { systemClock, systemMonotonicClock } from '../foundation/clock.ts';
import { refuseUnfinishedCopy } from '../foundation/database/copy/refuse-unfinished-copy.ts';
import { type MigrateOptions, migrate, pendingMigrations } from '../foundation/database/migrate.ts';
import { openDatabase } from '../foundation/database/open-database.ts';
import { requireFreePort } from '../foundation/http/require-free-port.ts';
import { startTelemetry } from '../foundation/http/telemetry/start-telemetry.ts';
import { KeyPairFiles } from '../foundation/http/tls/key-pair-files.ts';
import { Secret, systemRandomBytes } from '../foundation/secret.ts';
import { writeServerUrlFile } from '../foundation/server-url-file.ts';
import type { Config } from '../foundation/settings/config.ts';
import { writeSecretFile } from '../foundation/write-secret-file.ts';
import { readProvisionFile } from '../people/provisioning/provision-file.ts';
import { signInLinkUrl } from '../people/sign-in-link-url.ts';
import { type App, buildApp } from './build-app.ts';
import { createLogger } from './create-logger.ts';
import { dashboardDirectory } from './dashboard-directory.ts';
import { announcement } from './start/announce.ts';
import { createRunBackup } from './start/run-backup-process.ts';
import { version } from './version.ts';

export { systemMonotonicClock } from '../foundation/clock.ts';
export {
  type BackupOptions,
  backupToDirectory,
  backupToStream,
} from '../foundation/database/backup/create-backup.ts';
export { checkBackup, restoreBackup } from '../foundation/database/backup/restore-backup.ts';
export { copyInstallation } from '../foundation/database/copy/copy-installation.ts';
export { systemRandomBytes } from '../foundation/secret.ts';
export { examine } from '../upkeep/doctor/examine.ts';
export { writeSupportFile } from '../upkeep/doctor/support-file.ts';
export { resetAdministratorToken } from './start/reset-administrator-token.ts';

/**
 * Length of the system's queue of new connections, because a whole fleet can connect at once. Connections that do not fit retry after seconds. The
 * system may have a lower limit (net.core.somaxconn).
 */
const maxUnacceptedConnections = 16_384;
/** Maximum time that a stop waits for requests under way. */
const maxDrainMilliseconds = 9_000;
/** Time for the last answers and log lines to leave the process. */
const lastAnswersMilliseconds = 300;

/**
 * Migrates the database, listens, and announces the address; ends on SIGTERM or SIGINT.
 *
 * @param command the shell command that runs `muster`, quoted
 * @param commandFile the program `muster`
 */
export async function serve(
  given: Config,
  { command, commandFile }: { readonly command: string; readonly commandFile: string },
): Promise<void> {
  const config = { ...given, dataDirectory: resolve(given.dataDirectory) };
  const logger = createLogger({
    level: config.logLevel,
    format: config.logFormat,
    isTerminal: process.stderr.isTTY === true,
  });
  const tls = config.tls && (await KeyPairFiles.open({ ...config.tls, clock: systemClock, logger }));
  const provisionFile =
    config.provisionFile === undefined ? undefined : readProvisionFile(config.provisionFile, process.env);
  await requireFreePort(config.host, config.port);
  const database = await openDatabase({
    ...config,
    onConnectionError: (error) => logger.warn({ err: error }, 'a connection to the database broke'),
    onNotice: (notice) => logger.warn(notice),
    onFatal(error) {
      // Nothing can be stored any more. A new process starts from the data on the disk.
      logger.fatal(
        { err: error },
        'the embedded database has failed; waiting requests get 503, then the service stops',
      );
      setTimeout(() => process.exit(1), lastAnswersMilliseconds);
    },
  });
  let app: App | undefined;
  try {
    await refuseUnfinishedCopy(database);
    await migrate(database, { onNotice: (notice) => logger.warn(notice) });
    app = await buildApp({
      config,
      database,
      logger,
      clock: systemClock,
      monotonic: systemMonotonicClock,
      randomBytes: systemRandomBytes,
      version,
      tls,
      runBackup: createRunBackup(commandFile, config),
      startTelemetry: (registry) => startTelemetry({ env: process.env, logger, registry, version }),
      provisionFile,
      dashboardDirectory: dashboardDirectory(),
    });
    const listening = await app.http.listen({
      host: config.host,
      port: config.port,
      backlog: maxUnacceptedConnections,
      listenTextResolver: (url) => `Server listening at ${withScheme(url, config)}`,
    });
    const address = withScheme(listening, config);
    const removeServerUrlFile = writeServerUrlFile(config.dataDirectory, address);
    // Before the announcement, because a reader of it may stop the service at once.
    stopOnSignals(app, logger, removeServerUrlFile);
    const url = config.publicUrl ?? address;
    process.stdout.write(announcement(app, config, { url, command, ...keepFirstSecrets(app, config, url) }));
  } catch (error) {
    // An open handle would keep the process and its lock, although it serves nothing.
    await (app ?? database).close();
    throw error;
  }
}

/** The framework knows nothing of TLS. */
function withScheme(address: string, { tls }: Config): string {
  return tls === undefined ? address : address.replace('http://', 'https://');
}

/**
 * If stdout is not a terminal, the output is probably kept in a log, so the first project token and the link that signs a browser in are written to
 * files beside the administrator's token. Empty if they are to be shown, or if there are none.
 */
function keepFirstSecrets(
  { firstStart }: App,
  { dataDirectory }: Config,
  url: string,
): { readonly projectTokenFile?: string; readonly signInLinkFile?: string } {
  const isShown = process.stdout.isTTY === true;
  if (isShown || firstStart?.signInLink === undefined) return {};
  const link = new Secret(signInLinkUrl(url, firstStart.signInLink.secret));
  return {
    ...(firstStart.project && {
      projectTokenFile: writeSecretFile(dataDirectory, 'project-token', firstStart.project.token),
    }),
    signInLinkFile: writeSecretFile(dataDirectory, 'sign-in-link', link),
  };
}

/** Runs the pending migrations, or only lists them. Returns their names. */
export async function runMigrations(
  given: Config,
  { check, ...options }: MigrateOptions & { readonly check: boolean },
): Promise<readonly string[]> {
  const database = await openDatabase({
    ...given,
    dataDirectory: resolve(given.dataDirectory),
    onConnectionError: () => undefined,
  });
  try {
    return check ? await pendingMigrations(database) : await migrate(database, options);
  } finally {
    await database.close();
  }
}

function stopOnSignals(app: App, logger: FastifyBaseLogger, onStop: () => void): void {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'stopping: requests under way are being answered first');
    setTimeout(() => {
      logger.error('requests under way or the disk took too long; stopping without waiting for them');
      // Not `process.exit`: it waits for the database's thread, which a hanging disk may block forever.
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
        logger.error({ err: error }, 'stopped with an error');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
