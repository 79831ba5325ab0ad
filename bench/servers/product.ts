import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { startFlags, startVariables } from '@muster/server/start-flags';
import { serveMuster } from '../../server/src/testing/muster-process.ts';
import type { Bench } from '../bench.ts';
import type { DataSetEngine } from '../data/open-data-set.ts';
import { nodeOptionsThatTellHeap } from '../processes/heap-usage.ts';
import { stopChild } from '../processes/start-process.ts';
import { Api } from './api.ts';

export interface Product {
  readonly url: string;
  readonly pid: number;
  readonly api: Api;
  /** From the start of the process to its first successful readiness check. */
  readonly readyMilliseconds: number;
  readonly stdout: () => string;
  kill(signal: 'SIGUSR2'): void;
  /** Reports that it has handled so far, by outcome. */
  countReports(): Promise<ReportCounts>;
  /** The value of a metric by its name, including labels; 0 if it has not been counted yet. */
  readMetric(series: string): Promise<number>;
  stop(): Promise<void>;
}

interface ReportCounts {
  readonly created: number;
  readonly ignored: number;
}

export interface ProductOptions {
  /** Undefined: an empty one. */
  readonly dataDirectory?: string;
  /** Undefined: SQLite in the data directory. */
  readonly databaseUrl?: string | undefined;
  /** Environment variables that override those below. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Allows calls of `heapBytes`. */
  readonly tellsHeap?: boolean;
  /** What Node runs instead of `muster`. It gets `serve` as its last argument. */
  readonly program?: readonly string[];
}

/** The built `muster serve` with default settings, except that new errors are not limited unless limits are given. */
export async function startProduct(bench: Bench, options: ProductOptions = {}): Promise<Product> {
  const started = performance.now();
  const { program } = options;
  const server = serveMuster({
    nodeFlags: [...profileFlags(bench), ...startFlags],
    ...(program === undefined ? {} : { program }),
    env: {
      ...startVariables,
      HOST: '127.0.0.1',
      MUSTER_DATA_DIR: options.dataDirectory ?? mkdtempSync(join(bench.scratchDirectory, 'data-')),
      ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
      MUSTER_ADMIN_TOKEN: bench.adminToken,
      MUSTER_MAX_OPEN_ERRORS_PER_AGENT: '0',
      MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE: '0',
      MUSTER_NEW_ERRORS_PER_PROJECT_PER_SECOND: '0',
      // Stored data sets are older than a day and must be kept for the next run.
      MUSTER_RETENTION_DAYS: '36500',
      ...(options.tellsHeap ? { NODE_OPTIONS: nodeOptionsThatTellHeap } : {}),
      ...options.settings,
    },
  });
  const stop = bench.closing.add(() => stopChild(server.child, server.ended));
  const url = await server.ready();
  const api = new Api(url, bench.adminToken);
  await api.get('/readyz');
  return {
    url,
    pid: server.pid,
    api,
    readyMilliseconds: performance.now() - started,
    stdout: () => server.stdout.text,
    kill: (signal) => void server.child.kill(signal),
    async countReports() {
      const count = (outcome: string) =>
        readMetric(url, `muster_agent_error_reports_total{outcome="${outcome}"}`);
      return { created: await count('created'), ignored: await count('ignored') };
    },
    readMetric: (series) => readMetric(url, series),
    stop,
  };
}

function profileFlags({ profileDirectory }: Bench): string[] {
  return profileDirectory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`];
}

async function readMetric(url: string, series: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length) ?? 0);
}

/** The service on an empty database, which is removed after the case. */
export async function startProductOn(
  bench: Bench,
  engine: DataSetEngine,
  options: ProductOptions = {},
): Promise<Product> {
  if (engine === 'sqlite') return startProduct(bench, options);
  const postgres = await bench.postgres();
  return startProduct(bench, {
    ...options,
    databaseUrl: await postgres.createScratchDatabase(bench.closing),
  });
}
