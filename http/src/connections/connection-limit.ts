import { readFileSync } from 'node:fs';

/** File descriptors for everything that is not a client's connection: the database, its connections, logs. */
const reserve = 200;

/** The number of connections that leaves enough file descriptors for everything else, such as the database. */
export function fittingConnections(wanted: number): number {
  const maximum = maxDescriptors();
  return maximum === undefined ? wanted : Math.max(1, Math.min(wanted, maximum - reserve));
}

/** Node raises the soft limit to the hard one when it starts. Undefined on systems that do not tell it. */
function maxDescriptors(): number | undefined {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}
