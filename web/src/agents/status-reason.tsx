import type { Agent } from '@muster/client';
import { RelativeTime } from '../parts/relative-time.tsx';
import { agentsTexts } from '../texts/agents.ts';

/** Why an agent has its status. For an offline agent, the time is relative as everywhere, which the text of the service cannot be. */
export function StatusReason({
  agent: { status, statusReason, lastSeenAt },
}: {
  readonly agent: Pick<Agent, 'status' | 'statusReason' | 'lastSeenAt'>;
}) {
  if (status !== 'offline') return statusReason;
  return (
    <>
      {agentsTexts.lastHeard} <RelativeTime at={lastSeenAt} />
    </>
  );
}
