import { muteAgentErrorGroup, unmuteAgentErrorGroup } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../service/client.ts';
import { projectKey } from '../../service/query-client.ts';

/** Mutes a cause and ends that. */
export function useMuting(projectID: string, agentErrorGroupID: string) {
  const queries = useQueryClient();
  const readAgain = () => queries.invalidateQueries({ queryKey: projectKey(projectID) });
  return {
    async mute(until: Date, reason: string): Promise<void> {
      await muteAgentErrorGroup(client, { agentErrorGroupID, body: { until: until.toISOString(), reason } });
      await readAgain();
    },
    async unmute(): Promise<void> {
      await unmuteAgentErrorGroup(client, { agentErrorGroupID });
      await readAgain();
    },
  };
}
