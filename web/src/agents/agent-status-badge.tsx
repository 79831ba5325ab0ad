import type { Agent } from '@muster/client';
import { StatusBadge, type StatusTone } from '../parts/status-badge.tsx';
import { agentsTexts } from '../texts/agents.ts';

const tones: Readonly<Record<Agent['status'], StatusTone>> = {
  healthy: 'good',
  unhealthy: 'bad',
  offline: 'warning',
  stopped: 'quiet',
  unknown: 'quiet',
};

export function AgentStatusBadge({ status }: Pick<Agent, 'status'>) {
  return <StatusBadge tone={tones[status]} text={agentsTexts.statuses[status]} />;
}
