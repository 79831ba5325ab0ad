import { type Actor, type CoreInstance, maskToken, type ProblemCode, problems } from '@muster/contract';
import { toNullableTimestamp, toTimestamp } from '../foundation/clock.ts';
import { type Hearing, lagSeconds, statusOf } from './core-instance.ts';
import type { CountedCoreInstance } from './core-instance-store.ts';
import { readReceivedMinutes } from './received-minutes.ts';

/** A core instance in the form of the contract. */
export function toCoreInstance(row: CountedCoreInstance, now: number, hearing: Hearing): CoreInstance {
  return {
    id: row.id,
    projectID: row.project_id,
    name: row.name,
    version: row.version,
    tags: JSON.parse(row.tags),
    metadata: JSON.parse(row.metadata),
    token: maskToken('core_instance', row.last_four),
    status: statusOf(row, hearing),
    createdAt: toTimestamp(row.created_at),
    createdBy: {
      kind: row.created_by_kind as Actor['kind'], // written by the service alone
      id: row.created_by_id,
      name: row.created_by_name,
    },
    updatedAt: toTimestamp(row.updated_at),
    lastContactAt: toNullableTimestamp(row.last_contact_at),
    startedAt: toNullableTimestamp(row.started_at),
    agentsCount: row.agents_count,
    spooledCount: row.spooled_count,
    spooledBytes: row.spooled_bytes,
    oldestSpooledAt: toNullableTimestamp(row.oldest_spooled_at),
    lagSeconds: lagSeconds(row.oldest_spooled_at, now),
    lostCount: row.lost_count,
    lastLossAt: toNullableTimestamp(row.last_loss_at),
    refusedCount: row.refused_count,
    lastRefusal: lastRefusalOf(row),
    receivedPerMinute: readReceivedMinutes(row.received_minutes, now),
    clockOffsetMilliseconds: row.clock_offset_ms,
    rotatedAt: toNullableTimestamp(row.rotated_at),
    revokedAt: toNullableTimestamp(row.revoked_at),
  };
}

function lastRefusalOf({ last_refused_at: at, last_refusal_code }: CountedCoreInstance) {
  if (at === null || last_refusal_code === null) return null;
  const code = last_refusal_code as ProblemCode; // written by the service alone
  return { at: toTimestamp(at), code, title: problems[code].title };
}
