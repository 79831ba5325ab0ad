import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Clock, MonotonicClock } from '../clock.ts';
import { Refusal } from '../refusal.ts';
import type { PostgresDatabase } from './database.ts';
import { type ListOptions, type ListSource, type Lists, sourceOf } from './lists.ts';
import { type PostgresLocation, parseDatabaseUrl } from './postgres/database-url.ts';
import { isPostgresTimeLimit } from './postgres/postgres-failures.ts';
import type { PostgresPool } from './postgres/postgres-pool.ts';
import { maxLagMilliseconds, PrimaryPositions } from './postgres/primary-positions.ts';
import { openStandbySession, type StandbySession } from './postgres/standby-session.ts';
import { preparedAs } from './prepared-name.ts';
import type { Tables } from './tables.ts';

/** Why lists are read from the standby, or why not. */
export type StandbyState = 'used' | 'behind' | 'failed' | 'no_standby' | 'diverged' | 'of_another';

interface StandbyOptions {
  readonly url: string;
  readonly primary: PostgresDatabase;
  readonly clock: Clock;
  readonly monotonic: MonotonicClock;
  /** Called when the state changes. */
  readonly onChange: (state: StandbyState, error?: unknown) => void;
}

/** Thrown inside of this file: the primary is asked, and nothing is wrong with the standby. */
class TooOld extends Error {
  override readonly name = 'TooOld';
}

/** How long a list may take on the standby before the primary is asked. */
const maxListMilliseconds = 3_000;
/** The same for the question how far it is, which also precedes each search. */
const maxLookMilliseconds = 2_000;
const firstBackOffMilliseconds = 1_000;
const maxBackOffMilliseconds = 30_000;

/** In bytes, below 2^53 for 9 PB of log. */
const bytes = (lsn: string) => `(${lsn} - '0/0'::pg_lsn)::bigint`;

const positionSql = `select ${bytes('pg_current_wal_flush_lsn()')} as position`;
const insertedSql = `select ${bytes('pg_current_wal_insert_lsn()')} as position`;
/** Lost in a crash of the primary at worst: then lists may lack the last changes until the standby has them. */
const changeSql = `
  with unsynced as (select set_config('synchronous_commit', 'off', true))
  update credential_changes set list_position = ${bytes('pg_current_wal_insert_lsn()')} from unsynced
  returning list_position as position`;
/** Physical copies of one cluster have the same numbers. */
const identitySql = `(select system_identifier::text from pg_control_system()) as system,
  (select oid::bigint from pg_database where datname = current_database()) as base`;
const lookSql = `
  select pg_is_in_recovery() as "isStandby", ${bytes('pg_last_wal_replay_lsn()')} as replayed, ${identitySql}`;
const replayedSql = `
  select pg_is_in_recovery() as "isStandby", ${bytes('pg_last_wal_replay_lsn()')} as replayed`;

type Identity = Readonly<Record<'system' | 'base', string | number>>;

type Replayed = { readonly isStandby: boolean; readonly replayed: number | null };

/**
 * Reads lists from a hot standby (MUSTER_READ_DATABASE_URL) while it is at most a few seconds behind, and has what users have changed. Otherwise, and
 * whenever it fails, the same list is read from the primary.
 *
 * How far it must be is compared by positions in the log of the primary: the clock of the standby says nothing, and neither do ids of transactions, which a
 * standby judges wrongly. The position is asked for before the list, in a statement of its own: a statement sees the data of the moment in which it began,
 * and may be told of a later position.
 */
export class Standby implements Lists {
  readonly #options: StandbyOptions;
  readonly #location: PostgresLocation;
  readonly #positions = new PrimaryPositions();
  readonly #counts = { standby: 0, primary: 0 };
  #session: StandbySession;
  #turn = 0;
  #state: StandbyState | undefined;
  #identity: Identity | undefined;
  #replayed = 0;
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;
  /** What every list must include: the last change by a user at any replica, and the last event that this one has told of. */
  #required = { ofChange: 0, ofEvent: 0 };
  /** When the last change by a user was first known here. */
  #changed = { at: 0, since: Number.NEGATIVE_INFINITY };
  #onlyPrimaryUntil = Number.NEGATIVE_INFINITY;

