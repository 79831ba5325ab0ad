import type { Fleet, FleetAgent } from '../load/load.ts';
import { type Api, forEachAtOnce } from './api.ts';

const rawConfig = '[INPUT]\n    name cpu\n[OUTPUT]\n    name es\n    host search.internal\n    port 9200\n';

/** A new project with this many agents, which report with the project's token. */
export async function registerFleet(api: Api, agents: number): Promise<Fleet> {
  const project = await api.post<{ token: string }>('/v1/projects', { name: 'bench' });
  const credential = { name: 'X-Project-Token', value: project.token };
  const machines = Array.from({ length: agents }, (_, index) => `bench-${index}`);
  return {
    credential,
    agents: await forEachAtOnce(machines, async (machineID): Promise<FleetAgent> => {
      const body = { name: machineID, machineID, type: 'fluentbit', version: '4.0.0', rawConfig };
      const { id } = await api.post<{ id: string }>('/v1/agents', body, {
        [credential.name]: credential.value,
      });
      return { id };
    }),
  };
}

/** Every agent reports every text once, so that further reports of them are ignored. */
export async function reportOnce(api: Api, fleet: Fleet, texts: readonly string[]): Promise<void> {
  const body = texts.map((error) => ({ error }));
  await forEachAtOnce(fleet.agents, ({ id }) =>
    api.post(`/v1/agents/${id}/errors`, body, { [fleet.credential.name]: fleet.credential.value }),
  );
}
