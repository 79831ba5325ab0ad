import type { Fleet, FleetAgent } from '../load/load.ts';
import { type Api, forEachAtOnce } from './api.ts';

const rawConfig = '[INPUT]\n    name cpu\n[OUTPUT]\n    name es\n    host search.internal\n    port 9200\n';

/** The agents of a project, which report with its token. */
export interface ProjectFleet extends Fleet {
  readonly projectID: string;
}

/** A new project with this many agents. */
export async function registerFleet(api: Api, agents: number): Promise<ProjectFleet> {
  const project = await api.post<{ id: string; token: string }>('/v1/projects', { name: 'bench' });
  const credential = { name: 'X-Project-Token', value: project.token };
  const machines = Array.from({ length: agents }, (_, index) => `bench-${index}`);
  return {
    projectID: project.id,
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
export async function reportOnce(
  api: Api,
  fleet: Fleet,
  texts: readonly string[],
  maxConcurrent?: number,
): Promise<void> {
  const body = texts.map((error) => ({ error }));
  const headers = { [fleet.credential.name]: fleet.credential.value };
  await forEachAtOnce(
    fleet.agents,
    ({ id }) => api.post(`/v1/agents/${id}/errors`, body, headers),
    maxConcurrent,
  );
}
