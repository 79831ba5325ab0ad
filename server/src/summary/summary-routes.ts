import { maxListedVersions, type ProjectSummary, routes } from '@muster/contract';
import { toTimestamp } from '../clock.ts';
import type { RouteMounter } from '../http/mount-route.ts';
import type { Summary, SummaryService } from './summary-service.ts';

export function mountSummaryRoutes(mounter: RouteMounter, summaries: SummaryService): void {
  mounter.mount(routes.getProjectSummary, async ({ principal, params }) =>
    toAnswer(await summaries.summarize(principal, params.projectID)),
  );
}

function toAnswer(summary: Summary): ProjectSummary {
  const { byStatus, byVersion } = summary;
  const agentsCount = Object.values(byStatus).reduce((sum, agents) => sum + agents, 0);
  const listed = byVersion.slice(0, maxListedVersions);
  return {
    countedAt: toTimestamp(summary.countedAt),
    agentsCount,
    agentsByStatus: byStatus,
    agentsByVersion: listed.map(({ type, version, agents }) => ({ type, version, agentsCount: agents })),
    agentsOfOtherVersionsCount: agentsCount - listed.reduce((sum, { agents }) => sum + agents, 0),
    openErrorsByState: { current: summary.currentErrors, superseded: summary.supersededErrors },
    openGroupsCount: summary.openGroups,
    newGroupsCount: { lastHour: summary.newGroupsOfHour, lastDay: summary.newGroupsOfDay },
  };
}
