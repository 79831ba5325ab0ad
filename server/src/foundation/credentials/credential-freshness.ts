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

/** Chooses by engine: a shared database has other writers. */
export function createCredentialFreshness(database: Database, forgetAll: () => void): CredentialFreshness {
  return database.engine === 'sqlite'
    ? alwaysFresh
    : new SharedFreshness(() => readGeneration(database), forgetAll);
}

/** Reads the number for each request. Requests that arrive together share one read. */
export class SharedFreshness implements CredentialFreshness {
  readonly #read: () => Promise<number>;
  readonly #forgetAll: () => void;
  #generation: number | undefined;
  #next: Promise<void> | undefined;
  #current: Promise<void> = Promise.resolve();

  constructor(read: () => Promise<number>, forgetAll: () => void) {
    this.#read = read;
    this.#forgetAll = forgetAll;
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
    const generation = await this.#read();
    if (generation === this.#generation) return;
    this.#forgetAll();
    this.#generation = generation;
  }
}

/** Prepared, because each request waits for it. */
async function readGeneration({ postgres }: PostgresDatabase): Promise<number> {
  const [row] = await postgres.query<{ readonly generation: number }>(
    'select generation from credential_changes',
    [],
    'read-credential-generation',
  );
  if (row === undefined) throw new Error('credential_changes has one row');
  return row.generation;
}
