import { routes } from '@muster/contract';
import { toTimestamp } from '../../foundation/clock.ts';
import { hangUpSignal } from '../../foundation/http/connections/hang-up-signal.ts';
import type { RouteMounter } from '../../foundation/http/mount-route.ts';
import { readTimeParameter } from '../../foundation/http/requests/read-time-parameter.ts';
import type { ProjectHistoryService } from './project-history-service.ts';

export function mountProjectHistoryRoutes(mounter: RouteMounter, histories: ProjectHistoryService): void {
  mounter.mount(routes.getProjectHistory, async ({ principal, params, query, request, reply }) => {
    const { bucket = 'hour' } = query;
    const since = readTimeParameter('since', query.since);
    const until = readTimeParameter('until', query.until);
    const { rows, configurations, configurationsCount } = await histories.read(
      principal,
      params.projectID,
      { bucket, since, until },
      hangUpSignal(request, reply),
    );
    return {
      bucket,
      buckets: rows.map((row) => ({
        startsAt: toTimestamp(row.startsAt),
        errorsCount: row.errors,
        newGroupsCount: row.newGroups,
        configChangesCount: row.configChanges,
      })),
      configurations: configurations.map(({ agents, firstChangedAt, lastChangedAt, ...first }) => ({
        ...first,
        agentsCount: agents,
        firstChangedAt: toTimestamp(firstChangedAt),
        lastChangedAt: toTimestamp(lastChangedAt),
      })),
      configurationsCount,
    };
  });
}
