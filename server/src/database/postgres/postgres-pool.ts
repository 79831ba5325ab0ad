import { Socket } from 'node:net';
import type { PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { FairSlots } from '../../fair-slots.ts';
import type { PostgresHost, PostgresLocation } from './database-url.ts';
import { explainConnection, type FailedAttempt } from './explain-connection.ts';
import { isConnectionBroken, noSlot } from './postgres-failures.ts';
import { sessionName } from './session-name.ts';

export interface PostgresPoolOptions {
  readonly location: PostgresLocation;
  /** What an operator has to change to name another place, such as `DATABASE_URL`. */
  readonly setting: string;
  readonly maxConnections: number;
  readonly onConnectionError: (error: Error) => void;
}

/** A statement that waits longer is given up; so is one on a server that went silent. */
const statementTimeoutMilliseconds = 8_000;
const silentServerMilliseconds = 10_000;
const connectTimeoutMilliseconds = 2_000;
/** How long a request may wait for others to give a connection back. */
const slotTimeoutMilliseconds = 6_000;
const lockTimeoutMilliseconds = 4_000;
const idleTransactionMilliseconds = 10_000;
const idleConnectionMilliseconds = 30_000;
/** Three weeks: as many milliseconds as a timer takes. */
const noTimeout = 2 ** 31 - 1;

/** One value for each column of a row, by name. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/**
 * Connections to whichever host takes writes. The pool gives a connection that broke to nobody again, and moves
 * to the next host when the present one is gone or was demoted.
 */
export class PostgresPool {
  readonly #options: PostgresPoolOptions;
  readonly #pool: pg.Pool;
  /** Connections that were found to take writes; a demotion ends them. */
  readonly #takesWrites = new WeakSet<pg.PoolClient>();
  /** The driver's own pool has one limit for waiting and for connecting. */
  readonly #slots: FairSlots;
  #hostIndex = 0;

  constructor(options: PostgresPoolOptions) {
    this.#options = options;
    this.#slots = new FairSlots({
      count: options.maxConnections,
      maxWaitMilliseconds: slotTimeoutMilliseconds,
    });
    this.#pool = new pg.Pool({
      connectionString: options.location.urlOfFirst,
      application_name: sessionName,
      max: options.maxConnections,
      connectionTimeoutMillis: connectTimeoutMilliseconds,
      idleTimeoutMillis: idleConnectionMilliseconds,
      query_timeout: silentServerMilliseconds,
      statement_timeout: statementTimeoutMilliseconds,
      lock_timeout: lockTimeoutMilliseconds,
      idle_in_transaction_session_timeout: idleTransactionMilliseconds,
      keepAlive: true,
      types: { getTypeParser },
      stream: () => new HostSocket(() => this.#host()),
    });
    // Without a listener a connection that breaks while idle would end the process.
    this.#pool.on('error', options.onConnectionError);
  }

  /** @throws PostgresConnectionError when no host takes the connection (and writes, where that is asked for) */
  async connect(): Promise<PostgresConnection> {
    const giveBack = await this.#slots.take();
    if (giveBack === 'none') throw noSlot();
    try {
      return await this.#connectToAny(giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  async #connectToAny(onRelease: () => void): Promise<PostgresConnection> {
    const { location, setting } = this.#options;
    const { hosts } = location;
    const attempts: FailedAttempt[] = [];
    for (const _ of hosts) {
      const triedIndex = this.#hostIndex;
      const host = this.#host();
      try {
        return await this.#connectOnce(onRelease);
      } catch (error) {
        attempts.push({ host, error });
        // Unless another request has moved on already.
        if (this.#hostIndex === triedIndex) this.#hostIndex = (triedIndex + 1) % hosts.length;
      }
    }
    throw explainConnection(attempts, location, setting);
  }

  /** One statement on a connection of its own. With a name it is prepared once on each connection. */
  async query<Row extends PostgresRow>(text: string, values: unknown[], name?: string): Promise<Row[]> {
    const connection = await this.connect();
    try {
      const { rows } = await connection.query<Row>(text, values, name);
      return rows;
    } finally {
      connection.release();
    }
  }

  /** Statements in one session, each of which takes as long as it takes. */
  async withoutTimeLimits<Result>(work: (session: PostgresConnection) => Promise<Result>): Promise<Result> {
    const session = await this.connect();
    try {
      await session.endTimeLimits();
      try {
        return await work(session);
      } finally {
        await session.restoreTimeLimits();
      }
    } finally {
      session.release();
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  #host(): PostgresHost {
    const host = this.#options.location.hosts[this.#hostIndex];
    if (host === undefined) throw new Error('a database URL names at least one host');
    return host;
  }

  async #connectOnce(onRelease: () => void): Promise<PostgresConnection> {
    const client = await this.#pool.connect();
    const connection = new PostgresConnection(client, onRelease);
    if (!this.#options.location.needsReadWrite || this.#takesWrites.has(client)) return connection;
    try {
      const { rows } = await connection.query<{ readonly read_only: string }>(
        "select current_setting('transaction_read_only') as read_only",
        [],
      );
      if (rows[0]?.read_only !== 'off') throw new Error('no host takes writes: this one is a standby');
    } catch (error) {
      connection.drop();
      throw error;
    }
    this.#takesWrites.add(client);
    return connection;
  }
}

/** One connection, on loan. */
export class PostgresConnection {
  readonly #client: pg.PoolClient;
  readonly #onRelease: () => void;
  #isBroken = false;
  #hasTimeLimits = true;
  readonly #onError = (): void => {
    this.#isBroken = true;
  };

  constructor(client: pg.PoolClient, onRelease: () => void) {
    this.#client = client;
    this.#onRelease = onRelease;
    // A connection that breaks while on loan tells the statement under way; this listener keeps the process.
    client.on('error', this.#onError);
  }

  async query<Row>(
    text: string,
    values: readonly unknown[],
    name?: string,
  ): Promise<PostgresQueryResult<Row & PostgresRow>> {
    try {
      const result = await this.#client.query<Row & PostgresRow>({
        text,
        values: [...values],
        ...(name === undefined ? {} : { name }),
        ...(this.#hasTimeLimits ? {} : { query_timeout: noTimeout }),
      });
      return result as PostgresQueryResult<Row & PostgresRow>; // the driver's types take a command for any text
    } catch (error) {
      // A server that went silent may still answer the statement that was given up: nobody else may read that.
      if (isConnectionBroken(error)) this.#isBroken = true;
      throw error;
    }
  }

  async endTimeLimits(): Promise<void> {
    await this.query(
      "select set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)",
      [],
    );
    this.#hasTimeLimits = false;
  }

  /** Where that fails, the connection is given to nobody again. */
  async restoreTimeLimits(): Promise<void> {
    this.#hasTimeLimits = true;
    try {
      await this.query('reset statement_timeout', []);
      await this.query('reset lock_timeout', []);
    } catch {
      this.#isBroken = true;
    }
  }

  release(): void {
    this.#client.off('error', this.#onError);
    this.#client.release(this.#isBroken);
    this.#onRelease();
  }

  /** Closes it at once; whoever asked for it tries another. */
  drop(): void {
    this.#client.off('error', this.#onError);
    this.#client.release(true);
  }
}

/** Connects to the host that is current at that moment, whichever the driver asks for. */
class HostSocket extends Socket {
  readonly #host: () => PostgresHost;

  constructor(host: () => PostgresHost) {
    super();
    this.#host = host;
  }

  // The driver calls connect(port, host); the other forms of the overload are not used with it.
  override connect(): this {
    const { host, port } = this.#host();
    return super.connect(port, host);
  }
}

/** int8 (counts, milliseconds) as a number: all of ours are far below 2^53. The rest as the driver has it. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8 && format !== 'binary') return Number;
  return pg.types.getTypeParser(oid, format);
}
