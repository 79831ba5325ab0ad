import {
  type AgentErrorGroup,
  type MuteAgentErrorGroup,
  muteAgentErrorGroup,
  unmuteAgentErrorGroup,
} from '@muster/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { showUndoable } from '../../parts/toasts.tsx';
import { client } from '../../service/client.ts';
import { projectKey } from '../../service/query-client.ts';
import { causesTexts } from '../../texts/causes.ts';
import { causeQuery } from '../cause-queries.ts';
import type { MuteKind } from './mute-choice.ts';

/** Mutes causes and ends that. Every screen of the project is read again after both. */
export function useMuting(projectID: string) {
  const queries = useQueryClient();
  const readAgain = () => queries.invalidateQueries({ queryKey: projectKey(projectID) });
  /** @param mutedUntil only the mute that ends then. Absent: any */
  const unmute = async (causeIDs: readonly string[], mutedUntil?: string): Promise<void> => {
    try {
      for (const agentErrorGroupID of causeIDs)
        await unmuteAgentErrorGroup(client, { agentErrorGroupID, muted_until: mutedUntil });
    } finally {
      await readAgain();
    }
  };
  return {
    /** Offers to undo what it has done, also if it fails in the middle. */
    async mute(causeIDs: readonly string[], kind: MuteKind, mute: MuteAgentErrorGroup): Promise<void> {
      const muted: string[] = [];
      try {
        for (const agentErrorGroupID of causeIDs) {
          await muteAgentErrorGroup(client, { agentErrorGroupID, body: mute });
          muted.push(agentErrorGroupID);
        }
      } finally {
        await readAgain();
        if (muted.length > 0)
          showUndoable(causesTexts.mutedDone(kind, muted.length), () => unmute(muted, mute.until));
      }
    },
    unmute,
  };
}

/** On how many agents of the project a cause is, for which it is muted. In a list of a fleet or a site, its number is of those there. */
export function useAgentsNow(projectID: string, cause: AgentErrorGroup | undefined): number | undefined {
  const { data } = useQuery({ ...causeQuery(projectID, cause?.id ?? ''), enabled: cause !== undefined });
  return data?.agentsCount;
}
