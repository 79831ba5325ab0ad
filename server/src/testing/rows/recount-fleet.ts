import type { AgentStatus } from '@muster/contract';
import { sql } from 'kysely';
import { selectMatching } from '../../fleet/agents/agent-list-store.ts';
import type { Moment } from '../../fleet/agents/liveness/agent-status.ts';
import { readProjectCounts } from '../../fleet/summary/summary-store.ts';
import type { Database } from '../../foundation/database/database.ts';

/** Returns both for comparison: what is counted of a project, and a plain count of its agents and errors. */
export async function recountFleet(
  database: Database,
  projectID: string,
  moment: Moment,
): Promise<{ stored: unknown; counted: unknown }> {
  const { write: db, engine } = database;
  const filter = { projectID, name: undefined, tag: undefined, fleetID: undefined };
  const count = async (status: AgentStatus): Promise<number> => {
    const query = selectMatching(db, engine, { ...filter, status }, moment);
    return (await query.select((eb) => eb.fn.countAll<number>().as('agents')).executeTakeFirstOrThrow())
      .agents;
  };
  const agents = {
    healthy: await count('healthy'),
    unhealthy: await count('unhealthy'),
    offline: await count('offline'),
    stopped: await count('stopped'),
    unknown: await count('unknown'),
  };
  const { rows: versions } = await sql`
    select coalesce(type, '') as type, coalesce(version, '') as version, count(*) as agents from agents
    where project_id = ${projectID} and deleted_at is null group by 1, 2 order by 1, 2`.execute(db);
  const { rows: storedVersions } = await sql`
    select type, version, agents from agent_version_counts where project_id = ${projectID}
    order by type, version`.execute(db);
  const { rows: errors } = await sql`
    select count(case when e.epoch = agents.epoch then 1 end) as "currentErrors",
      count(case when e.epoch <> agents.epoch then 1 end) as "supersededErrors",
      count(distinct case when e.epoch = agents.epoch then e.group_id end) as "openGroups"
    from agent_errors as e join agents on agents.id = e.agent_id
    where e.project_id = ${projectID} and e.dismissed_at is null`.execute(db);
  return {
    stored: { ...(await readProjectCounts(db, projectID)), versions: storedVersions },
    counted: { agents, ...(errors[0] as object), versions },
  };
}
