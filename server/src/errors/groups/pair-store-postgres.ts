import { type Kysely, sql } from 'kysely';
import { arrayLiteral } from '../../foundation/database/postgres/array-literal.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type PairState, sizeOf } from './error-changes.ts';

export interface ChangedPair {
  readonly groupID: string;
  readonly agentID: string;
  readonly before: PairState | undefined;
  readonly after: PairState;
}

export async function writePairs(trx: Kysely<Tables>, pairs: readonly ChangedPair[]): Promise<void> {
  const kept = pairs.filter(({ after }) => sizeOf(after) > 0);
  if (kept.length > 0) {
    await sql`
      insert into agent_error_group_agents (
        group_id, agent_id, epoch, current_errors, superseded_errors, dismissed_errors
      )
      select * from unnest(
        ${arrayLiteral(kept.map(({ groupID }) => groupID))}::uuid[], ${arrayLiteral(kept.map(({ agentID }) => agentID))}::uuid[],
        ${arrayLiteral(kept.map(({ after }) => after.epoch))}::bigint[], ${arrayLiteral(kept.map(({ after }) => after.current))}::bigint[],
        ${arrayLiteral(kept.map(({ after }) => after.superseded))}::bigint[],
        ${arrayLiteral(kept.map(({ after }) => after.dismissed))}::bigint[])
      on conflict (group_id, agent_id) do update
      set epoch = excluded.epoch, current_errors = excluded.current_errors,
        superseded_errors = excluded.superseded_errors, dismissed_errors = excluded.dismissed_errors
    `.execute(trx);
  }
  const emptied = pairs.filter(({ before, after }) => before !== undefined && sizeOf(after) === 0);
  if (emptied.length > 0) {
    await sql`
      delete from agent_error_group_agents
      where (group_id, agent_id) in (
        select * from unnest(
          ${arrayLiteral(emptied.map(({ groupID }) => groupID))}::uuid[], ${arrayLiteral(emptied.map(({ agentID }) => agentID))}::uuid[]))
    `.execute(trx);
  }
}
