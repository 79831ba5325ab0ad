import type { AgentError } from '@muster/contract';
import { toNullableTimestamp, toTimestamp } from '../foundation/clock.ts';
import type { ActorNameService, ToActor } from '../people/actors/actor-name-service.ts';
import type { AgentErrorRow } from './agent-error-store.ts';

/** The form of errors in the answers of the contract. */
export async function toAgentErrorsOf(
  actors: Pick<ActorNameService, 'read'>,
  rows: readonly AgentErrorRow[],
): Promise<(row: AgentErrorRow) => AgentError> {
  const toActor = await actors.read(
    rows.map((row) => ({ kind: row.dismissed_by_kind, id: row.dismissed_by_id })),
  );
  return (row) => toAgentError(row, toActor);
}

function toAgentError(row: AgentErrorRow, toActor: ToActor): AgentError {
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
        : toActor({ kind: row.dismissed_by_kind, id: row.dismissed_by_id }),
    occurrences: row.occurrences,
    lastSeenAt: toTimestamp(row.last_seen_at),
    configID: row.config_id,
    current: row.epoch === row.agent_epoch,
    groupID: row.group_id,
  };
}
