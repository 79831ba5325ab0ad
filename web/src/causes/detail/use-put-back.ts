import type { AgentErrorGroup } from '@muster/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { agentQuery } from '../../agents/agent-queries.ts';
import { fleetQuery, fleetVersionsQuery } from '../../fleets/fleet-queries.ts';
import { rolloutsOfCauseQuery, rolloutsQuery } from '../../rollouts/rollout-queries.ts';
import { useMay } from '../../session/use-may.ts';
import { useStory } from '../story/use-story.ts';
import { type PutBack, putBackOf } from './put-back-of.ts';

/** The version that its agents had before a version brought the cause. Undefined: none did, or that is not known yet. */
export function usePutBack(projectID: string, cause: AgentErrorGroup): PutBack | undefined {
  const mayRead = useMay(projectID);
  const may = mayRead('read:fleet');
  const { origin, change } = useStory(projectID, cause);
  const { data: stopped } = useQuery({ ...rolloutsOfCauseQuery(projectID, cause.id), enabled: may });
  const { data: agent } = useQuery({
    ...agentQuery(projectID, change?.agentID ?? ''),
    enabled: may && change !== undefined && mayRead('read:agent'),
  });
  const place = agent?.fleet?.id === origin?.fleetID ? agent?.fleet : undefined;
  const fleetID = place?.id ?? '';
  const ofFleet = { enabled: place != null };
  const { data: fleet } = useQuery({ ...fleetQuery(projectID, fleetID), ...ofFleet });
  const { data: rollouts } = useInfiniteQuery({ ...rolloutsQuery(projectID, fleetID), ...ofFleet });
  const { data: versions } = useInfiniteQuery({ ...fleetVersionsQuery(projectID, fleetID), ...ofFleet });
  if (stopped === undefined || (fleet !== undefined && (rollouts === undefined || versions === undefined)))
    return undefined;
  const runs = place?.state === 'applied' && !place.isDrifted ? place.versionID : null;
  return putBackOf({
    stopped,
    change,
    versionID: runs ?? undefined,
    fleet,
    newest: rollouts?.pages[0]?.items[0],
    versions: versions?.pages[0]?.items ?? [],
  });
}
