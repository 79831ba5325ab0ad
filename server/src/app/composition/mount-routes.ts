import type { Me } from '@muster/contract';
import type { BodyValidators } from '@muster/http/requests/validate-body';
import type { FastifyInstance } from 'fastify';
import { mountCoreInstanceRoutes } from '../../core-instances/core-instance-routes.ts';
import { mountAgentErrorRoutes } from '../../errors/agent-error-routes.ts';
import { mountAlertChannelRoutes } from '../../errors/alerts/channels/channel-routes.ts';
import { mountAlertDeliveryRoutes } from '../../errors/alerts/outbox/delivery-routes.ts';
import { mountRulePreviewRoutes } from '../../errors/alerts/preview/rule-preview-routes.ts';
import { RulePreviewService } from '../../errors/alerts/preview/rule-preview-service.ts';
import { mountAlertRuleRoutes } from '../../errors/alerts/rules/rule-routes.ts';
import { mountConfigChangesRoutes } from '../../errors/config-changes/config-changes-routes.ts';
import { ConfigChangesService } from '../../errors/config-changes/config-changes-service.ts';
import { mountDismissalRoutes } from '../../errors/dismissals/dismissal-routes.ts';
import { mountErrorGroupRoutes } from '../../errors/groups/error-group-routes.ts';
import { mountReportRoutes } from '../../errors/reporting/report-routes.ts';
import { mountAgentRoutes } from '../../fleet/agents/agent-routes.ts';
import { mountConfigDiffRoutes } from '../../fleet/agents/config-diff/config-diff-routes.ts';
import { ConfigDiffService } from '../../fleet/agents/config-diff/config-diff-service.ts';
import { mountAgentDeletionRoutes } from '../../fleet/agents/deletion/agent-deletion-routes.ts';
import { mountHeartbeatRoutes } from '../../fleet/agents/liveness/heartbeat-routes.ts';
import { mountFleetRoutes } from '../../fleet/fleets/fleet-routes.ts';
import { mountRolloutRoutes } from '../../fleet/fleets/rollouts/rollout-routes.ts';
import { mountFleetValueRoutes } from '../../fleet/fleets/values/fleet-value-routes.ts';
import { mountProjectHistoryRoutes } from '../../fleet/project-history/project-history-routes.ts';
import { ProjectHistoryService } from '../../fleet/project-history/project-history-service.ts';
import { mountProjectRoutes } from '../../fleet/projects/project-routes.ts';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import { mountSummaryRoutes } from '../../fleet/summary/summary-routes.ts';
import { SummaryService } from '../../fleet/summary/summary-service.ts';
import { isDatabaseFailure } from '../../foundation/database/database-failures.ts';
import type { Admitter } from '../../foundation/http/authentication/admitter.ts';
import type { RouteMounter } from '../../foundation/http/mount-route.ts';
import { mountDashboardRoutes } from '../../pages/dashboard-routes.ts';
import { mountInvitationRoutes } from '../../pages/invitation-routes.ts';
import { mountPages } from '../../pages/page-routes.ts';
import { mountProviderSignInRoutes } from '../../pages/provider-sign-in-routes.ts';
import { mountSignInRoutes } from '../../pages/sign-in-routes.ts';
import { createProject } from '../../people/create-project.ts';
import { mountLeakRoutes } from '../../people/leaks/leak-routes.ts';
import { InvitationService } from '../../people/members/invitation-service.ts';
import { mountMemberRoutes } from '../../people/members/member-routes.ts';
import { MemberService } from '../../people/members/member-service.ts';
import { mountProvisioningRoutes } from '../../people/provisioning/provisioning-routes.ts';
import type { ProvisioningService } from '../../people/provisioning/provisioning-service.ts';
import { CreatedTokenService } from '../../people/tokens/created-token-service.ts';
import { mountTokenRoutes } from '../../people/tokens/token-routes.ts';
import type { TokenService } from '../../people/tokens/token-service.ts';
import { mountSessionRoutes } from '../../people/users/sessions/session-routes.ts';
import { mountUserRoutes } from '../../people/users/user-routes.ts';
import { mountAuditLogRoutes } from '../../record/audit-log/audit-log-routes.ts';
import type { AuditLogService } from '../../record/audit-log/audit-log-service.ts';
import { mountEventRoutes } from '../../record/events/event-routes.ts';
import type { EventService } from '../../record/events/event-service.ts';
import { mountMoveRoutes } from '../../upkeep/moves/move-routes.ts';
import type { RetentionService } from '../../upkeep/retention/retention-service.ts';
import type { AppParts } from './app-parts.ts';
import type { Alerts } from './create-alerts.ts';
import type { CoreInstances } from './create-core-instances.ts';
import type { Errors } from './create-errors.ts';
import type { Fleet } from './create-fleet.ts';
import type { Fleets } from './create-fleets.ts';
import type { Leaks } from './create-leaks.ts';
import type { Moves } from './create-moves.ts';
import type { People } from './create-people.ts';

