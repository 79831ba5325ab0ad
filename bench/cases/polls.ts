import { Agent, request } from 'node:http';
import type { Bench, Case } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import { alternate, type Contender } from '../measure/alternate.ts';
import { pairwise, ratio, spreadOf } from '../measure/statistics.ts';
import { processorMicroseconds } from '../processes/process-usage.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { forEachAtOnce } from '../servers/api.ts';
import { serveBare } from '../servers/bare.ts';
import { type Product, startProductOn } from '../servers/product.ts';

const agentsCount = 200;

const rawConfig = `[INPUT]
    Name  tail
    Path  /var/log/app/*.log
    Tag   app.{{vars.region}}.{{agent.name}}
${Array.from({ length: 8 }, (_, index) => `\n[FILTER]\n    Name   modify\n    Match  app.*\n    Set    key${index} value${index}\n`).join('')}
[OUTPUT]
    Name        es
    Match       *
    HTTP_User   {{vars.region}}
    HTTP_Passwd {{secrets.password}}
`;

/** What an agent asks again and again. */
interface Poll {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A poll, or what else an agent sends. */
export interface Asked extends Poll {
  /** Absent: a poll. */
  readonly body?: string;
}

export function pollsCase(engine: DataSetEngine): Case {
  return {
    name: `polls-${engine}`,
    title: `agents of a fleet ask for the configuration that they have, against bare (${engine})`,
    async run(bench): Promise<Row[]> {
      const { options } = bench;
      const product = await startProductOn(bench, engine, {
        settings: { MUSTER_SECRET_KEY: bench.adminToken },
      });
      const polls = await startAgents(product);
      const [first] = polls;
      if (first === undefined) throw new RangeError('there is no agent');
      const bare = await serveBare(bench, await fetch(new URL(first.path, product.url), first));
      const [ofProduct = [], ofBare = []] = await alternate(
        [asked(bench, product, polls), asked(bench, bare, polls)],
        { ...options, say: bench.say },
      );
      const of = (times: readonly number[]) => `${formatNumber(spreadOf(times).median)} µs`;
      return [
        {
          case: this.name,
          what: 'processor time of an unchanged poll, with variables and a secret in the configuration',
          figure: spreadOf(pairwise(ofProduct, ofBare, ratio)),
          unit: '×',
          measured: `muster ${of(ofProduct)}, bare ${of(ofBare)}`,
          bar: { atMost: engine === 'sqlite' ? 2 : 2.5 },
        },
      ];
    },
  };
}

/** Each asks with an id of its own, is registered with it, and has what the fleet serves. */
async function startAgents({ api, url }: Product): Promise<Poll[]> {
  const { id: projectID } = await api.post<{ id: string }>('/v1/projects', { name: 'polls' });
  const { token } = await api.post<{ token: string }>(`/v1/projects/${projectID}/tokens`, {
    name: 'agents',
    permissions: ['create:agent', 'read:fleet'],
  });
  const { id: fleetID } = await api.post<{ id: string }>(`/v1/projects/${projectID}/fleets`, {
    name: 'edge',
  });
  const admin = { authorization: api.authorization };
  const set = (name: string, value: string) => ({ set: [{ name, value }] });
  await api.patch(`/v1/fleets/${fleetID}/variables`, set('region', 'eu-1'), admin);
  await api.patch(`/v1/fleets/${fleetID}/secrets`, set('password', 'correct horse battery staple'), admin);
  await api.patch(`/v1/fleets/${fleetID}`, { rawConfig }, admin);
  const search = `/v1/search?project_id=${projectID}&resource=fleet&term=edge&exact=true`;
  return forEachAtOnce(
    Array.from({ length: agentsCount }, (_, index) => index),
    async (index) => {
      const ask = (path: string, version: string) =>
        fetch(new URL(path, url), {
          headers: { 'x-project-token': token, 'fleet-config-version': version },
        });
      const found = (await (await ask(search, '-1')).json()) as readonly { id: string }[]; // as the contract says
      const handle = found[0]?.id ?? '';
      const path = `/v1/fleets/${handle}/config?format=ini&config_format=ini`;
      const poll = async (version: string): Promise<string> => {
        const answer = await ask(path, version);
        if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
        await answer.arrayBuffer();
        return String(Date.parse(answer.headers.get('last-modified') ?? '') / 1_000);
      };
      await poll('-1');
      const agent = { name: `web-${index}`, machineID: `machine-${index}`, fleetID: handle, rawConfig };
      const registered = await api.post<{ id: string; token: string }>('/v1/agents', agent, {
        'x-project-token': token,
      });
      const version = await poll(await poll('-1'));
      // It runs it.
      await api.patch(`/v1/agents/${registered.id}`, agent, { 'x-agent-token': registered.token });
      await poll(version);
      return { path, headers: { 'x-project-token': token, 'fleet-config-version': version } };
    },
    8,
  );
}

/** Processor time of an answer, in microseconds, in all threads of the process that answers. */
export function asked(
  bench: Bench,
  { url, pid }: { readonly url: string; readonly pid: number },
  all: readonly Asked[],
): Contender<number> {
  const { connections } = bench.options;
  const { hostname, port } = new URL(url);
  const ask = (agent: Agent, { path, headers, body }: Asked) =>
    new Promise<void>((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      request({ hostname, port, path, method, headers, agent }, (response) => {
        if (response.statusCode !== (body === undefined ? 200 : 201))
          reject(new Error(`${path} was answered with ${response.statusCode}`));
        response.resume().on('end', resolve).on('error', reject);
      })
        .on('error', reject)
        .end(body);
    });
  let next = 0;
  return {
    name: url,
    async measure(seconds) {
      // Servers end connections on which nothing comes, as between two turns.
      const agent = new Agent({ keepAlive: true, maxSockets: connections });
      const end = performance.now() + seconds * 1_000;
      const before = processorMicroseconds(pid);
      let answered = 0;
      const askOn = async () => {
        while (performance.now() < end) {
          const one = all[next % all.length];
          next += 1;
          if (one === undefined) return;
          await ask(agent, one);
          answered += 1;
        }
      };
      await Promise.all(Array.from({ length: connections }, askOn));
      const after = processorMicroseconds(pid);
      agent.destroy();
      return before === undefined || after === undefined ? Number.NaN : (after - before) / answered;
    },
  };
}
