import type { Actor } from '@muster/contract';
import { type Kysely, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { GroupMute } from './group-mute.ts';

/** A mute as it is stored with its group. */
export interface StoredMute extends GroupMute {
  /** Milliseconds. */
  readonly at: number;
  readonly by: Actor;
  /** True: it also ends with an error of an agent that got another configuration after it began. */
  readonly endsWithConfiguration: boolean;
  /** It also ends when errors were stored for so many agents that had none. Undefined: it does not. */
  readonly moreAgents: number | undefined;
}

/**
 * Mutes a group, or replaces its mute. The caller calls `noteCredentialChange` then: reports that arrive after the commit observe the mute, on every
 * replica, because statements that store reports compare the number that it advances. Returns false if there is no such group.
 */
export function muteGroup(
  trx: Kysely<Tables>,
  id: string,
  { until, reason, at, by, endsWithConfiguration, moreAgents }: StoredMute,
): Promise<boolean> {
  return updateMute(trx, id, {
    muted_until: until,
    muted_at: at,
    mute_reason: reason,
    muted_by_kind: by.kind,
    muted_by_id: by.id,
    mute_ends_with_config: endsWithConfiguration ? 1 : null,
    mute_ends_at_agents: moreAgents === undefined ? null : sql<number>`agents + ${moreAgents}`,
  });
}

/**
 * Ends the mute of a group. Returns false if there is no such group, or it has none.
 *
 * @param mutedAt only the mute that began then
 */
export function unmuteGroup(trx: Kysely<Tables>, id: string, mutedAt?: number): Promise<boolean> {
  const none: MuteColumns = {
    muted_until: null,
    muted_at: null,
    mute_reason: null,
    muted_by_kind: null,
    muted_by_id: null,
    mute_ends_with_config: null,
    mute_ends_at_agents: null,
  };
  const isMeant =
    mutedAt === undefined ? sql<boolean>`muted_at is not null` : sql<boolean>`muted_at = ${mutedAt}`;
  return updateMute(trx, id, none, isMeant);
}

/** The mute of a group, locked until the transaction ends; undefined if there is no such group. */
export async function lockMute(
  trx: Kysely<Tables>,
  engine: Engine,
  id: string,
): Promise<Pick<Selectable<Tables['agent_error_groups']>, 'muted_until' | 'mute_reason'> | undefined> {
  const query = trx
    .selectFrom('agent_error_groups')
    .select(['muted_until', 'mute_reason'])
    .where('id', '=', id);
  // SQLite has one transaction at a time.
  return (engine === 'postgres' ? query.forNoKeyUpdate() : query).executeTakeFirst();
}

type MuteColumns = Pick<
  Updateable<Tables['agent_error_groups']>,
  'muted_until' | 'muted_at' | 'mute_reason' | 'muted_by_kind' | 'muted_by_id' | 'mute_ends_with_config'
> & { readonly mute_ends_at_agents: number | null | RawBuilder<number> };

async function updateMute(
  trx: Kysely<Tables>,
  id: string,
  columns: MuteColumns,
  isMeant = sql<boolean>`true`,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('agent_error_groups')
    .set(columns)
    .where('id', '=', id)
    .where(isMeant)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
