import { type MuteAgentErrorGroup, muteAgentErrorGroup, unmuteAgentErrorGroup } from '@muster/client';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../service/client.ts';
import { projectKey } from '../../service/query-client.ts';

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
