import { Socket } from 'node:net';
import type { PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { FairSlots } from '../../scheduling/fair-slots.ts';
import { isDeferred } from '../deferred-statement.ts';
import { preparedName } from '../prepared-name.ts';
import type { PostgresHost, PostgresLocation } from './database-url.ts';
import { explainConnection, type FailedAttempt } from './explain-connection.ts';
import { isConnectionBroken, noSlot } from './postgres-failures.ts';
import { sessionName } from './session-name.ts';

export interface PostgresPoolOptions {
  readonly location: PostgresLocation;
  /** The setting that holds the URL, such as `DATABASE_URL`, for messages. */
  readonly setting: string;
  readonly maxConnections: number;
  readonly onConnectionError: (error: Error) => void;
}

/** A statement that takes longer is abandoned, also if the server no longer answers. */
const statementTimeoutMilliseconds = 8_000;
const silentServerMilliseconds = 10_000;
const connectTimeoutMilliseconds = 2_000;
/** How long a request may wait for a free connection. */
const slotTimeoutMilliseconds = 6_000;
const lockTimeoutMilliseconds = 4_000;
const idleTransactionMilliseconds = 10_000;
const idleConnectionMilliseconds = 30_000;
/** A session keeps the plans of prepared statements and triggers, made for tables as they were. PostgreSQL itself makes new ones only when a table was analyzed. */
const planMilliseconds = 10_000;

/** One value for each column of a row, by name. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/**
 * Connections to the host that accepts writes. The pool never reuses a broken connection. It moves to the next host
 * when the current one is gone or was demoted.
 */
export class PostgresPool {
  readonly #options: PostgresPoolOptions;
  readonly #pool: pg.Pool;
  /** Connections that are known to accept writes. A demotion of the host ends them. */
  readonly #takesWrites = new WeakSet<pg.PoolClient>();
  /** Since when each connection may have kept plans, in milliseconds. */
  readonly #plannedSince = new WeakMap<pg.PoolClient, number>();
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
      // A deferred statement and the next one are sent together.
      pipeline: true,
    });
    // Without a listener, an idle connection that breaks would end the process.
    this.#pool.on('error', options.onConnectionError);
    // The same for a connection that ends in the moment in which it is made or borrowed, before its borrower listens.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  /** @throws PostgresConnectionError if no host accepts the connection (and writes, if the URL requires that) */
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
        // Unless another request has already moved to the next host.
        if (this.#hostIndex === triedIndex) this.#hostIndex = (triedIndex + 1) % hosts.length;
      }
    }
    throw explainConnection(attempts, location, setting);
  }

  /** Runs one statement on a connection of its own. A named statement is prepared once per connection. */
  async query<Row extends PostgresRow>(text: string, values: unknown[], name?: string): Promise<Row[]> {
    const connection = await this.connect();
    try {
      const { rows } = await connection.query<Row>(text, values, name);
      return rows;
    } finally {
      connection.release();
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  /** Sent together with the next statement. */
  #discardOldPlans(client: pg.PoolClient): void {
    const now = performance.now();
    const since = this.#plannedSince.get(client);
    if (since !== undefined && now - since < planMilliseconds) return;
    this.#plannedSince.set(client, now);
    // If the connection is broken, the next statement fails too.
    if (since !== undefined) client.query({ text: 'discard plans' }).catch(() => undefined);
  }

  #host(): PostgresHost {
    const host = this.#options.location.hosts[this.#hostIndex];
    if (host === undefined) throw new Error('a database URL names at least one host');
    return host;
  }

  async #connectOnce(onRelease: () => void): Promise<PostgresConnection> {
    const client = await this.#pool.connect();
    const connection = new PostgresConnection(client, onRelease);
    this.#discardOldPlans(client);
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

/** One connection, borrowed from the pool. */
export class PostgresConnection {
  readonly #client: pg.PoolClient;
  readonly #onRelease: () => void;
  #isBroken = false;
  readonly #onError = (): void => {
    this.#isBroken = true;
  };
  /** Statements of the open transaction that are sent with the next one. */
  readonly #deferred: SentStatement[] = [];

  constructor(client: pg.PoolClient, onRelease: () => void) {
    this.#client = client;
    this.#onRelease = onRelease;
    // If a borrowed connection breaks, the running statement fails. This listener keeps the process alive.
    client.on('error', this.#onError);
  }

  async query<Row>(
    text: string,
    values: readonly unknown[],
    name = preparedName(text),
  ): Promise<PostgresQueryResult<Row & PostgresRow>> {
    if (isDeferred(text) && this.#client.getTransactionStatus() === 'T') {
      this.#deferred.push({ text, values });
      return noRows;
    }
    if (text === 'rollback') this.#deferred.length = 0;
    try {
      const earlier = this.#deferred.splice(0).map((statement) => this.#send(statement));
      const result = this.#send<Row & PostgresRow>({ text, values, name });
      if (earlier.length > 0) await requireAll([...earlier, result]);
      return (await result) as PostgresQueryResult<Row & PostgresRow>; // in the driver's types, a command is any text
    } catch (error) {
      // A silent server may still answer the abandoned statement. No other request may read that answer.
      if (isConnectionBroken(error)) this.#isBroken = true;
      throw error;
    }
  }

  #send<Row extends PostgresRow>({ text, values, name = preparedName(text) }: SentStatement) {
    return this.#client.query<Row>({
      text,
      values: [...values],
      ...(name === undefined ? {} : { name }),
    });
  }

  release(): void {
    this.#client.off('error', this.#onError);
    this.#client.release(this.#isBroken);
    this.#onRelease();
  }

  /** Closes it at once. The caller tries another connection. */
  drop(): void {
    this.#client.off('error', this.#onError);
    this.#client.release(true);
  }
}

interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name?: string | undefined;
}

const noRows = { command: 'SELECT' as const, rowCount: 0, rows: [] };

/**
 * Waits for all, and rejects like the first that does. After a failure, PostgreSQL refuses the statements behind it, and answers a commit with a
 * rollback that looks like success.
 */
async function requireAll(results: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(results);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Connects to the current host, whatever host the driver names. */
class HostSocket extends Socket {
  readonly #host: () => PostgresHost;

  constructor(host: () => PostgresHost) {
    super();
    this.#host = host;
  }

  // The driver calls only connect(port, host), no other overload.
  override connect(): this {
    const { host, port } = this.#host();
    return super.connect(port, host);
  }
}

/** Parses int8 (counts, milliseconds) as a number: all values are far below 2^53. Other types as in the driver. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8 && format !== 'binary') return Number;
  return pg.types.getTypeParser(oid, format);
}
