import type { Actor } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '../../database/tables.ts';
import type { GroupMute } from './group-mute.ts';

/** A mute as it is stored with its group. */
export interface StoredMute extends GroupMute {
  /** Milliseconds. */
  readonly at: number;
  readonly by: Actor;
}

/**
 * Mutes a group, or replaces its mute. The caller calls `noteCredentialChange` then: reports that arrive after the commit observe the mute, on every
 * replica, because statements that store reports compare the number that it advances. Returns false if there is no such group.
 */
export function muteGroup(
  trx: Kysely<Tables>,
  id: string,
  { until, reason, at, by }: StoredMute,
): Promise<boolean> {
  return updateMute(trx, id, {
    muted_until: until,
    muted_at: at,
    mute_reason: reason,
    muted_by_kind: by.kind,
    muted_by_id: by.id,
  });
}

/** Ends the mute of a group, also if there is none. Returns false if there is no such group. */
export function unmuteGroup(trx: Kysely<Tables>, id: string): Promise<boolean> {
  return updateMute(trx, id, {
    muted_until: null,
    muted_at: null,
    mute_reason: null,
    muted_by_kind: null,
    muted_by_id: null,
  });
}

type MuteColumns = Pick<
  Tables['agent_error_groups'],
  'muted_until' | 'muted_at' | 'mute_reason' | 'muted_by_kind' | 'muted_by_id'
>;

async function updateMute(trx: Kysely<Tables>, id: string, columns: MuteColumns): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('agent_error_groups')
    .set(columns)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
