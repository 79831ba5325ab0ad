import type { Actor, AgentError } from '@muster/contract';
import { toNullableTimestamp, toTimestamp } from '../clock.ts';
import type { AgentErrorRow } from './agent-error-store.ts';

export function toAgentError(row: AgentErrorRow): AgentError {
  return {
    id: row.id,
    agentID: row.agent_id,
    error: row.error,
    dismissedAt: toNullableTimestamp(row.dismissed_at),
    dismissReason: row.dismiss_reason,
    createdAt: toTimestamp(row.created_at),
    dismissedBy:
      row.dismissed_by_kind === null
        ? null
        : { kind: row.dismissed_by_kind as Actor['kind'], id: row.dismissed_by_id }, // written by the service alone
    occurrences: row.occurrences,
    lastSeenAt: toTimestamp(row.last_seen_at),
    configID: row.config_id,
    current: row.epoch === row.agent_epoch,
    groupID: row.group_id,
  };
}
