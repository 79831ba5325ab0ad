import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bytesTaken } from './bytes-taken.ts';
import { ConnectionLimiter } from './connection-limiter.ts';
import type { HttpLimits } from './http-limits.ts';
import { transportOf } from './transport-of.ts';

interface Connection {
  /** The TCP connection: with TLS, it is below the one that carries the requests. */
  readonly transport: Socket;
  /** Requests whose answer is not out yet. */
  readonly underWay: Set<IncomingMessage>;
  /** The one that came last; those before it have come whole. */
  latest: IncomingMessage | undefined;
  /** Done once every answer under way is out. */
  afterAnswers: (() => void) | undefined;
  /** Since when an answer waits to be taken, and how many bytes had been taken by then. */
  waitingSince: number | undefined;
  takenBefore: number;
  /** Checks that there had been by then. */
  readonly openedAt: number;
}

/** Of one connection. Clients that do not wait for each answer (pipelining) send ten or so. */
const maxConcurrentRequests = 32;
/** Each request under way may wait for the end of its connection twice, and Node and the server do a few times. */
const maxListeners = 2 * maxConcurrentRequests + 16;
/** A client that takes less than this of an answer takes it too slowly. */
const minBytesPerSecond = 8 * 1024;

/** The connections of a server: ends those that take their answers too slowly, and all of them when it stops. */
export class OpenConnections {
  readonly #limits: HttpLimits;
  readonly #all = new Map<Socket, Connection>();
  readonly #taken = new WeakSet<Socket>();
  readonly #crowd: ConnectionLimiter;
  readonly #onFull: () => void;
  #checks = 0;
  #onLastClosed: () => void = () => undefined;

  /** @param onFull called for each connection that is not taken, since there are too many. */
  constructor(limits: HttpLimits, onFull: () => void) {
    this.#limits = limits;
    this.#crowd = new ConnectionLimiter(this.#all, limits.maxConnections);
    this.#onFull = onFull;
  }

  get count(): number {
    return this.#all.size;
  }

  /** True from the end of the TLS handshake on, also when the connection is closed; without TLS, from the start on. */
  hasTaken(socket: Socket): boolean {
    return this.#taken.has(socket);
  }

  watch(server: Server): void {
    server.on('connection', (socket) => {
      this.#add(socket, { transport: socket, openedAt: this.#checks });
      this.#crowd.makeRoom(this.#checks);
    });
    // Only with TLS. Until then, the connection is known by its transport, so that handshakes count as connections.
    server.on('secureConnection', (socket: Socket) => {
      const transport = transportOf(socket);
      const openedAt = this.#all.get(transport)?.openedAt ?? this.#checks;
      this.#all.delete(transport);
      this.#add(socket, { transport, openedAt });
    });
    this.#crowd.limit(server);
    server.on('drop', () => {
      this.#crowd.makeRoom(this.#checks);
      this.#onFull();
    });
    server.once('listening', () => {
      const timer = setInterval(() => this.#endSlowReaders(), this.#limits.checkMilliseconds);
      server.once('close', () => clearInterval(timer));
    });
  }

  /**
   * False where a client has asked for too much without waiting for answers. Its connection ends: one packet holds
   * hundreds of requests, and everybody else would wait until all of them are worked off.
   */
  admits({ socket }: IncomingMessage): boolean {
    const isCrowded = (this.#all.get(socket)?.underWay.size ?? 0) >= maxConcurrentRequests;
    if (isCrowded) socket.destroy();
    return !isCrowded;
  }

  /** To be called as soon as a request comes; a second call for the same one changes nothing. */
  noteRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#all.get(request.socket);
    if (connection === undefined || connection.underWay.has(request)) return;
    connection.underWay.add(request);
    connection.latest = request;
    // Not when it is written: until the answers before it are out, it waits with Node. Not `once`, which takes longer: the event comes only once.
    response.on('finish', () => {
      connection.underWay.delete(request);
      if (awaitedAnswers(connection) === 0) connection.afterAnswers?.();
    });
  }

  /**
   * Answers what is wrong with a connection: at once, or after the answers to requests that came whole before it.
   * A request that was refused before it came whole has had its answer.
   */
  endBroken(socket: Socket, answer: () => void): void {
    const connection = this.#all.get(socket);
    if (connection === undefined) answer();
    else if (awaitedAnswers(connection) > 0) connection.afterAnswers ??= answer;
    else if (isPartial(connection) && !isLatestUnderWay(connection)) socket.destroy();
    else answer();
  }

  /**
   * Ends every connection with the answer to its next request; after a moment those on which none is under way,
   * and after a while all of them. To be called when answers already say that they end their connection.
   */
  async drain(server: Server): Promise<void> {
    await this.#lastClosed(this.#limits.drainIdleMilliseconds);
    for (const [socket, { underWay }] of this.#all) {
      if (underWay.size === 0) socket.destroy();
    }
    if (!server.listening) return;
    const timer = setTimeout(() => server.closeAllConnections(), this.#limits.drainMilliseconds).unref();
    server.once('close', () => clearTimeout(timer));
  }

  #add(socket: Socket, opened: Pick<Connection, 'transport' | 'openedAt'>): void {
    socket.setMaxListeners(maxListeners);
    this.#taken.add(socket);
    this.#all.set(socket, {
      ...opened,
      underWay: new Set(),
      latest: undefined,
      afterAnswers: undefined,
      waitingSince: undefined,
      takenBefore: 0,
    });
    socket.once('close', () => {
      this.#all.delete(socket);
      if (this.#all.size === 0) this.#onLastClosed();
    });
  }

  async #lastClosed(maxMilliseconds: number): Promise<void> {
    if (this.#all.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, maxMilliseconds);
      this.#onLastClosed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #endSlowReaders(): void {
    const { slowClientMilliseconds } = this.#limits;
    this.#checks += 1;
    const now = performance.now();
    for (const [socket, connection] of this.#all) {
      if (socket.writableLength === 0) {
        connection.waitingSince = undefined;
        continue;
      }
      const taken = bytesTaken(connection.transport);
      const least = (minBytesPerSecond * slowClientMilliseconds) / 1_000;
      if (connection.waitingSince === undefined || taken - connection.takenBefore >= least) {
        connection.waitingSince = now;
        connection.takenBefore = taken;
      } else if (now - connection.waitingSince >= slowClientMilliseconds) {
        // Not `destroy`: the system would go on keeping what nobody takes.
        connection.transport.resetAndDestroy();
      }
    }
  }
}

/** Answers that are still to come to requests that have come whole. */
function awaitedAnswers(connection: Connection): number {
  const { size } = connection.underWay;
  return isPartial(connection) && isLatestUnderWay(connection) ? size - 1 : size;
}

function isPartial({ latest }: Connection): boolean {
  return latest?.complete === false;
}

/** Some are refused before they have come whole. */
function isLatestUnderWay({ latest, underWay }: Connection): boolean {
  return latest !== undefined && underWay.has(latest);
}
