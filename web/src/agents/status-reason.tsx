import type { Agent } from '@muster/client';
import { HostileText } from '../parts/hostile-text.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { agentsTexts } from '../texts/agents.ts';

/** Why an agent has its status: its oldest open error, if it has one. For an offline agent, the time is relative as everywhere, which the text of the service cannot be. */
export function StatusReason({
  agent: { status, statusReason, lastSeenAt, openError },
}: {
  readonly agent: Pick<Agent, 'status' | 'statusReason' | 'lastSeenAt' | 'openError'>;
}) {
  if (status === 'unhealthy' && openError !== null)
    return <HostileText text={openError.error} maxLength={300} />;
  if (status !== 'offline') return statusReason;
  return (
    <>
      {agentsTexts.lastHeard} <RelativeTime at={lastSeenAt} />
    </>
  );
}