interface Served {
  readonly people: People;
  readonly projects: ProjectService;
  readonly tokens: TokenService;
  readonly fleet: Fleet;
  readonly fleets: Fleets;
  readonly errors: Errors;
  readonly events: EventService;
  readonly alerts: Alerts;
  readonly retention: RetentionService;
  readonly http: FastifyInstance;
  readonly admitter: Admitter;
  readonly validators: BodyValidators;
  readonly dashboardDirectory: string | undefined;
  readonly leaks: Leaks;
  readonly coreInstances: CoreInstances;
  readonly auditLog: AuditLogService;
  readonly provisioning: ProvisioningService;
  readonly moves: Moves;
  /** Undefined: the service makes none. */
  readonly readBackups: () => Me['backups'];
}

/** Mounts every route but those of the service itself, and the pages for people; creates what only they ask. */
export function mountRoutes(
  mounter: RouteMounter,
  parts: AppParts,
  {
    people,
    projects,
    tokens,
    fleet,
    fleets,
    errors,
    events,
    alerts,
    retention,
    leaks,
    coreInstances,
    provisioning,
    auditLog,
    moves,
    readBackups,
    ...pages
  }: Served,
): void {
  const { audit, config, database, clock } = parts;
  const { accessTokens, users } = people;
  const { agents, deletion, heartbeats, registrations, silence, usage } = fleet;
  const { actors, agentErrors, dismissals, counter, errorGroups, reports, searches } = errors;
  mountTokenRoutes(mounter, tokens, clock);
  mountLeakRoutes(mounter, leaks.leaks, leaks.reporters);
  mountReportRoutes(mounter, { ...parts, ...pages, agents, reports, registrations });
  mountAgentErrorRoutes(mounter, agentErrors, actors);
  mountDismissalRoutes(mounter, dismissals, actors);
  mountErrorGroupRoutes(mounter, { errorGroups, agentErrors, clock, actors });
  mountAgentRoutes(mounter, agents, registrations);
  mountAgentDeletionRoutes(mounter, deletion);
  mountConfigDiffRoutes(mounter, new ConfigDiffService({ database, agents }));
  mountConfigChangesRoutes(mounter, new ConfigChangesService({ ...parts, agents, counter }));
  mountHeartbeatRoutes(mounter, heartbeats, agents);
  mountFleetRoutes(mounter, fleets);
  mountRolloutRoutes(mounter, fleets.rollouts, fleets.freezes);
  mountFleetValueRoutes(mounter, fleets.values);
  mountCoreInstanceRoutes(mounter, { ...coreInstances, ...pages, clock });
  mountEventRoutes(mounter, events);
  mountAlertChannelRoutes(mounter, alerts.channels);
  mountAlertDeliveryRoutes(mounter, alerts.deliveries);
  mountAlertRuleRoutes(mounter, alerts.rules);
  const previews = new RulePreviewService({
    ...parts,
    rules: alerts.rules,
    searches,
    async countChanges(projectID) {
      await silence.look();
      await counter.catchUp(projectID);
    },
  });
  mountRulePreviewRoutes(mounter, previews);
  mountAuditLogRoutes(mounter, auditLog);
  mountMoveRoutes(mounter, moves);
  mountProjectRoutes(mounter, {
    projects,
    usage,
    create: (creator, name) => createProject({ database, projects, tokens, audit }, name, creator),
    onDeleted(projectID) {
      tokens.forgetProject(projectID);
      agents.forgetProject(projectID);
      coreInstances.credentials.forgetProject(projectID);
      fleets.forgetAll();
      parts.metrics.reports.forget(projectID);
      void retention.run();
    },
  });
  const summaries = new SummaryService({
    ...parts,
    projects,
    coreInstances: coreInstances.coreInstances,
    async noteSilentAgents() {
      // What fails for one site is reported by the background, and is no failure of this summary.
      await coreInstances.watch.look().catch(() => undefined);
      return silence.look();
    },
    counter,
  });
  mountSummaryRoutes(mounter, summaries);
  mountProjectHistoryRoutes(mounter, new ProjectHistoryService({ ...parts, projects, searches, counter }));
  mountSessionRoutes(mounter, { ...people, publicUrl: config.publicUrl });
  const members = new MemberService({
    ...parts,
    projects,
    users,
    tokens,
    createdTokens: new CreatedTokenService({ ...parts, rotations: people.rotations }),
  });
  const hasIdentityProvider = config.oidc !== undefined;
  const invitations = new InvitationService({ ...parts, projects, users, members, hasIdentityProvider });
  mountPages(pages.http, isDatabaseFailure, (scope) => {
    const { providerSignIn } = people;
    const provider = providerSignIn && config.oidc && new URL(config.oidc.issuer).host;
    const signIn = { ...pages, ...people, provider, now: clock };
    mountSignInRoutes(scope, signIn);
    if (providerSignIn !== undefined) mountProviderSignInRoutes(scope, { ...signIn, providerSignIn });
    mountInvitationRoutes(scope, { ...signIn, invitations });
    mountDashboardRoutes(scope, { ...pages, ...parts, directory: pages.dashboardDirectory });
  });
  mountUserRoutes(mounter, users, accessTokens, agents, readBackups);
  mountMemberRoutes(mounter, members, invitations, actors, pages.admitter);
  mountProvisioningRoutes(mounter, provisioning);
}
