import type { Bench, Case } from '../bench.ts';
import { agentIDOf, agentTokenOf, type DataSetShape, projectID } from '../data/data-set.ts';
import { type DataSetEngine, openCopiedProduct } from '../data/open-data-set.ts';
import { TimedClient } from '../load/timed-client.ts';
import { percentile } from '../measure/statistics.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { forEachAtOnce } from '../servers/api.ts';
import type { Product } from '../servers/product.ts';

/** Of the agents that a bad configuration reaches. */
const affectedShare = 0.3;
const badConfig = '# release 42\n[OUTPUT]\n    port 9\n';

interface Read {
  readonly what: string;
  readonly path: string;
}

/** What the screens of an incident read, with a cause on three in ten of many agents. */
export function incidentCase(engine: DataSetEngine): Case {
  return {
    name: `incident-${engine}`,
    title: `what the screens of an incident read (${engine})`,
    async run(bench) {
      const { options } = bench;
      const shape = { agents: options.agents, errors: options.fewErrors };
      const product = await openCopiedProduct(bench, engine, shape);
      await breakAgents(bench, product, shape);
      const client = new TimedClient(bench.closing, product.api);
      const reads = await readsOf(client);
      const times = new Map<string, number[]>(reads.map(({ what }) => [what, []]));
      for (let round = 1; round <= options.rounds; round += 1) {
        bench.say(`round ${round} of ${options.rounds}`);
        const end = performance.now() + options.seconds * 1_000;
        do {
          for (const { what, path } of reads)
            times.get(what)?.push((await client.send('GET', path)).milliseconds);
        } while (performance.now() < end);
      }
      return [...times].map(([what, taken]) =>
        toRow(this.name, `${what}, of ${formatNumber(shape.agents)} agents`, taken),
      );
    },
  };
}

/** Gives a bad configuration to the newest agents, which report that they cannot reach their destination. */
async function breakAgents(bench: Bench, { api }: Product, { agents }: DataSetShape): Promise<void> {
  const broken = Math.round(agents * affectedShare);
  bench.say(`breaking ${formatNumber(broken)} agents`);
  const numbers = Array.from({ length: broken }, (_, number) => agents - broken + number);
  await forEachAtOnce(numbers, async (agent) => {
    const path = `/v1/agents/${agentIDOf(agent)}`;
    const credential = { 'x-agent-token': agentTokenOf(agent) };
    await api.patch(path, { rawConfig: badConfig }, credential);
    const error = `[output:http:http.0] no upstream connections available to 10.0.${agent >> 8}.${agent & 255}:9`;
    await api.post(`${path}/errors`, { error }, credential);
  });
}

async function readsOf(client: TimedClient): Promise<readonly Read[]> {
  const project = `/v1/projects/${projectID}`;
  const causes = `${project}/agent_error_groups?sort=agents&last=50`;
  const { body } = await client.send<{ id: string }[]>('GET', causes);
  const group = `/v1/agent_error_groups/${body[0]?.id}`;
  return [
    { what: 'summary', path: `${project}/summary` },
    { what: 'causes by agents', path: causes },
    { what: 'trends', path: `${project}/agent_error_group_trends` },
    { what: 'origin of the widest cause', path: `${group}/origin` },
    { what: '3 agents of the widest cause', path: `${group}/agents?last=3` },
    { what: '100 agents of the widest cause', path: `${group}/agents?last=100` },
    { what: '100 unhealthy agents', path: `${project}/agents?status=unhealthy&last=100` },
    {
      what: 'agents that ended with a failure',
      path: `${project}/agents?status=unhealthy&open_errors=false&last=3`,
    },
    { what: '100 agents', path: `${project}/agents?last=100` },
  ];
}

function toRow(name: string, what: string, times: readonly number[]): Row {
  return {
    case: name,
    what: `${what}, p50`,
    figure: { median: percentile(times, 0.5), least: Math.min(...times), most: Math.max(...times) },
    unit: 'ms',
    measured: `p99 ${formatNumber(percentile(times, 0.99))} ms of ${times.length} requests, one after the other`,
    bar: { atMost: 200 },
    goal: '50 ms',
  };
}
