import type { OpenAgentError } from '@muster/contract';
import { toTimestamp } from '../../foundation/clock.ts';
import type { OpenErrorRow } from './open-error-store.ts';

export function toOpenAgentError(row: OpenErrorRow): OpenAgentError {
  return {
    id: row.id,
    error: row.error,
    groupID: row.group_id,
    createdAt: toTimestamp(row.created_at),
    occurrences: row.occurrences,
    lastSeenAt: toTimestamp(row.last_seen_at),
  };
}
