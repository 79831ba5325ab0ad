import { setTimeout as sleep } from 'node:timers/promises';
import type { Case } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import { spreadOf } from '../measure/statistics.ts';
import type { Row } from '../report/row.ts';
import { type Api, forEachAtOnce } from '../servers/api.ts';
import { startProductOn } from '../servers/product.ts';

const pollMilliseconds = 20;
/** A rollout begins to watch its first agent within this time. */
const maxWaitMilliseconds = 60_000;

const configOf = (version: number): string =>
  `[INPUT]\n    Name cpu\n    Tag version${version}\n\n[OUTPUT]\n    Name  stdout\n    Match *\n`;

interface BenchedAgent {
  /** With which it asks for its configuration. */
  readonly handle: string;
  readonly id: string;
  readonly token: string;
}

export function rolloutStopCase(engine: DataSetEngine): Case {
  return {
    name: `rollout-stop-${engine}`,
    title: `from the crash of the first agent with a version to the stop of its rollout (${engine})`,
    async run(bench): Promise<Row[]> {
      const { agents: count, rounds } = bench.options;
      const product = await startProductOn(bench, engine);
      bench.say(`${count} agents ask for their configuration`);
      const fleet = await BenchedFleet.start(product.api, count);
      const times: number[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        bench.say(`round ${round} of ${rounds}`);
        times.push(await fleet.crashAndStop(round + 1));
      }
      return [
        {
          case: this.name,
          what: `from the crash of an agent to the stop of its rollout, of ${count} agents`,
          figure: spreadOf(times),
          unit: 's',
          measured: 'read every 20 ms',
          bar: { atMost: 1 },
        },
      ];
    },
  };
}

class BenchedFleet {
  readonly #api: Api;
  readonly #fleetID: string;
  readonly #headers: { readonly 'x-project-token': string };
  readonly #agents: readonly BenchedAgent[];

  private constructor(api: Api, fleetID: string, token: string, agents: readonly BenchedAgent[]) {
    this.#api = api;
    this.#fleetID = fleetID;
    this.#headers = { 'x-project-token': token };
    this.#agents = agents;
  }

  /** Each agent asks with an id of its own and is registered with it. */
  static async start(api: Api, count: number): Promise<BenchedFleet> {
    const { id: projectID } = await api.post<{ id: string }>('/v1/projects', { name: 'rollouts' });
    const { token } = await api.post<{ token: string }>(`/v1/projects/${projectID}/tokens`, {
      name: 'agents',
      permissions: ['create:agent', 'read:fleet'],
    });
    const { id: fleetID } = await api.post<{ id: string }>(`/v1/projects/${projectID}/fleets`, {
      name: 'edge',
      rawConfig: configOf(1),
      reporting: 'off',
    });
    const headers = { 'x-project-token': token };
    const search = `/v1/search?project_id=${projectID}&resource=fleet&term=edge&exact=true`;
    const machines = Array.from({ length: count }, (_, index) => `machine-${index}`);
    const agents = await forEachAtOnce(machines, async (machineID) => {
      const found = (await (await ask(api, search, headers, '-1')).json()) as readonly { id: string }[]; // as the contract says
      const handle = found[0]?.id ?? '';
      await (await ask(api, configPath(handle), headers, '-1')).text();
      const agent = { name: machineID, machineID, fleetID: handle, rawConfig: configOf(1) };
      return { handle, ...(await api.post<{ id: string; token: string }>('/v1/agents', agent, headers)) };
    });
    return new BenchedFleet(api, fleetID, token, agents);
  }

  /** Seconds from the answer to the crash until the rollout has stopped. */
  async crashAndStop(version: number): Promise<number> {
    const api = this.#api;
    const { id: versionID } = await api.post<{ id: string }>(`/v1/fleets/${this.#fleetID}/versions`, {
      rawConfig: configOf(version),
    });
    const { id: rolloutID } = await api.post<{ id: string }>(`/v1/fleets/${this.#fleetID}/rollouts`, {
      versionID,
      reason: 'measured',
      stages: [{ agents: { names: ['machine-0'] }, soakSeconds: 600 }],
    });
    const updated = await this.#takeVersion(version);
    const state = async () => (await api.get<{ state: string }>(`/v1/rollouts/${rolloutID}`)).state;
    await api.post(
      `/v1/agents/${updated.id}/heartbeat`,
      { status: 'stopped', exitCode: 1 },
      { 'x-agent-token': updated.token },
    );
    const crashed = performance.now();
    while ((await state()) === 'running') {
      if (performance.now() - crashed > maxWaitMilliseconds) throw new Error('the rollout does not stop');
      await sleep(pollMilliseconds);
    }
    const seconds = (performance.now() - crashed) / 1_000;
    return seconds;
  }

  /** The first agent asks until it gets the version, and runs it. */
  async #takeVersion(version: number): Promise<BenchedAgent> {
    const [first] = this.#agents;
    if (first === undefined) throw new RangeError('there is no agent');
    const until = performance.now() + maxWaitMilliseconds;
    while (performance.now() < until) {
      const answer = await ask(this.#api, configPath(first.handle), this.#headers, '1');
      if ((await answer.text()) !== configOf(version)) {
        await sleep(pollMilliseconds);
        continue;
      }
      const seconds = Date.parse(answer.headers.get('last-modified') ?? '') / 1_000;
      await (await ask(this.#api, configPath(first.handle), this.#headers, String(seconds))).text();
      return first;
    }
    throw new Error('the first agent does not get the version');
  }
}

function configPath(handle: string): string {
  return `/v1/fleets/${handle}/config?format=ini&config_format=ini`;
}

async function ask(
  api: Api,
  path: string,
  headers: Readonly<Record<string, string>>,
  version: string,
): Promise<Response> {
  const answer = await fetch(new URL(path, api.url), {
    headers: { ...headers, 'fleet-config-version': version },
  });
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
  return answer;
}
