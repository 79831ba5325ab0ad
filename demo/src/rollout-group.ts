import { createDismissal, getAgentErrorGroup, listAgentErrorGroups } from '@muster/client';
import type { Access } from './access.ts';
import { isRefusal } from './demo-error.ts';

/** Part of the message of the bad rollout, and of no other. */
const q = 'no upstream connections available to';

/** The group of the errors of the bad rollout, or why it cannot be read. */
export type RolloutGroup = { readonly id: string } | { readonly unreadable: string };

export async function findRolloutGroup({ client, projectID }: Access): Promise<RolloutGroup> {
  try {
    const { items } = await listAgentErrorGroups(client, { projectID, last: 1, q }).first();
    return items[0] ?? { unreadable: 'there is none' };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { unreadable: error.message };
  }
}

/**
 * Dismisses the group as its reader would, unless they have: only errors that come back after a dismissal are a regression.
 *
 * @returns how many errors it has dismissed; undefined if the group was dismissed before
 */
export async function dismissUnlessDismissed(
  { client, projectID }: Access,
  groupID: string,
  reason: string,
): Promise<number | undefined> {
  const { dismissedAt } = await getAgentErrorGroup(client, { agentErrorGroupID: groupID });
  if (dismissedAt !== null) return undefined;
  const dismissal = await createDismissal(client, { projectID, body: { reason, filter: { groupID } } });
  return dismissal.errorsCount;
}
