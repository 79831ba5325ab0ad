import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** Exists only on Linux. */
const openFiles = '/proc/self/fd';
/** Metrics of the library that iterate over all connections: with many, a scrape would block the event loop. */
const slowMetrics = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'process_open_fds',
];

const prefix = 'muster_';

/**
 * Those of the library are one for each process, like what they measure: it observes garbage collection from then on with no way to end that, so a
 * service that was closed would stay in memory.
 */
const processRegistry = new Registry();

/** Metrics of the process itself. Their cost does not depend on the number of connections. */
export function collectProcessMetrics(registry: Registry): void {
  if (processRegistry.getMetricsAsArray().length === 0)
    collectDefaultMetrics({ register: processRegistry, prefix });
  for (const { name } of processRegistry.getMetricsAsArray()) {
    const metric = processRegistry.getSingleMetric(name);
    if (metric !== undefined && !slowMetrics.includes(name.slice(prefix.length)))
      registry.registerMetric(metric);
  }
  if (!existsSync(openFiles)) return;
  new Gauge({
    name: `${prefix}process_open_fds`,
    help: 'Number of open file descriptors.',
    registers: [registry],
    async collect() {
      try {
        this.set(await countOpenFiles());
      } catch {
        // If the limit on open files is reached, they cannot be counted on an old kernel. All other metrics are still useful.
      }
    },
  });
}

/**
 * Counts the open file descriptors of this process. Linux 6.2 and newer report the number directly (proc(5)).
 *
 * @throws Error if there is no /proc, or if the limit on open files is reached
 */
export async function countOpenFiles(sizeOf: (path: string) => number = statSize): Promise<number> {
  const size = sizeOf(openFiles);
  if (size > 0) return size;
  // Without the one that reads the directory. Asynchronous, because there may be many.
  return (await readdir(openFiles)).length - 1;
}

function statSize(path: string): number {
  return statSync(path).size;
}
