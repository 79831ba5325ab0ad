import { setTimeout as sleep } from 'node:timers/promises';
import type { Rollout } from '@muster/contract';
import type { Bench, Case } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import { alternate } from '../measure/alternate.ts';
import { spreadOf } from '../measure/statistics.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { type Api, forEachAtOnce } from '../servers/api.ts';
import { type Product, startProductOn } from '../servers/product.ts';
import { type Asked, asked } from './polls.ts';

/** Reading a rollout that runs looks at all of its agents, so that more of them would be what is measured. */
const pollMilliseconds = 250;
/** A rollout begins to watch its first agent within this time. */
const maxWaitMilliseconds = 60_000;
const reportingAgents = 5_000;
/** The service stores each second what polls have shown. */
const storedMilliseconds = 2_000;

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
    title: `from the crash of the first agent with a version to the stop of its rollout, and reports beside polls (${engine})`,
    async run(bench): Promise<Row[]> {
      const { agents: count, rounds } = bench.options;
      // No limit: there are as many agents as the default one allows, and a count beside registrations may be too high.
      const product = await startProductOn(bench, engine, {
        settings: { MUSTER_MAX_AGENTS_PER_PROJECT: '0' },
      });
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
          measured: 'by the time that its history gives',
          bar: { atMost: 1 },
        },
        await reportBesidePolls(bench, product, fleet, this.name),
      ];
    },
  };
}

/** Ignored reports while all agents ask for the configuration that they have: one report for each poll. */
async function reportBesidePolls(
  bench: Bench,
  product: Product,
  fleet: BenchedFleet,
  name: string,
): Promise<Row> {
  const { polls, reports } = await fleet.settle();
  const both = polls.flatMap((poll, index) => [poll, reports[index % reports.length] ?? poll]);
  // As many of each at a time as beside the other: a report costs less the more others come with it.
  const { connections } = bench.options;
  const alone = { ...bench, options: { ...bench.options, connections: Math.ceil(connections / 2) } };
  const [ofReports = [], ofPolls = [], ofBoth = []] = await alternate(
    [asked(alone, product, reports), asked(alone, product, polls), asked(bench, product, both)],
    { ...bench.options, say: bench.say },
  );
  const kept = ofBoth.map((one, round) => {
    const left = 2 * one - (ofPolls[round] ?? Number.NaN);
    return (ofReports[round] ?? Number.NaN) / left;
  });
  const of = (times: readonly number[]) => `${formatNumber(spreadOf(times).median)} µs`;
  return {
    case: name,
    what: `ignored reports beside polls of ${polls.length} agents, of what polls leave of the processor`,
    figure: spreadOf(kept),
    unit: '×',
    measured: `a report ${of(ofReports)}, a poll ${of(ofPolls)}, one of both ${of(ofBoth)}`,
    bar: { atLeast: 0.9 },
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
    const read = () => api.get<Rollout>(`/v1/rollouts/${rolloutID}`);
    await api.post(
      `/v1/agents/${updated.id}/heartbeat`,
      { status: 'stopped', exitCode: 1 },
      { 'x-agent-token': updated.token },
    );
    const crashedAt = Date.now();
    const stopped = await until(async () => (await read()).history.find(({ kind }) => kind === 'stopped'));
    // It takes the version before. Otherwise the service would go on looking whether it does.
    await this.#takeVersion(1);
    await until(async () => (await read()).state === 'reverted');
    return (Date.parse(stopped.at) - crashedAt) / 1_000;
  }

  /** All agents have what the fleet serves, and some have an open error that they report again. */
  async settle(): Promise<{ readonly polls: readonly Asked[]; readonly reports: readonly Asked[] }> {
    const agents = this.#agents;
    const [first] = agents;
    if (first === undefined) throw new RangeError('there is one agent');
    const answer = await ask(this.#api, configPath(first.handle), this.#headers, '-1');
    await answer.text();
    const version = String(Date.parse(answer.headers.get('last-modified') ?? '') / 1_000);
    const body = JSON.stringify({ error: '[output:http:http.0] could not connect to 10.0.0.1:9' });
    // What it has is stored after the first time, and read again the second time.
    for (const _ of ['stores', 'reads']) {
      await forEachAtOnce(agents, async ({ handle }) =>
        (await ask(this.#api, configPath(handle), this.#headers, version)).text(),
      );
      await sleep(storedMilliseconds);
    }
    const reports = agents.slice(0, reportingAgents).map(({ id, token }) => ({
      path: `/v1/agents/${id}/errors`,
      headers: {
        'x-agent-token': token,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      },
      body,
    }));
    await forEachAtOnce(reports, async ({ path, headers }) =>
      (await fetch(new URL(path, this.#api.url), { method: 'POST', headers, body })).text(),
    );
    const headers = { ...this.#headers, 'fleet-config-version': version };
    return { polls: agents.map(({ handle }) => ({ path: configPath(handle), headers })), reports };
  }

  /** The first agent asks until it gets the version, and runs it. */
  async #takeVersion(version: number): Promise<BenchedAgent> {
    const [first] = this.#agents;
    if (first === undefined) throw new RangeError('there is no agent');
    const seconds = await until(async () => {
      const answer = await ask(this.#api, configPath(first.handle), this.#headers, '1');
      const lastModified = Date.parse(answer.headers.get('last-modified') ?? '');
      return (await answer.text()) === configOf(version) ? lastModified / 1_000 : undefined;
    });
    await (await ask(this.#api, configPath(first.handle), this.#headers, String(seconds))).text();
    return first;
  }
}

/** What it returns first that is not undefined or false. @throws Error if that takes longer than anything here should */
async function until<Found>(find: () => Promise<Found | false | undefined>): Promise<Found> {
  const end = performance.now() + maxWaitMilliseconds;
  while (performance.now() < end) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    await sleep(pollMilliseconds);
  }
  throw new Error(`nothing was found within ${maxWaitMilliseconds} ms`);
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
