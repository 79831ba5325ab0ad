import type { Bench, Case } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import { TimedClient } from '../load/timed-client.ts';
import { pairwise, percentile, spreadOf } from '../measure/statistics.ts';
import { formatNumber, type Row } from '../report/row.ts';
import { forEachAtOnce } from '../servers/api.ts';
import { type Product, startProduct } from '../servers/product.ts';

const tokensPerRound = 200;
const warmUps = 500;

export const tokens: Case = {
  name: 'tokens',
  title:
    'GET /v1/me with a token that the service has just seen, and with one that it sees for the first time',
  async run(bench) {
    return [await measureOn(bench, this.name, 'sqlite'), await measureOn(bench, this.name, 'postgres')];
  },
};

async function measureOn(bench: Bench, name: string, engine: DataSetEngine): Promise<Row> {
  const databaseUrl =
    engine === 'sqlite' ? undefined : await (await bench.postgres()).createScratchDatabase(bench.closing);
  const product = await startProduct(bench, { databaseUrl });
  const client = new TimedClient(bench.closing, product.api);
  for (let sent = 0; sent < warmUps; sent += 1) await client.send('GET', '/v1/me');
  const firstSight: number[] = [];
  const cached: number[] = [];
  for (let round = 1; round <= bench.options.rounds; round += 1) {
    for (const token of await createTokens(product)) {
      const credential = { 'x-project-token': token };
      firstSight.push((await client.send('GET', '/v1/me', { credential })).milliseconds);
      cached.push((await client.send('GET', '/v1/me', { credential })).milliseconds);
    }
  }
  const saved = pairwise(firstSight, cached, (first, second) => first - second);
  return {
    case: name,
    what: `check a token that was seen before, ${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, p50 of the request`,
    figure: spreadOf([percentile(cached, 0.5)]),
    unit: 'ms',
    measured: `first sight ${formatNumber(percentile(firstSight, 0.5))} ms: ${formatNumber(percentile(saved, 0.5))} ms more`,
  };
}

async function createTokens({ api }: Product): Promise<string[]> {
  const project = await api.post<{ id: string }>('/v1/projects', { name: 'bench' });
  return forEachAtOnce(Array.from({ length: tokensPerRound }), async () => {
    const { token } = await api.post<{ token: string }>(`/v1/projects/${project.id}/tokens`, {
      name: 'bench',
    });
    return token;
  });
}
