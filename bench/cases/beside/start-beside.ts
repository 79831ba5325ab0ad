import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Bench } from '../../bench.ts';
import { fleetOfDataSet } from '../../data/data-set-fleet.ts';
import { copySqliteDirectory, keptPostgresDatabase } from '../../data/kept-data-sets.ts';
import type { DataSetEngine } from '../../data/open-data-set.ts';
import type { Fleet } from '../../load/load.ts';
import { repeatedTexts } from '../../load/new-texts.ts';
import type { Contender } from '../../measure/alternate.ts';
import { type LoadSample, underLoad } from '../../measure/measure-load.ts';
import { type ProjectFleet, registerFleet, reportOnce } from '../../servers/fleet.ts';
import { type Product, startProduct } from '../../servers/product.ts';

const texts = repeatedTexts(1);

/** A service with a database of its own, and agents whose repeated errors are open. */
export interface BesideService {
  readonly product: Product;
  readonly fleet: Fleet;
  readonly directory: string;
  readonly databaseUrl: string | undefined;
}

export async function startBeside(
  bench: Bench,
  engine: DataSetEngine,
  settings: Readonly<Record<string, string>> = {},
): Promise<BesideService & { readonly fleet: ProjectFleet }> {
  const directory = mkdtempSync(join(bench.scratchDirectory, 'beside-'));
  const databaseUrl =
    engine === 'sqlite' ? undefined : await (await bench.postgres()).createScratchDatabase(bench.closing);
  const product = await startProduct(bench, {
    dataDirectory: directory,
    databaseUrl,
    settings,
  });
  const fleet = await registerFleet(product.api, bench.options.loadAgents);
  await reportOnce(product.api, fleet, texts);
  return { product, fleet, directory, databaseUrl };
}

/** A service with a copy of a data set. */
export async function startOnDataSet(bench: Bench, engine: DataSetEngine): Promise<BesideService> {
  const { agents, memoryErrors, loadAgents } = bench.options;
  const shape = { agents, errors: memoryErrors };
  const place =
    engine === 'sqlite'
      ? { directory: await copySqliteDirectory(bench, shape), databaseUrl: undefined }
      : {
          directory: mkdtempSync(join(bench.scratchDirectory, 'beside-')),
          databaseUrl: await (await bench.postgres()).createScratchDatabase(
            bench.closing,
            await keptPostgresDatabase(bench, shape),
          ),
        };
  const product = await startProduct(bench, {
    dataDirectory: place.directory,
    databaseUrl: place.databaseUrl,
  });
  return { product, fleet: await fleetOfDataSet(product.api, shape, loadAgents), ...place };
}

/** New errors, or errors that are ignored, at full load. */
export function stormOn(
  name: string,
  bench: Bench,
  { product, fleet }: BesideService,
  kind: 'new' | 'ignored',
): Contender<LoadSample> {
  return underLoad(name, bench.load, [product], {
    fleet,
    repeatedTexts: texts,
    newEvery: kind === 'new' ? 1 : 0,
    connections: bench.options.connections,
  });
}

interface Receiver {
  readonly url: string;
  readonly count: () => number;
}

/** Takes telemetry, and forgets it. */
export async function startReceiver(bench: Bench): Promise<Receiver> {
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
