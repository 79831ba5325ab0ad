import type { Agent } from '@muster/client';
import type { StatusTone } from '../parts/status-badge.tsx';

/** All of them, what is worst first. */
export const statusesWorstFirst = ['unhealthy', 'unknown', 'offline', 'stopped', 'healthy'] as const;

export const statusTones: Readonly<Record<Agent['status'], StatusTone>> = {
  healthy: 'good',
  unhealthy: 'bad',
  offline: 'warning',
  stopped: 'quiet',
  unknown: 'unknown',
};
