import type { Me } from '@muster/contract';
import { AgentForgetting } from '../../fleet/agents/forgetting/agent-forgetting.ts';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { toNullableTimestamp } from '../../foundation/clock.ts';
import { readInstallationID } from '../../foundation/database/backup/installation-id.ts';
import { isMoveUnderWay } from '../../foundation/database/moving-projects.ts';
import { collectBackupMetrics } from '../../foundation/http/metrics/backup-metrics.ts';
import type { Config } from '../../foundation/settings/config.ts';
import { deleteEndedInvitations } from '../../people/members/invitation-store.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import { deleteEnded } from '../../people/users/sessions/session-store.ts';
import type { DeniedRequests } from '../../record/audit/denied-requests.ts';
import { AuditLogService } from '../../record/audit-log/audit-log-service.ts';
import type { EventService } from '../../record/events/event-service.ts';
import { BackupService, type RunBackup } from '../../upkeep/backups/backup-service.ts';
import { RetentionService } from '../../upkeep/retention/retention-service.ts';
import type { AppParts } from './app-parts.ts';
import type { Alerts } from './create-alerts.ts';
import type { CoreInstances } from './create-core-instances.ts';
import type { Errors } from './create-errors.ts';
import type { Fleet } from './create-fleet.ts';
import type { Fleets } from './create-fleets.ts';
import type { Leaks } from './create-leaks.ts';
import type { People } from './create-people.ts';

interface UpkeepLinks {
  readonly people: People;
  readonly fleet: Fleet;
  readonly errors: Errors;
  readonly events: EventService;
  readonly tokens: TokenService;
  readonly alerts: Pick<Alerts, 'purge'>;
  readonly leaks: Leaks;
  readonly coreInstances: CoreInstances;
  readonly fleets: Pick<Fleets, 'fleets'>;
  readonly projects: ProjectService;
  readonly denied: Pick<DeniedRequests, 'flushDue'>;
}

/** The backups that the service makes by itself; undefined without MUSTER_BACKUP_DIR. @param runBackup undefined: the service makes none */
export function createBackups(parts: AppParts, runBackup: RunBackup | undefined) {
  const { config, database, logger, metrics } = parts;
  const { backupDirectory: directory } = config;
  if (directory === undefined || runBackup === undefined) return undefined;
  const everyMilliseconds = config.backupEvery.milliseconds;
  const backups = new BackupService({
    ...parts,
    directory,
    everyMilliseconds,
    keep: config.backupKeep,
    readInstallationID: () => readInstallationID(database.read),
    runBackup,
    onDone: (done) =>
      logger.info(
        done,
        'a backup of the database is complete; the settings, secret-key and admin-token are not in it',
      ),
    onFailure: (error) =>
      logger.error({ directory, err: error }, 'a backup failed; the next attempt follows within 10 minutes'),
  });
  collectBackupMetrics(metrics.registry, { everySeconds: everyMilliseconds / 1_000, figures: backups });
  return backups;
}

/** What administrators are told of the backups. */
export function describeBackups(
  { newestAt }: Pick<BackupService, 'newestAt'>,
  every: Config['backupEvery'],
): Me['backups'] {
  return { lastAt: toNullableTimestamp(newestAt ?? null), everySeconds: every.milliseconds / 1_000 };
}

/** The services that remove expired and deleted data. */
export function createUpkeep(
  parts: AppParts,
  {
    people,
    fleet,
    errors,
    events,
    tokens,
    projects,
    denied,
    alerts,
    leaks,
    coreInstances,
    fleets,
  }: UpkeepLinks,
) {
  const { config, database, logger } = parts;
  const { agents, deletion, signs } = fleet;
  const { agentErrors, dismissals, counter } = errors;
  const { rotations } = people;
  const forgetting = new AgentForgetting({
    ...parts,
    signs,
    deletion,
    days: config.forgetAgentsDays,
    onForgotten: (projectID, agentsCount) =>
      logger.info(
        { projectID, agentsCount },
        'deleted agents that were not heard: MUSTER_FORGET_AGENTS_DAYS',
      ),
  });
  const auditLog = new AuditLogService({
    ...parts,
    projects,
    days: config.auditDays,
    async settle() {
      await denied.flushDue();
      await parts.audit.settleDue();
    },
  });
  const retention = new RetentionService({
    ...parts,
    handleLeaks: () => leaks.leaks.wake(),
    forgetAgents: () => forgetting.forget(),
    agentErrors,
    dismissals,
    agents,
    events,
    rotations,
    tokens,
    purgeInvitations: (before) => deleteEndedInvitations(database, parts.closing, before),
    purgeSessions: (before) => deleteEnded(database, parts.closing, before),
    purgeAlerts: () => alerts.purge(),
    async purgeCoreInstances() {
      await coreInstances.coreInstances.purge();
      await coreInstances.siteCredentials.purge();
    },
    purgeFleets: (before) => fleets.fleets.purge(before),
    auditLog,
    isMoveUnderWay: () => isMoveUnderWay(database.read, parts.clock()),
    retentionDays: config.retentionDays,
    dismissSupersededDays: config.dismissSupersededDays,
    errorGroups: counter,
  });

  return { auditLog, forgetting, retention };
}
