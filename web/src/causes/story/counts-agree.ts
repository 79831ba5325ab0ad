import type { AgentErrorGroup, AgentErrorGroupOrigin } from '@muster/client';

/** By which two answers may differ while agents go on reporting. */
const maxShare = 0.05;

/** False: one of both was read before many agents got the cause, or lost it, so that sentences from both would contradict each other. */
export function countsAgree(
  { affectedCount }: Pick<AgentErrorGroupOrigin, 'affectedCount'>,
  { agentsCount }: Pick<AgentErrorGroup, 'agentsCount'>,
): boolean {
  return Math.abs(affectedCount - agentsCount) <= maxShare * Math.max(affectedCount, agentsCount);
}