  constructor(options: StandbyOptions) {
    this.#options = options;
    this.#location = parseDatabaseUrl(options.url);
    this.#session = openStandbySession(this.#location, 0);
  }

  /** Looks at the standby for the first time. It may be away. Returns false if it is no copy of this database. */
  async start(): Promise<boolean> {
    // A restored database has a position of another log.
    await this.noteChange();
    await this.look();
    return this.#state !== 'of_another';
  }

  get figures() {
    const { monotonic } = this.#options;
    const reached = this.#positions.reachedBy(this.#replayed);
    const isKnown = this.#state === 'used' || this.#state === 'behind';
    const lagMilliseconds = !isKnown || reached === undefined ? Number.NaN : monotonic() - reached.since;
    return { ...this.#counts, isUsed: this.#isUsable(), lagMilliseconds };
  }

  async read<Result>(
    caller: { readonly kind: string } | undefined,
    read: (source: ListSource) => Promise<Result>,
    { isSearch = false }: ListOptions = {},
  ): Promise<Result> {
    if (caller?.kind === 'access' && this.#isUsable()) {
      try {
        const reading = this.#readFromStandby(read);
        const result = await (isSearch ? reading : endWithin(reading, maxListMilliseconds));
        this.#counts.standby += 1;
        this.#failures = 0;
        return result;
      } catch (error) {
        if (error instanceof Refusal || (isSearch && isPostgresTimeLimit(error))) throw error;
        if (!(error instanceof TooOld)) this.#noteFailure(error);
      }
    }
    this.#counts.primary += 1;
    return read(sourceOf(this.#options.primary));
  }

  /** Looks how far it is. Called once a second. */
  async look(): Promise<void> {
    const { primary, clock, monotonic } = this.#options;
    const found = await this.#findReplayed();
    const asked = { at: clock(), since: monotonic() };
    const [row] = await primary.postgres.query<{ position: number }>(positionSql, []);
    if (row === undefined) throw new Error('the primary did not say how far it is');
    this.#positions.add({ ...asked, position: row.position });
    if (found === undefined) return;
    // It cannot have what the primary does not: it follows another one, such as the one before a failover.
    if (found > row.position) return this.#change('diverged');
    this.#replayed = found;
    const reached = this.#positions.reachedBy(found);
    // Right after the start, nothing is known of the time before.
    const knownSince = (reached ?? this.#positions.first)?.since ?? monotonic();
    if (monotonic() - knownSince > maxLagMilliseconds) this.#change('behind');
    else if (reached !== undefined) this.#change('used');
  }

  /** Called with the position that was read from the primary for a request, before its list. */
  requireChange(position: number): void {
    if (position === this.#required.ofChange) return;
    this.#required.ofChange = position;
    this.#changed = { at: this.#options.clock(), since: this.#options.monotonic() };
  }

  /** Tells all replicas, before a change by a user is answered, what lists must include from now on. */
  async noteChange(): Promise<void> {
    await this.#require(changeSql, (position) => this.requireChange(position));
  }

  /** The same for this replica alone, before it tells of events: who gets one looks at once. */
  async noteEvents(): Promise<void> {
    await this.#require(insertedSql, (position) => {
      this.#required.ofEvent = position;
    });
  }

  async close(): Promise<void> {
    await this.#session.pool.end();
  }

  async #require(statement: string, note: (position: number) => void): Promise<void> {
    const { primary, monotonic } = this.#options;
    try {
      const [row] = await primary.postgres.query<{ position: number }>(statement, []);
      if (row === undefined) throw new Error('credential_changes has one row');
      note(row.position);
    } catch {
      // The change itself is committed. Every standby that is used has it after this time.
      this.#onlyPrimaryUntil = monotonic() + maxLagMilliseconds;
    }
  }

  #isUsable(): boolean {
    const now = this.#options.monotonic();
    return this.#state === 'used' && now >= this.#retryAt && now >= this.#onlyPrimaryUntil;
  }

  async #readFromStandby<Result>(read: (source: ListSource) => Promise<Result>): Promise<Result> {
    const { pool, db: session } = this.#session;
    return session.connection().execute(async (db) => {
      const standby = await endWithin(this.#requireRecent(db), maxLookMilliseconds);
      return read({ db, postgres: pool, standby });
    });
  }

  /** @throws TooOld */
  async #requireRecent(db: Kysely<Tables>): Promise<ListSource['standby']> {
    const now = this.#options.monotonic();
    const { rows } =
      await sql<Replayed>`${sql.raw(preparedAs('read-replayed-position'))} ${sql.raw(replayedSql)}`.execute(
        db,
      );
    const [{ isStandby, replayed } = { isStandby: false, replayed: null }] = rows;
    if (!isStandby || replayed === null) throw new Error('it is no standby any more');
    const reached = this.#positions.reachedBy(replayed);
    const { ofChange, ofEvent } = this.#required;
    if (reached === undefined || now - reached.since > maxLagMilliseconds) throw new TooOld();
    if (replayed < ofChange || replayed < ofEvent) throw new TooOld();
    const { at: changedAt, since } = this.#changed;
    return {
      asOf: reached.at,
      changedAt: now - since <= maxLagMilliseconds ? changedAt : undefined,
      tooOld: () => new TooOld(),
    };
  }

