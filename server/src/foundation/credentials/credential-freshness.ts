import { type Kysely, sql } from 'kysely';
import type { Database, PostgresDatabase } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

/**
 * Decides whether remembered credentials are still valid.
 *
 * Every change that takes something from a credential (revocation, other permissions, another expiry, the end
 * of its project) advances one number in the same transaction. A replica that reads the number after a request arrived, and finds it unchanged, knows
 * that everything it remembers was valid when the request arrived: a change that was answered earlier was also committed earlier, and would be
 * visible. No notification is needed, so none can be lost.
 */
export interface CredentialFreshness {
  /**
   * The number for which the memory is valid; undefined before the first read. A statement that checks this number itself needs no `confirm` before it.
   */
  readonly generation: number | undefined;
  /** Undefined if the memory is always valid; otherwise resolves when it is valid for every request that arrived before the call. */
  confirm(): Promise<void> | undefined;
}

/** Embedded engine: only this process changes credentials, and it forgets what it changes. */
const alwaysFresh: CredentialFreshness = { generation: 0, confirm: () => undefined };

/**
 * Call it as the last statement of a transaction that takes something from a credential. All projects share the number, so a transaction that holds
 * its lock must not wait for any other lock. docs/decisions/0014-one-order-of-locks.md has the
 * order of all locks.
 */
export async function noteCredentialChange(trx: Kysely<Tables>): Promise<void> {
  await trx.updateTable('credential_changes').set({ generation: sql`generation + 1` }).execute();
}

/** Forgets what is remembered of the database. */
interface Forgetting {
  readonly credentials: () => void;
  /** What fleets serve: the same read tells whether that has changed. */
  readonly fleets: () => void;
}

/** Where lists are read. The same read tells what they must include, for the same reason: a change that was answered earlier is visible. */
interface StandbyOfLists {
  requireChange(position: number): void;
}

/** Numbers that grow with every change of credentials, and with every change of what fleets serve. */
type Generations = Readonly<Record<'generation' | 'fleet_generation', number>>;

/** Chooses by engine: a shared database has other writers. */
export function createCredentialFreshness(
  database: Database,
  forget: Forgetting,
  standby?: StandbyOfLists,
): CredentialFreshness {
  if (database.engine === 'sqlite') return alwaysFresh;
  const read = () =>
    standby === undefined ? readGenerations(database) : readGenerationsAndPosition(database, standby);
  return new SharedFreshness(read, forget);
}

/** Reads the number for each request. Requests that arrive together share one read. */
export class SharedFreshness implements CredentialFreshness {
  readonly #read: () => Promise<Generations>;
  readonly #forget: Forgetting;
  #generation: number | undefined;
  #fleetGeneration: number | undefined;
  #next: Promise<void> | undefined;
  #current: Promise<void> = Promise.resolve();

  constructor(read: () => Promise<Generations>, forget: Forgetting) {
    this.#read = read;
    this.#forget = forget;
  }

  get generation(): number | undefined {
    return this.#generation;
  }

  /** A read that is under way began before this request and proves nothing for it, so the request waits for the next read. */
  confirm(): Promise<void> {
    if (this.#next === undefined) {
      const before = this.#current.catch(() => undefined);
      this.#next = before.then(() => {
        this.#next = undefined;
        this.#current = this.#look();
        return this.#current;
      });
    }
    return this.#next;
  }

  async #look(): Promise<void> {
    const { generation, fleet_generation: fleetGeneration } = await this.#read();
    if (fleetGeneration !== this.#fleetGeneration) {
      this.#forget.fleets();
      this.#fleetGeneration = fleetGeneration;
    }
    if (generation === this.#generation) return;
    this.#forget.credentials();
    this.#generation = generation;
  }
}

/** Prepared, because each request waits for it. */
async function readGenerations({ postgres }: PostgresDatabase): Promise<Generations> {
  const [row] = await postgres.query<Generations>(
    'select generation, fleet_generation from credential_changes',
    [],
    'read-credential-generation',
  );
  if (row === undefined) throw new Error('credential_changes has one row');
  return row;
}

async function readGenerationsAndPosition(
  { postgres }: PostgresDatabase,
  standby: StandbyOfLists,
): Promise<Generations> {
  const [row] = await postgres.query<Generations & { readonly list_position: number }>(
    'select generation, fleet_generation, list_position from credential_changes',
    [],
    'read-generations-and-position',
  );
  if (row === undefined) throw new Error('credential_changes has one row');
  standby.requireChange(row.list_position);
  return row;
}
