import { fileURLToPath } from 'node:url';
import type { Bench, Case } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import { TimedClient } from '../load/timed-client.ts';
import { percentile, spreadOf } from '../measure/statistics.ts';
import { residentMegabytes } from '../processes/process-usage.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { forEachAtOnce } from '../servers/api.ts';
import { type Product, startProductOn } from '../servers/product.ts';

const program = fileURLToPath(new URL('../servers/audit-process.ts', import.meta.url));
const writesPerRound = 200;
const warmUps = 100;
const maxAgents = 10_000;
/** How long the service collects fleet changes. */
const collectedMilliseconds = 1_100;

/** One of the two services that take turns. */
interface Contender {
  readonly product: Product;
  readonly client: TimedClient;
  readonly projectID: string;
  readonly times: Record<Write, number[]>;
}

type Write = 'create a token' | 'change a token';

/** The service, and the service without the statements of the audit log. */
export function auditCase(engine: DataSetEngine): Case {
  return {
    name: `audit-${engine}`,
    title: `an operator's writes, and configurations that a whole fleet changes, with and without the audit log (${engine})`,
    async run(bench) {
      const audited = await startContender(bench, engine, 'audited');
      const unaudited = await startContender(bench, engine, 'unaudited');
      const writes = await measureWrites(bench, audited, unaudited);
      const storm = await measureStorm(bench, audited, unaudited);
      return [...writes, ...storm].map((row) => ({ ...row, case: this.name }));
    },
  };
}

async function startContender(bench: Bench, engine: DataSetEngine, variant: string): Promise<Contender> {
  const product = await startProductOn(bench, engine, { program: ['--import', 'tsx', program, variant] });
  const { id } = await product.api.post<{ id: string }>('/v1/projects', { name: 'bench' });
  const times = { 'create a token': [], 'change a token': [] };
  return { product, client: new TimedClient(bench.closing, product.api), projectID: id, times };
}

/** One write after the other, each on one service and then on the other, in changing order. */
async function measureWrites(bench: Bench, audited: Contender, unaudited: Contender): Promise<Figures[]> {
  const both = [audited, unaudited];
  for (let count = 0; count < warmUps; count += 1) for (const one of both) await writeOnce(one);
  for (const { times } of both) for (const list of Object.values(times)) list.length = 0;
  const medians = new Map<Write, number[]>();
  for (let round = 1; round <= bench.options.rounds; round += 1) {
    bench.say(`round ${round} of ${bench.options.rounds}`);
    const starts = both.map(({ times }) => times['create a token'].length);
    for (let count = 0; count < writesPerRound; count += 1) {
      for (const one of count % 2 === 0 ? both : both.toReversed()) await writeOnce(one);
    }
    for (const write of ['create a token', 'change a token'] as const) {
      const [one, other] = both.map(({ times }, index) => percentile(times[write].slice(starts[index]), 0.5));
      medians.set(write, [...(medians.get(write) ?? []), (one ?? 0) / (other ?? 0)]);
    }
  }
  return [...medians].map(([write, ratios]) => ({
    what: `${write}, with the audit log against without, p50`,
    figure: spreadOf(ratios),
    unit: '×',
    measured: `with ${formatNumber(percentile(audited.times[write], 0.5))} ms, without ${formatNumber(percentile(unaudited.times[write], 0.5))} ms, ${audited.times[write].length} writes each`,
    bar: { atMost: 1.05 },
  }));
}

async function writeOnce({ client, projectID, times }: Contender): Promise<void> {
  const created = await client.send<{ id: string }>('POST', `/v1/projects/${projectID}/tokens`, {
    body: { name: 'bench' },
  });
  times['create a token'].push(created.milliseconds);
  const changed = await client.send('PATCH', `/v1/project_tokens/${created.body.id}`, {
    body: { name: 'changed' },
  });
  times['change a token'].push(changed.milliseconds);
}

interface Storm {
  readonly perSecond: number;
  readonly drainMilliseconds: number;
  readonly grownMegabytes: number;
  readonly entries: number;
}

