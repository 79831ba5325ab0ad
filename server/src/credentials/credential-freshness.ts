import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

/**
 * Whether credentials that are held in memory may still be believed.
 *
 * Every change that takes something from a credential (revocation, other permissions, another expiry, the end
 * of its project) advances one number in the same transaction. A replica that reads the number after a request
 * arrived, and finds it unmoved, knows that everything it holds was true when the request arrived: a change
 * whose answer was sent before had committed before, and would show. Nothing has to be notified, so that there
 * is no message to lose.
 */
export interface CredentialFreshness {
  /**
   * The number under which what is in memory was read; undefined before it was ever read. A statement that
   * checks it by itself need not be preceded by `confirm`.
   */
  readonly generation: number | undefined;
  /** Undefined where memory is always right; else resolves when it is right for requests that came before. */
  confirm(): Promise<void> | undefined;
}

/** Embedded: this process alone changes credentials, and forgets what it changes. */
const alwaysFresh: CredentialFreshness = { generation: 0, confirm: () => undefined };

/**
 * To be called in the transaction that takes something from a credential, as its last statement: all projects share
 * the number, so whoever holds it must not wait for any other lock. docs/decisions/0014-one-order-of-locks.md has the
 * order of all locks.
 */
export async function noteCredentialChange(trx: Kysely<Tables>): Promise<void> {
  await trx.updateTable('credential_changes').set({ generation: sql`generation + 1` }).execute();
}

/** Freshness by the engine: shared databases have other writers. */
export function createCredentialFreshness(database: Database, forgetAll: () => void): CredentialFreshness {
  return database.engine === 'sqlite'
    ? alwaysFresh
    : new SharedFreshness(() => readGeneration(database.read), forgetAll);
}

/** Compares the number at each request; requests that arrive together share one look. */
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

  /** A look that is under way began before this request, and says nothing about it: the next one does. */
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

async function readGeneration(db: Kysely<Tables>): Promise<number> {
  const { generation } = await db
    .selectFrom('credential_changes')
    .select('generation')
    .executeTakeFirstOrThrow();
  return generation;
}
