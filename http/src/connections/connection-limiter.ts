import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface LimitedConnection {
  /** Requests that have not been answered completely. */
  readonly underWay: { readonly size: number };
  /** The latest request; undefined before the first one. */
  readonly latest: unknown;
  /** The number of checks before the connection was opened. */
  readonly openedAt: number;
}

/** From this share of the limit on, the limiter closes idle connections to make room for new ones. */
const crowdedShare = 0.9;
/** A connection that has sent no request yet counts as idle only after this many checks. */
const silentChecks = 2;
/** Connections looked at for each new one: the search must not cost more than the connection. */
const maxLooks = 32;
/** More than one for each new connection, so that their number falls again. */
const maxClosed = 2;

/**
 * Limits the connections of a server, and with them its memory and its latency. Near the limit, it closes idle
 * connections to make room for new ones. Agents connect again for their next request.
 */
export class ConnectionLimiter {
  readonly #all: ReadonlyMap<Socket, LimitedConnection>;
  readonly #max: number;
  /**
   * Iterates over all connections, the oldest first, including those opened meanwhile. It exists only near the limit:
   * V8 keeps every table that a map outgrows while an iterator stands still, 2.5 KB for each closed connection.
   */
  #round: Iterator<[Socket, LimitedConnection]> | undefined;

  constructor(all: ReadonlyMap<Socket, LimitedConnection>, maxConnections: number) {
    this.#all = all;
    this.#max = fittingConnections(maxConnections);
  }

  /** Makes the server close connections beyond the limit at once. */
  limit(server: Server): void {
    server.maxConnections = this.#max;
  }

  /** Call this for each new connection, accepted or not. @param checks the number of checks so far */
  makeRoom(checks: number): void {
    if (this.#all.size <= this.#max * crowdedShare) {
      this.#round = undefined;
      return;
    }
    this.#round ??= this.#all.entries();
    let closed = 0;
    for (let look = 0; look < maxLooks && closed < maxClosed; look += 1) {
      const next = this.#round.next();
      if (next.done) {
        this.#round = this.#all.entries();
        continue;
      }
      const [socket, { underWay, latest, openedAt }] = next.value;
      if (underWay.size > 0 || (latest === undefined && checks - openedAt < silentChecks)) continue;
      socket.destroy();
      closed += 1;
    }
  }
}

/** File descriptors for everything that is not a client's connection: the database, its connections, logs. */
const reserve = 200;

/** The number of connections that leaves enough file descriptors for everything else, such as the database. */
function fittingConnections(wanted: number): number {
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
