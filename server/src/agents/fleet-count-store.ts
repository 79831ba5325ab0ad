import type { AgentStatus } from '@muster/contract';
import { type Kysely, sql } from 'kysely';
import type { Engine } from '../database/migrations/column-types.ts';
import type { Tables } from '../database/tables.ts';
import { selectMatching } from './agent-list-store.ts';
import type { FleetCounts } from './fleet-counts.ts';
import type { Moment } from './liveness/agent-status.ts';

/** Counts the agents of a project by reading all of them. */
export async function countFleet(
  db: Kysely<Tables>,
  engine: Engine,
  projectID: string,
  moment: Moment,
): Promise<FleetCounts> {
  const filter = { projectID, name: undefined, tag: undefined, fleetID: undefined };
  const count = async (status: AgentStatus): Promise<number> => {
    const query = selectMatching(db, engine, { ...filter, status }, moment);
    return (await query.select((eb) => eb.fn.countAll<number>().as('agents')).executeTakeFirstOrThrow())
      .agents;
  };
  const byVersion = await selectMatching(db, engine, { ...filter, status: undefined }, moment)
    .select((eb) => ['agents.type', 'agents.version', eb.fn.countAll<number>().as('agents')])
    .groupBy(['agents.type', 'agents.version'])
    .orderBy(sql`count(*)`, 'desc')
    .orderBy('agents.type')
    .orderBy('agents.version')
    .execute();
  const byStatus = {
    healthy: await count('healthy'),
    unhealthy: await count('unhealthy'),
    offline: await count('offline'),
    stopped: await count('stopped'),
  };
  return { byStatus, byVersion };
}
