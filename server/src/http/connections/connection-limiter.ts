import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { fittingConnections } from './connection-limit.ts';

export interface LimitedConnection {
  /** Requests whose answer is not out yet. */
  readonly underWay: { readonly size: number };
  /** The latest of all; undefined where none has come yet. */
  readonly latest: unknown;
  /** Checks that there had been when it came. */
  readonly openedAt: number;
}

/** From this share of the most on, room is made for those that come. */
const crowdedShare = 0.9;
/** One that has never asked anything may be about to, until there have been so many checks. */
const silentChecks = 2;
/** How many are looked at for each one that comes: the search must not cost more than the connection. */
const maxLooks = 32;
/** More than come, so that there are fewer again. */
const maxClosed = 2;

/**
 * Bounds the connections of a server, and with them its memory and the time that each waits for all the others:
 * where it gets crowded, those on which nothing is under way make room for those that come. Their agents connect
 * again when they have something to say.
 */
export class ConnectionLimiter {
  readonly #all: ReadonlyMap<Socket, LimitedConnection>;
  readonly #max: number;
  /**
   * Goes round all connections, the oldest first, and sees those that come meanwhile. Exists only while it is crowded:
   * an iterator that stands still keeps every table that its map outgrows, 2.5 KB for each connection that closes.
   */
  #round: Iterator<[Socket, LimitedConnection]> | undefined;

  constructor(all: ReadonlyMap<Socket, LimitedConnection>, maxConnections: number) {
    this.#all = all;
    this.#max = fittingConnections(maxConnections);
  }

  /** Lets the server close at once what comes beyond the most. */
  limit(server: Server): void {
    server.maxConnections = this.#max;
  }

  /** To be called when one has come, taken or not. @param checks that there have been. */
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
