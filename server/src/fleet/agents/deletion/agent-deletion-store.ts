import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import { isAnyID } from '../../../foundation/database/is-any-id.ts';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { PortionRange } from '../../../foundation/database/walk-in-portions.ts';
import { type AgentFilter, selectMatching } from '../agent-list-store.ts';
import type { Moment } from '../liveness/agent-status.ts';

/** Why the service deletes agents by itself. */
export interface SilenceOfAgents {
  readonly reason: string;
  /** Agents that were heard since then, in milliseconds, are kept. */
  readonly notSeenSince: number;
  /** What a site was sent since then may still wait there. One that has not delivered what is older may have heard its agents. */
  readonly deliveredSince: number;
}

/** Of the row `signs`: the site of the agent is unreachable, or its agents are not all known again, or something older waits there. */
export function isBehindSite({
  deliveredSince,
}: Pick<SilenceOfAgents, 'deliveredSince'>): RawBuilder<boolean> {
  return sql<boolean>`(signs.unreachable_since is not null or exists (
    select 1 from core_instances as sites where sites.id = signs.core_instance_id and sites.deleted_at is null
      and coalesce(sites.oldest_spooled_at, sites.last_contact_at) < ${deliveredSince}))`;
}

/**
 * Returns the ids of those that were not deleted yet. Their rows are kept, so that the agents can be answered 410.
 *
 * Reports lock the row's key while they store an error. If they can run concurrently, this update waits for them, so that a later removal of errors
 * sees all of them.
 */
export async function markAgentsDeleted(
  trx: Kysely<Tables>,
  engine: Engine,
  ids: readonly string[],
  at: number,
  silence?: SilenceOfAgents,
): Promise<string[]> {
  let query = trx
    .updateTable('agents')
    .set({
      deleted_at: at,
      deletion_reason: silence?.reason ?? null,
      flags: '[]',
      metadata: '{}',
      tags: '[]',
    })
    .where('id', 'in', (agents) => {
      const existing = agents
        .selectFrom('agents')
        .select('id')
        .where(isAnyID(engine, sql.ref('id'), ids))
        .where('deleted_at', 'is', null);
      return engine === 'postgres' ? existing.orderBy('id').forUpdate() : existing;
    })
    // Checked again, because another deletion may have marked it while this one waited for its lock.
    .where('deleted_at', 'is', null);
  if (silence !== undefined) {
    query = query.where('last_seen_at', '<', silence.notSeenSince).where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('agent_signs as signs')
            .select('signs.agent_id')
            .whereRef('signs.project_id', '=', 'agents.project_id')
            .whereRef('signs.agent_id', '=', 'agents.id')
            .where((eb) => eb.or([eb('signs.seen_at', '>=', silence.notSeenSince), isBehindSite(silence)])),
        ),
      ),
    );
  }
  const rows = await query.returning('id').execute();
  return rows.map(({ id }) => id);
}

/** The id of the agent `rows` places after another one, newest first. */
export async function findEndOfPortion(
  { read }: Database,
  projectID: string,
  before: string | undefined,
  rows: number,
): Promise<string | undefined> {
  let query = read
    .selectFrom('agents')
    .select('id')
    .where('project_id', '=', projectID)
    .where('deleted_at', 'is', null);
  if (before !== undefined) query = query.where('id', '<', before);
  const row = await query
    .orderBy('id', 'desc')
    .limit(1)
    .offset(Math.floor(rows) - 1)
    .executeTakeFirst();
  return row?.id;
}

/** The agents of a portion that match a filter, newest first. */
export async function listMatchingIDs(
  { engine, read }: Database,
  filter: AgentFilter,
  moment: Moment,
  { before, from }: PortionRange,
  limit: number,
): Promise<{ readonly id: string }[]> {
  let query = selectMatching(read, engine, filter, moment).select('agents.id');
  if (before !== undefined) query = query.where('agents.id', '<', before);
  if (from !== undefined) query = query.where('agents.id', '>=', from);
  return query.orderBy('agents.id', 'desc').limit(limit).execute();
}

export type DeletedAgent = Pick<Selectable<Tables['agents']>, 'id' | 'project_id'> & {
  readonly deleted_at: number;
};

/** Agents that were deleted at or after a time, in milliseconds, in the order of their deletion. */
export async function listDeleted(
  db: Kysely<Tables>,
  { since, after }: { readonly since: number; readonly after: DeletedAgent | undefined },
  limit: number,
): Promise<DeletedAgent[]> {
  const start = after ?? { deleted_at: since, id: '00000000-0000-0000-0000-000000000000' };
  const { rows } = await sql<DeletedAgent>`
    select id, project_id, deleted_at from agents
    where deleted_at is not null and (deleted_at, id) > (${start.deleted_at}, ${start.id})
    order by deleted_at, id limit ${limit}`.execute(db);
  return rows;
}