/** Each agent changes its configuration once, and again until the time is over. */
async function measureStorm(bench: Bench, audited: Contender, unaudited: Contender): Promise<Figures[]> {
  const storms: Storm[][] = [[], []];
  const fleets = [await register(bench, audited), await register(bench, unaudited)];
  for (let round = 1; round <= bench.options.rounds; round += 1) {
    const order = round % 2 === 1 ? [0, 1] : [1, 0];
    for (const index of order) {
      const contender = index === 0 ? audited : unaudited;
      storms[index]?.push(await storm(contender, fleets[index] ?? [], round));
    }
  }
  const [withLog = [], without = []] = storms;
  const rate = (list: readonly Storm[]) => list.map(({ perSecond }) => perSecond);
  const most = (list: readonly Storm[], read: (storm: Storm) => number) => Math.max(...list.map(read));
  return [
    {
      what: `${formatNumber(fleets[0]?.length ?? 0)} agents change their configurations over ${bench.options.connections} connections, with the audit log against without`,
      figure: spreadOf(rate(withLog).map((one, round) => one / (rate(without)[round] ?? 0))),
      unit: '×',
      measured: `with ${formatNumber(percentile(rate(withLog), 0.5))}/s, without ${formatNumber(percentile(rate(without), 0.5))}/s; memory grew by at most ${formatNumber(most(withLog, ({ grownMegabytes }) => grownMegabytes))} MB with and ${formatNumber(most(without, ({ grownMegabytes }) => grownMegabytes))} MB without; ${most(withLog, ({ entries }) => entries)} entries at most, all there ${formatNumber(most(withLog, ({ drainMilliseconds }) => drainMilliseconds))} ms after they were due`,
    },
  ];
}

interface Figures extends Omit<Row, 'case'> {}

interface Agent {
  readonly id: string;
  readonly token: string;
}

function register({ options }: Bench, { product, projectID }: Contender): Promise<Agent[]> {
  const machines = Array.from(
    { length: Math.min(options.agents, maxAgents) },
    (_, number) => `machine-${number}`,
  );
  return product.api
    .post<{ token: string }>(`/v1/projects/${projectID}/tokens`, { name: 'agents' })
    .then(({ token }) =>
      forEachAtOnce(machines, (machineID) =>
        product.api.post<Agent>(
          '/v1/agents',
          { name: machineID, machineID, rawConfig: '[INPUT]\n  name cpu\n' },
          { 'x-project-token': token },
        ),
      ),
    );
}

async function storm(
  { product, projectID }: Contender,
  agents: readonly Agent[],
  round: number,
): Promise<Storm> {
  const before = residentMegabytes(product.pid)?.now ?? 0;
  const headBefore = await headOf(product, projectID);
  const rawConfig = `[INPUT]\n  name cpu\n  interval_sec ${round}\n`;
  const start = performance.now();
  await forEachAtOnce(agents, async ({ id, token }) => {
    const response = await fetch(new URL(`/v1/agents/${id}`, product.url), {
      method: 'PATCH',
      headers: { 'x-agent-token': token, 'content-type': 'application/json' },
      body: JSON.stringify({ rawConfig }),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`PATCH /v1/agents/${id} was answered with ${response.status}`);
  });
  const end = performance.now();
  const memory = residentMegabytes(product.pid)?.now ?? 0;
  await new Promise((resolve) => setTimeout(resolve, collectedMilliseconds));
  const due = performance.now();
  // What is still due is recorded before the answer.
  const entries = (await headOf(product, projectID)) - headBefore;
  const drainMilliseconds = performance.now() - due;
  if (entries > 0) await requireRecorded(product, projectID, headBefore, agents.length);
  return {
    perSecond: (agents.length * 1_000) / (end - start),
    drainMilliseconds,
    grownMegabytes: memory - before,
    entries,
  };
}

async function headOf({ api }: Product, projectID: string): Promise<number> {
  const { head } = await api.get<{ head: { sequence: number } }>(`/v1/projects/${projectID}/audit_log/chain`);
  return head.sequence;
}

/** The case would measure nothing if changes were missing in the log. */
async function requireRecorded({ api }: Product, projectID: string, after: number, agents: number) {
  const response = await fetch(
    new URL(`/v1/projects/${projectID}/audit_log/export?after=${Math.max(1, after)}`, api.url),
    { headers: { authorization: api.authorization } },
  );
  const [, ...lines] = (await response.text()).trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { after: { agentsCount?: number } | null });
  const recorded = entries.reduce((sum, entry) => sum + (entry.after?.agentsCount ?? 1), 0);
  if (recorded !== agents) throw new Error(`${recorded} of ${agents} changes are in the audit log`);
}
