import type { Agent } from '@muster/client';
import { StatusBadge } from '../parts/status-badge.tsx';
import { agentStatusesTexts } from '../texts/agent-statuses.ts';
import { statusTones } from './status-tones.ts';

interface AgentStatusBadgeProps extends Pick<Agent, 'status'> {
  /** True: its mark alone is shown, because a text beside it says the same. */
  readonly isAlone?: boolean;
}

export function AgentStatusBadge({ status, isAlone = false }: AgentStatusBadgeProps) {
  return <StatusBadge tone={statusTones[status]} text={isAlone ? null : agentStatusesTexts[status]} />;
}
