import { type ProjectSummary, routes } from '@muster/contract';
import { toTimestamp } from '../../foundation/clock.ts';
import type { RouteMounter } from '../../foundation/http/mount-route.ts';
import type { Summary, SummaryService } from './summary-service.ts';

export function mountSummaryRoutes(mounter: RouteMounter, summaries: SummaryService): void {
  mounter.mount(routes.getProjectSummary, async ({ principal, params }) =>
    toAnswer(await summaries.summarize(principal, params.projectID)),
  );
}

function toAnswer(summary: Summary): ProjectSummary {
  const { agents, versions, newGroups, coreInstances } = summary;
  const { waiting, running, unreachable, maxLagSeconds } = coreInstances;
  const agentsCount = Object.values(agents).reduce((sum, count) => sum + count, 0);
  const listedAgents = versions.reduce((sum, version) => sum + version.agents, 0);
  return {
    countedAt: toTimestamp(summary.countedAt),
    agentsCount,
    agentsByStatus: agents,
    agentsByVersion: versions.map(({ type, version, agents: count }) => ({
      type: type === '' ? null : type,
      version: version === '' ? null : version,
      agentsCount: count,
    })),
    // Of the same moment as those that are listed.
    agentsOfOtherVersionsCount: (versions[0]?.ofAll ?? 0) - listedAgents,
    openErrorsByState: { current: summary.currentErrors, superseded: summary.supersededErrors },
    openGroupsCount: summary.openGroups,
    newGroupsCount: { lastHour: newGroups.ofHour, lastDay: newGroups.ofDay },
    coreInstances: { waiting, running, unreachable, maxLagSeconds },
  };
}
