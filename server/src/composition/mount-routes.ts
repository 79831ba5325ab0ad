import type { BodyValidators } from '@muster/http/requests/validate-body';
import type { FastifyInstance } from 'fastify';
import { ActorNameService } from '../actors/actor-name-service.ts';
import { mountAgentErrorRoutes } from '../agent-errors/agent-error-routes.ts';
import { mountConfigChangesRoutes } from '../agent-errors/config-changes/config-changes-routes.ts';
import { ConfigChangesService } from '../agent-errors/config-changes/config-changes-service.ts';
import { mountDismissalRoutes } from '../agent-errors/dismissals/dismissal-routes.ts';
import { mountErrorGroupRoutes } from '../agent-errors/groups/reading/error-group-routes.ts';
import { mountReportRoutes } from '../agent-errors/report-routes.ts';
import { mountAgentRoutes } from '../agents/agent-routes.ts';
import { mountConfigDiffRoutes } from '../agents/config-diff/config-diff-routes.ts';
import { ConfigDiffService } from '../agents/config-diff/config-diff-service.ts';
import { mountAgentDeletionRoutes } from '../agents/deletion/agent-deletion-routes.ts';
import { mountHeartbeatRoutes } from '../agents/liveness/heartbeat-routes.ts';
import { mountAlertChannelRoutes } from '../alerts/channels/channel-routes.ts';
import { mountAlertDeliveryRoutes } from '../alerts/outbox/delivery-routes.ts';
import { mountRulePreviewRoutes } from '../alerts/preview/rule-preview-routes.ts';
import { RulePreviewService } from '../alerts/preview/rule-preview-service.ts';
import { mountAlertRuleRoutes } from '../alerts/rules/rule-routes.ts';
import { mountAuditLogRoutes } from '../audit-log/audit-log-routes.ts';
import type { AuditLogService } from '../audit-log/audit-log-service.ts';
import { mountCoreInstanceRoutes } from '../core-instances/core-instance-routes.ts';
import { createProject } from '../create-project.ts';
import { isDatabaseFailure } from '../database/database-failures.ts';
import { mountEventRoutes } from '../events/event-routes.ts';
import type { EventService } from '../events/event-service.ts';
import type { Admitter } from '../http/authentication/admitter.ts';
import type { RouteMounter } from '../http/mount-route.ts';
import { mountLeakRoutes } from '../leaks/leak-routes.ts';
import { InvitationService } from '../members/invitation-service.ts';
import { mountMemberRoutes } from '../members/member-routes.ts';
import { MemberService } from '../members/member-service.ts';
import { mountDashboardRoutes } from '../pages/dashboard-routes.ts';
import { mountInvitationRoutes } from '../pages/invitation-routes.ts';
import { mountPages } from '../pages/page-routes.ts';
import { mountProviderSignInRoutes } from '../pages/provider-sign-in-routes.ts';
import { mountSignInRoutes } from '../pages/sign-in-routes.ts';
import { mountProjectHistoryRoutes } from '../project-history/project-history-routes.ts';
import { ProjectHistoryService } from '../project-history/project-history-service.ts';
import { mountProjectRoutes } from '../projects/project-routes.ts';
import type { ProjectService } from '../projects/project-service.ts';
import { mountProvisioningRoutes } from '../provisioning/provisioning-routes.ts';
import type { ProvisioningService } from '../provisioning/provisioning-service.ts';
import type { RetentionService } from '../retention/retention-service.ts';
import { mountSummaryRoutes } from '../summary/summary-routes.ts';
import { SummaryService } from '../summary/summary-service.ts';
import { CreatedTokenService } from '../tokens/created-token-service.ts';
import { mountTokenRoutes } from '../tokens/token-routes.ts';
import type { TokenService } from '../tokens/token-service.ts';
import { mountSessionRoutes } from '../users/sessions/session-routes.ts';
import { mountUserRoutes } from '../users/user-routes.ts';
import type { AppParts } from './app-parts.ts';
import type { Alerts } from './create-alerts.ts';
import type { CoreInstances } from './create-core-instances.ts';
import type { Errors } from './create-errors.ts';
import type { Fleet } from './create-fleet.ts';
import type { Leaks } from './create-leaks.ts';
import type { People } from './create-people.ts';

interface Served {
  readonly people: People;
  readonly projects: ProjectService;
  readonly tokens: TokenService;
  readonly fleet: Fleet;
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
    errors,
    events,
    alerts,
    retention,
    leaks,
    coreInstances,
    provisioning,
    auditLog,
    ...pages
  }: Served,
): void {
  const { audit, config, database, clock } = parts;
  const { accessTokens, users } = people;
  const { agents, deletion, heartbeats, registrations, silence, usage } = fleet;
  const { agentErrors, dismissals, errorGroups, groups, searches } = errors;
  const actors = new ActorNameService(parts);
  const countChanges = (): Promise<unknown> => errorGroups.catchUp();
  mountTokenRoutes(mounter, tokens, clock);
  mountLeakRoutes(mounter, leaks.leaks, leaks.reporters);
  mountReportRoutes(mounter, { ...parts, ...pages, agentErrors, registrations });
  mountAgentErrorRoutes(mounter, agentErrors, actors);
  mountDismissalRoutes(mounter, dismissals, actors);
  mountErrorGroupRoutes(mounter, { errorGroups: groups, agentErrors, clock, actors });
  mountAgentRoutes(mounter, agents, registrations);
  mountAgentDeletionRoutes(mounter, deletion);
  mountConfigDiffRoutes(mounter, new ConfigDiffService({ database, agents }));
  mountConfigChangesRoutes(mounter, new ConfigChangesService({ database, agents, folder: errorGroups }));
  mountHeartbeatRoutes(mounter, heartbeats);
  mountCoreInstanceRoutes(mounter, { ...coreInstances, ...pages, clock });
  mountEventRoutes(mounter, events);
  mountAlertChannelRoutes(mounter, alerts.channels);
  mountAlertDeliveryRoutes(mounter, alerts.deliveries);
  mountAlertRuleRoutes(mounter, alerts.rules);
  const previews = new RulePreviewService({
    ...parts,
    rules: alerts.rules,
    searches,
    async countChanges() {
      await silence.look();
      await errorGroups.catchUp();
    },
  });
  mountRulePreviewRoutes(mounter, previews);
  mountAuditLogRoutes(mounter, auditLog);
  mountProjectRoutes(mounter, {
    projects,
    usage,
    create: (creator, name) => createProject({ database, projects, tokens, audit }, name, creator),
    onDeleted(projectID) {
      tokens.forgetProject(projectID);
      agents.forgetProject(projectID);
      coreInstances.credentials.forgetProject(projectID);
      parts.metrics.reports.forget(projectID);
      void retention.run();
    },
  });
  const summaries = new SummaryService({
    ...parts,
    projects,
    coreInstances: coreInstances.coreInstances,
    async noteSilentAgents() {
      await coreInstances.watch.look();
      return silence.look();
    },
    countChanges: () => errorGroups.catchUp(),
  });
  mountSummaryRoutes(mounter, summaries);
  mountProjectHistoryRoutes(
    mounter,
    new ProjectHistoryService({ ...parts, projects, searches, countChanges }),
  );
  mountSessionRoutes(mounter, { ...people, publicUrl: config.publicUrl });
  const members = new MemberService({
    ...parts,
    projects,
    users,
    tokens,
    createdTokens: new CreatedTokenService(parts),
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
  mountUserRoutes(mounter, users, accessTokens, agents);
  mountMemberRoutes(mounter, members, invitations, actors, pages.admitter);
  mountProvisioningRoutes(mounter, provisioning);
}
