import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** Linux alone has it. */
const openFiles = '/proc/self/fd';
/** Of the library's: those that look at every connection, so that a scrape holds up everybody when there are many. */
const slowMetrics = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'process_open_fds',
];

/** What the process itself uses. It costs the same for any number of connections. */
export function collectProcessMetrics(registry: Registry, prefix: string): void {
  collectDefaultMetrics({ register: registry, prefix });
  for (const name of slowMetrics) registry.removeSingleMetric(`${prefix}${name}`);
  if (!existsSync(openFiles)) return;
  new Gauge({
    name: `${prefix}process_open_fds`,
    help: 'Number of open file descriptors.',
    registers: [registry],
    async collect() {
      try {
        this.set(await countOpenFiles());
      } catch {
        // Where no more can be opened, an old kernel cannot be asked: everything else is still worth a scrape.
      }
    },
  });
}

/**
 * File descriptors that this process has open. Linux 6.2 and newer tell at once how many there are (proc(5)).
 *
 * @throws Error where there is no /proc, or where no more can be opened
 */
export async function countOpenFiles(sizeOf: (path: string) => number = statSize): Promise<number> {
  const size = sizeOf(openFiles);
  if (size > 0) return size;
  // Without the one that reads the directory. Off this thread, since there may be many.
  return (await readdir(openFiles)).length - 1;
}

function statSize(path: string): number {
  return statSync(path).size;
}