  /** The position of the standby; undefined if it cannot be used now. */
  async #findReplayed(): Promise<number | undefined> {
    if (this.#options.monotonic() < this.#retryAt) return undefined;
    try {
      const found = await endWithin(
        this.#session.pool.query<Replayed & Identity>(lookSql, []),
        maxLookMilliseconds,
      );
      const [row] = found;
      if (row === undefined) throw new Error('it did not say how far it is');
      this.#identity ??= await readIdentity(this.#options.primary.postgres);
      if (row.system !== this.#identity.system || row.base !== this.#identity.base) {
        this.#moveOn('of_another');
      } else if (!row.isStandby || row.replayed === null) {
        this.#moveOn('no_standby');
      } else {
        return row.replayed;
      }
    } catch (error) {
      this.#noteFailure(error);
    }
    return undefined;
  }

  #noteFailure(error: unknown): void {
    // Requests that were under way fail together.
    if (this.#options.monotonic() < this.#retryAt) return;
    this.#moveOn('failed', error);
  }

  /** Tries again after a while, with new connections: a name may lead to another server by then. */
  #moveOn(state: StandbyState, error?: unknown): void {
    const wait = Math.min(maxBackOffMilliseconds, firstBackOffMilliseconds * 2 ** this.#failures);
    this.#failures += 1;
    this.#retryAt = this.#options.monotonic() + wait;
    this.#turn += 1;
    const { pool } = this.#session;
    this.#session = openStandbySession(this.#location, this.#turn);
    // Lists that are under way still use it.
    pool.end().catch(() => undefined);
    this.#change(state, error);
  }

  #change(state: StandbyState, error?: unknown): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.onChange(state, error);
  }
}

async function readIdentity(primary: PostgresPool): Promise<Identity> {
  const [row] = await primary.query<Identity>(`select ${identitySql}`, []);
  if (row === undefined) throw new Error('the primary did not say which cluster it is');
  return row;
}

/** What ends later is not heard of. */
async function endWithin<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  work.catch(() => undefined);
  const over = new AbortController();
  const late = pause(milliseconds, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new Error(`the standby did not answer within ${milliseconds / 1_000} s`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}
