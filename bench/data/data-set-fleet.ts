import type { Fleet, FleetAgent } from '../load/load.ts';
import type { Api } from '../servers/api.ts';
import { agentIDOf, agentTokenOf, type DataSetShape, projectID } from './data-set.ts';

/** The agents of a data set, which report with a new token of their project. */
export async function fleetOfDataSet(api: Api, shape: DataSetShape): Promise<Fleet> {
  const { token } = await api.post<{ token: string }>(`/v1/projects/${projectID}/tokens`, { name: 'bench' });
  return { credential: { name: 'X-Project-Token', value: token }, agents: agentsOf(shape, agentIDOf) };
}

/** The same agents, each with its own token. */
export async function fleetWithOwnTokens(api: Api, shape: DataSetShape): Promise<Fleet> {
  const { credential, agents } = await fleetOfDataSet(api, shape);
  return { credential, agents: agents.map(({ id }, agent) => ({ id, token: agentTokenOf(agent) })) };
}

function agentsOf({ agents }: DataSetShape, idOf: (agent: number) => string): FleetAgent[] {
  return Array.from({ length: agents }, (_, agent) => ({ id: idOf(agent) }));
}
