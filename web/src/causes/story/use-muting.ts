import {
  type AgentErrorGroup,
  type MuteAgentErrorGroup,
  muteAgentErrorGroup,
  unmuteAgentErrorGroup,
} from '@muster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../../service/client.ts';
import { projectKey } from '../../service/query-client.ts';
import { causeQuery } from '../cause-queries.ts';

/** Mutes causes and ends that. Every screen of the project is read again after both. */
export function useMuting(projectID: string) {
  const queries = useQueryClient();
  const readAgain = () => queries.invalidateQueries({ queryKey: projectKey(projectID) });
  return {
    async mute(causeIDs: readonly string[], mute: MuteAgentErrorGroup): Promise<void> {
      try {
        for (const agentErrorGroupID of causeIDs)
          await muteAgentErrorGroup(client, { agentErrorGroupID, body: mute });
      } finally {
        await readAgain();
      }
    },
    async unmute(causeIDs: readonly string[]): Promise<void> {
      try {
        for (const agentErrorGroupID of causeIDs) await unmuteAgentErrorGroup(client, { agentErrorGroupID });
      } finally {
        await readAgain();
      }
    },
  };
}

/** On how many agents of the project a cause is, for which it is muted. In a list of a fleet or a site, its number is of those there. */
export function useAgentsNow(projectID: string, cause: AgentErrorGroup | undefined): number | undefined {
  const { data } = useQuery({ ...causeQuery(projectID, cause?.id ?? ''), enabled: cause !== undefined });
  return data?.agentsCount;
}
