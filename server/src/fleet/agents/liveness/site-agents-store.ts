import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import type { Tables } from '../../../foundation/database/tables.ts';
import type { Moment } from './agent-status.ts';
import { greatest, silenceSql } from './agent-status-store.ts';

/** A core instance. */
export interface Site {
  readonly id: string;
  readonly project_id: string;
}

/** Nobody hears who speaks for its agents. */
export function markAgentsUnknown(
  trx: Kysely<Tables>,
  engine: Engine,
  site: Site,
  since: number,
): Promise<void> {
  return markAgents(trx, engine, site, since, sql`unreachable_since is null`);
}

/** Its agents are judged by themselves. @param moment given: only those that would not be offline now */
export function markAgentsKnown(
  trx: Kysely<Tables>,
  engine: Engine,
  site: Site,
  moment?: Moment,
): Promise<void> {
  const isUnknown = sql<boolean>`unreachable_since is not null`;
  if (moment === undefined) return markAgents(trx, engine, site, null, isUnknown);
  const silence = silenceSql(engine);
  const offlineAt = sql`${greatest(engine)}(seen_at, ${moment.heardSince}) + ${silence}`;
  const isHeard = sql<boolean>`(stopped_at is not null or ${silence} is null or ${offlineAt} > ${moment.now})`;
  return markAgents(trx, engine, site, null, sql`${isUnknown} and ${isHeard}`);
}

/** @param since null: known */
async function markAgents(
  trx: Kysely<Tables>,
  engine: Engine,
  { id, project_id }: Site,
  since: number | null,
  condition: RawBuilder<boolean>,
): Promise<void> {
  const theirs = sql`select project_id, agent_id from agent_signs as signs
    where project_id = ${project_id} and core_instance_id = ${id} and ${condition}`;
  // Locked in the order of the key, as when signs are added.
  const keys =
    engine === 'postgres' ? sql`${theirs} order by project_id, agent_id for no key update` : theirs;
  await sql`update agent_signs set unreachable_since = ${since}
    where (project_id, agent_id) in (${keys})`.execute(trx);
}

export async function hasUnknownAgents(trx: Kysely<Tables>, { id, project_id }: Site): Promise<boolean> {
  const { rows } = await sql`select 1 from agent_signs
    where project_id = ${project_id} and core_instance_id = ${id} and unreachable_since is not null
    limit 1`.execute(trx);
  return rows.length > 0;
}
