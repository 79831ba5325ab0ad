import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import type { Engine } from '../../../foundation/database/migrations/column-types.ts';
import { writeRows } from '../../../foundation/database/write-rows.ts';
import { crashLoopFailures, crashLoopMilliseconds, type Moment } from '../liveness/agent-status.ts';
import { greatest, silenceSql } from '../liveness/agent-status-store.ts';

/** What changes by time alone. */
export interface DueChanges {
  /** Whether agents have been silent for too long, or are no longer in a crash loop. */
  readonly isDue: boolean;
  /** When the next one is due, in milliseconds; undefined: none is. */
  readonly next: number | undefined;
}

interface AgentKey {
  readonly project_id: string;
  readonly agent_id: string;
}

/**
 * Looks for agents whose status changes by time alone, by reading all signs of life once. It takes 25 ms for 100,000 agents.
 *
 * @param loopsAfter crash loops that ended before this time have been noted
 */
export async function findDueChanges(
  { engine, search }: Database,
  moment: Moment,
  loopsAfter: number,
): Promise<DueChanges> {
  const { now } = moment;
  const { rows } = await sql<{
    silent: number | null;
    ended_loop: number | null;
    next_silent: number | null;
    next_ended: number | null;
  }>`
    select max(case when deadline <= ${now} then 1 end) as silent,
      max(case when loop_end <= ${now} then 1 end) as ended_loop,
      min(case when deadline > ${now} then deadline end) as next_silent,
      min(case when loop_end > ${now} then loop_end end) as next_ended
    from (
      select ${deadlineSql(engine, moment)} as deadline, ${loopEndSql(loopsAfter)} as loop_end
      from agent_signs as signs where stopped_at is null
    ) as running`.execute(search);
  const [found] = rows;
  const isDue = (found?.silent ?? found?.ended_loop ?? null) !== null;
  return { isDue, next: earliest(found?.next_silent, found?.next_ended) };
}

/** The agents with such a change, up to a limit, and when the next one is due of those that were heard in other ways. */
export async function listDueChanges(
  { engine, search }: Database,
  moment: Moment,
  loopsAfter: number,
  limit: number,
): Promise<{ readonly due: readonly AgentKey[]; readonly next: number | undefined }> {
  const { now } = moment;
  // The row of the agent has the time of its registrations and updates. Signs of deleted agents are removed soon.
  const deadline = sql`case when ${deadlineSql(engine, moment)} <= ${now} then (
    select ${greatest(engine)}(agents.last_seen_at, signs.seen_at, ${moment.heardSince}) + ${silenceSql(engine)}
    from agents join projects on projects.id = agents.project_id
    where agents.id = signs.agent_id and agents.deleted_at is null and projects.deleted_at is null) end`;
  const running = sql`(
    select project_id, agent_id, ${deadline} as deadline, ${loopEndSql(loopsAfter)} as loop_end
    from agent_signs as signs where stopped_at is null
  ) as running`;
  const { rows: due } = await sql<AgentKey>`
    select project_id, agent_id from ${running}
    where deadline <= ${now} or loop_end <= ${now} limit ${limit}`.execute(search);
  const { rows } = await sql<{ next: number | null }>`
    select min(deadline) as next from ${running} where deadline > ${now}`.execute(search);
  return { due, next: rows[0]?.next ?? undefined };
}

/** Has the status of agents determined anew. */
export async function noteAgents(database: Database, agents: readonly AgentKey[]): Promise<void> {
  await writeRows(
    database,
    {
      sqlite: 'insert into agent_changes (project_id, agent_id) values (?1, ?2)',
      postgres:
        'insert into agent_changes (project_id, agent_id) select * from unnest($1::uuid[], $2::uuid[])',
    },
    agents.map((agent) => [agent.project_id, agent.agent_id]),
  );
}

/** When an agent is offline, by its signs of life; null if it promised nothing, if that was noted, or if nobody hears who speaks for it. */
function deadlineSql(engine: Engine, { heardSince }: Moment): RawBuilder<number> {
  return sql<number>`case when offline_at is null and unreachable_since is null
    then ${greatest(engine)}(seen_at, ${heardSince}) + ${silenceSql(engine)} end`;
}

function loopEndSql(loopsAfter: number): RawBuilder<number> {
  return sql<number>`case when failures >= ${sql.lit(crashLoopFailures)}
    and failed_at > ${loopsAfter - crashLoopMilliseconds}
    then failed_at + ${sql.lit(crashLoopMilliseconds)} end`;
}

function earliest(...times: readonly (number | null | undefined)[]): number | undefined {
  const known = times.filter((time): time is number => typeof time === 'number');
  return known.length === 0 ? undefined : Math.min(...known);
}
