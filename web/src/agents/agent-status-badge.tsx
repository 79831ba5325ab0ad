import type { Agent } from '@muster/client';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import { agentsTexts } from '../texts/agents.ts';

const tones: Readonly<Record<Agent['status'], StatusTone>> = {
  healthy: 'good',
  unhealthy: 'bad',
  offline: 'warning',
  stopped: 'quiet',
  unknown: 'unknown',
};

interface AgentStatusBadgeProps extends Pick<Agent, 'status'> {
  /** True: its mark alone is shown, because a text beside it says the same. */
  readonly isAlone?: boolean;
}

export function AgentStatusBadge({ status, isAlone = false }: AgentStatusBadgeProps) {
  return <StatusBadge tone={tones[status]} text={isAlone ? null : agentsTexts.statuses[status]} />;
}
