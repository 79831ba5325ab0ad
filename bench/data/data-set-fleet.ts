import type { Fleet, FleetAgent } from '../load/load.ts';
import type { Api } from '../servers/api.ts';
import { agentIDOf, agentTokenOf, type DataSetShape, projectID } from './data-set.ts';

/** The first agents of a data set, which report with a new token of their project. */
export async function fleetOfDataSet(api: Api, shape: DataSetShape, maxAgents: number): Promise<Fleet> {
  const { token } = await api.post<{ token: string }>(`/v1/projects/${projectID}/tokens`, { name: 'bench' });
  return {
    credential: { name: 'X-Project-Token', value: token },
    agents: agentsOf(Math.min(maxAgents, shape.agents), (agent) => ({ id: agentIDOf(agent) })),
  };
}

/** All agents of a data set, each with its own token. */
export async function fleetWithOwnTokens(api: Api, shape: DataSetShape): Promise<Fleet> {
  const { credential } = await fleetOfDataSet(api, shape, 0);
  return {
    credential,
    agents: agentsOf(shape.agents, (agent) => ({ id: agentIDOf(agent), token: agentTokenOf(agent) })),
  };
}

function agentsOf(count: number, make: (agent: number) => FleetAgent): FleetAgent[] {
  return Array.from({ length: count }, (_, agent) => make(agent));
}
