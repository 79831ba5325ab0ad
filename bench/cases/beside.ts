import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench, Case } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import { repeatedTexts } from '../load/new-texts.ts';
import { alternate, type Contender } from '../measure/alternate.ts';
import { type LoadSample, underLoad } from '../measure/measure-load.ts';
import { startProcess } from '../processes/start-process.ts';
import { comparedOf, compareRates } from '../report/compare.ts';
import { type ProjectFleet, registerFleet, reportOnce } from '../servers/fleet.ts';
import { type Product, startProduct } from '../servers/product.ts';

const muster = fileURLToPath(new URL('../../cli/dist/muster.mjs', import.meta.url));
const texts = repeatedTexts(1);

/** What runs beside reports: alerts, telemetry and a backup. Each service has a database of its own, and they take turns. */
export function besideCase(engine: DataSetEngine): Case {
  return {
    name: `beside-${engine}`,
    title: `new and repeated errors beside alerts, telemetry and a backup, against without (${engine})`,
    async run(bench) {
      const receiver = await startReceiver(bench);
      const settings = { MUSTER_SECRET_KEY: 'the-secret-key-of-the-benchmark-0' };
      const start = async (more: Readonly<Record<string, string>> = {}) => {
        const directory = mkdtempSync(join(bench.scratchDirectory, 'beside-'));
        const databaseUrl =
          engine === 'sqlite'
            ? undefined
            : await (await bench.postgres()).createScratchDatabase(bench.closing);
        const product = await startProduct(bench, {
          dataDirectory: directory,
          databaseUrl,
          settings: { ...settings, ...more },
        });
        const fleet = await registerFleet(product.api, bench.options.loadAgents);
        await reportOnce(product.api, fleet, texts);
        return { product, fleet, directory, databaseUrl };
      };
      const plain = await start();
      const alerting = await start({ MUSTER_ALERT_ALLOWED_HOSTS: '127.0.0.1' });
      await createAlerts(alerting.product, alerting.fleet, receiver.url);
      const traced = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
      const load = (name: string, { product, fleet }: typeof plain, newEvery: number) =>
        underLoad(name, bench.load, [product], {
          fleet,
          repeatedTexts: texts,
          newEvery,
          connections: bench.options.connections,
        });
      const storm = load('without', plain, 1);
      const [without = [], alerts = [], otlp = [], backup = []] = await alternate(
        [
          storm,
          load('with alerts', alerting, 1),
          load('with telemetry', traced, 1),
          besideBackup(bench, storm, plain),
        ],
        { ...bench.options, say: bench.say },
      );
      const [repeats = [], tracedRepeats = []] = await alternate(
        [load('without', plain, 0), load('with telemetry', traced, 0)],
        { ...bench.options, say: bench.say },
      );
      if (receiver.count() === 0) throw new Error('nothing was sent to the receiver of alerts and telemetry');
      const compare = (what: string, name: string, one: LoadSample[], other: LoadSample[]) =>
        compareRates({ case: this.name, what }, comparedOf(name, one), comparedOf('without', other));
      return [
        compare('new errors with alerts, against without', 'with', alerts, without),
        compare('new errors with telemetry, against without', 'with', otlp, without),
        compare('ignored errors with telemetry, against without', 'with', tracedRepeats, repeats),
        compare('new errors beside a backup, against without', 'beside', backup, without),
      ];
    },
  };
}

interface Receiver {
  readonly url: string;
  readonly count: () => number;
}

/** Takes alerts and telemetry, and forgets them. */
async function startReceiver(bench: Bench): Promise<Receiver> {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    request.resume().on('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  bench.closing.add(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { url: `http://127.0.0.1:${port}`, count: () => count };
}

async function createAlerts({ api }: Product, { projectID }: ProjectFleet, url: string): Promise<void> {
  const project = `/v1/projects/${projectID}`;
  await api.post(`${project}/alert_channels`, { name: 'bench', kind: 'webhook', url });
  for (const rule of [
    { kind: 'new_group', cooldownSeconds: 0 },
    { kind: 'regression' },
    { kind: 'widespread_group', share: 0.01 },
    { kind: 'agents_offline', agents: 1 },
  ])
    await api.post(`${project}/alert_rules`, rule);
}

/** Backups are made one after the other while the load runs, as the service itself makes them. */
function besideBackup(
  bench: Bench,
  storm: Contender<LoadSample>,
  place: { readonly directory: string; readonly databaseUrl: string | undefined },
): Contender<LoadSample> {
  const target = mkdtempSync(join(bench.scratchDirectory, 'backups-'));
  const env = {
    PATH: process.env.PATH,
    MUSTER_DATA_DIR: place.directory,
    ...(place.databaseUrl === undefined ? {} : { DATABASE_URL: place.databaseUrl }),
  };
  return {
    name: 'beside a backup',
    async measure(seconds) {
      let isOver = false;
      let backups = 0;
      const backUp = async (): Promise<void> => {
        while (!isOver) {
          const args = [muster, 'backup', target, '--keep', '1', '--quiet'];
          const backup = startProcess(bench.closing, process.execPath, args, { env });
          if ((await backup.exited) !== 0) throw new Error(`a backup failed: ${backup.stderr()}`);
          backups += 1;
        }
      };
      const backingUp = backUp();
      const sample = await storm.measure(seconds);
      isOver = true;
      await backingUp;
      if (backups === 0) throw new Error('no backup was made');
      return sample;
    },
  };
}
