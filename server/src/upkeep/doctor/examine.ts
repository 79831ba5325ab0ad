import type { ResolveAddresses } from '../../errors/alerts/channels/channel-fault-service.ts';
import type { Clock, MonotonicClock } from '../../foundation/clock.ts';
import { readServerUrlFile } from '../../foundation/server-url-file.ts';
import type { Config } from '../../foundation/settings/config.ts';
import { checkAlertChannels } from './check-alert-channels.ts';
import { checkBackups } from './check-backups.ts';
import { checkCoreInstances } from './check-core-instances.ts';
import { checkPostgres } from './check-database-postgres.ts';
import { checkSqlite, type DatabaseDescription } from './check-database-sqlite.ts';
import { checkDataDirectory } from './check-files.ts';
import { checkFleetSecrets } from './check-fleet-secrets.ts';
import { checkKeyPairFiles } from './check-key-pair.ts';
import { checkPort, checkProvider } from './check-network.ts';
import { checkPublicUrl } from './check-public-url.ts';
import type { Finding, Report } from './finding.ts';

interface Examination {
  readonly findings: readonly Finding[];
  readonly database: DatabaseDescription | undefined;
  /** Of the running service; undefined if it does not answer. */
  readonly metrics: string | undefined;
}

const maxClockStepMilliseconds = 500;

/**
 * Examines an installation from its machine. It changes nothing.
 *
 * @param resolve absent: the resolver of the system
 */
export async function examine(
  config: Config,
  clock: Clock,
  monotonic: MonotonicClock,
  resolve?: ResolveAddresses,
): Promise<Examination> {
  const findings: Finding[] = [];
  const reportOf =
    (check: string): Report =>
    (level, message, advice) =>
      findings.push({ check, level, message, ...(advice === undefined ? {} : { advice }) });
  const [startedAt, startedOn] = [clock(), monotonic()];
  const { dataDirectory } = config;
  reportOf('settings')('ok', 'The settings are valid.');
  const hasFiles = checkDataDirectory(config, reportOf('files'));
  const database = await checkDatabase(config, hasFiles, clock, reportOf('database'));
  const serverUrl = hasFiles ? readServerUrlFile(dataDirectory) : undefined;
  const metrics = await checkPort(config, serverUrl, reportOf('service'));
  checkKeyPairFiles(config, startedAt, reportOf('TLS'));
  await checkPublicUrl(config, startedAt, reportOf('public URL'));
  await checkProvider(config, reportOf('identity provider'));
  // The keys of their addresses, and of secrets, may be in the data directory.
  if (database !== undefined && hasFiles) {
    await checkAlertChannels(config, resolve, reportOf('alert channels'));
    await checkFleetSecrets(config, reportOf('secrets of fleets'));
  }
  if (database !== undefined) await checkCoreInstances(config, startedAt, reportOf('core instances'));
  await checkBackups(config, database !== undefined, startedAt, reportOf('backups'));
  const step = clock() - startedAt - (monotonic() - startedOn);
  if (Math.abs(step) > maxClockStepMilliseconds) {
    reportOf('clock')(
      'warning',
      `The clock of this machine was set by ${(step / 1_000).toFixed(1)} s while this command ran.`,
      'Let the machine keep its time with NTP (timedatectl); in a virtual machine, look at the time synchronization of its host.',
    );
  }
  return { findings, database, metrics };
}

/** Without the files of an embedded database, nothing can be said of it. */
async function checkDatabase(
  { databaseUrl, dataDirectory }: Config,
  hasFiles: boolean,
  clock: Clock,
  report: Report,
): Promise<DatabaseDescription | undefined> {
  if (databaseUrl !== undefined) return checkPostgres(databaseUrl, clock, report);
  return hasFiles ? checkSqlite(dataDirectory, clock(), report) : undefined;
}
