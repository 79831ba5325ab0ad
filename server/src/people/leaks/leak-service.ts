import type { TokenLeak } from '@muster/contract';
import { redactText } from '@muster/redaction';
import type { Kysely } from 'kysely';
import type { Clock, NewID } from '../../foundation/clock.ts';
import type { RequestOrigin } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { digestToken, type TokenDigest } from '../../foundation/secret.ts';
import type { LeakMode } from '../../foundation/settings/setting-types.ts';
import type { AuditChange } from '../../record/audit/audit-service.ts';
import { LeakQueue } from './leak-queue.ts';
import { deleteLeaks, insertLeaks, type LeakRow, listLeaks } from './leak-store.ts';

/** A value that somebody reported as found. The value itself is not stored. */
export interface LeakedValue {
  readonly digest: TokenDigest;
  /** Where it was found, in the words of whoever reported it; without secrets. */
  readonly source: string | null;
  /** The report, for the audit log. */
  readonly by: {
    readonly kind: 'system';
    readonly name: string;
    readonly origin: { readonly address: string | undefined; readonly requestID: string };
  };
}

/** What was done about a valid credential. */
export interface HandledLeak {
  readonly kind: 'project' | 'access' | 'agent' | 'core_instance' | 'invitation' | 'session' | 'sign_in_link';
  /** Of the token, the agent, the core instance, the invitation, the session or the link. */
  readonly id: string;
  readonly projectID: string | undefined;
  readonly isRevoked: boolean;
}

/** Knows the credentials of one kind, and deals with those that were found in public. */
export interface LeakKeeper {
  /** Those of the digests that are of values of its credentials. One statement, whatever it finds. */
  findLeaked(digests: readonly TokenDigest[]): Promise<readonly string[]>;
  /** Does nothing about a value that is not valid, or that was dealt with before. Undefined: nothing was done. */
  handleLeak(leak: LeakedValue, mode: LeakMode): Promise<HandledLeak | undefined>;
}

/** How a kind of credential differs from the others when a value of it was found in public. */
export interface LeakableKind extends Pick<LeakKeeper, 'findLeaked'> {
  readonly kind: HandledLeak['kind'];
  /** Whatever MUSTER_LEAKED_TOKENS is: it belongs to nobody who could be told, or another one is created easily. */
  readonly isAlwaysEnded: boolean;
  /** Finds the credential of the value and locks it, with what depends on it. Undefined: the value is not valid. */
  lock(trx: Kysely<Tables>, leak: LeakedValue): Promise<LeakedCredential | undefined>;
}

/** A valid credential whose value was found. It is locked, and what is called here belongs to the transaction of the lock. */
interface LeakedCredential {
  readonly id: string;
  readonly projectID?: string;
  /** True if the value was reported before: it is ended, but nobody is told again. */
  readonly isTold?: boolean;
  /** Notes at the credential that it was found. */
  mark?(): Promise<void>;
  /** Ends the value, and what depends on it. Absent: `lock` has ended it. */
  end?(): Promise<unknown>;
  /** For the audit log. */
  change(isRevoked: boolean): AuditChange;
  /** For the listeners of its project. */
  event?(isRevoked: boolean): { readonly type: string } & Readonly<Record<string, unknown>>;
  /** Called in the turn of the commit. */
  forget?(): void;
}

/** Shown as the reason of a revoked token. */
export const leakReason = 'Its value was reported as found in public';

interface LeakServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly keepers: readonly LeakKeeper[];
  readonly mode: LeakMode;
  readonly onHandled: (handled: HandledLeak) => void;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

const portionSize = 500;
const maxSourceLength = 512;
const retryMilliseconds = 5_000;

/**
 * Credentials that somebody has found in public.
 *
 * A report is stored before it is answered, and dealt with afterwards. So the answer takes the same work whether a value is real or not, and nothing
 * that was answered is lost.
 */
export class LeakService {
  readonly #options: LeakServiceOptions;
  readonly #queue: LeakQueue<LeakRow>;
  #work: Promise<void> = Promise.resolve();
  #isWoken = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: LeakServiceOptions) {
    this.#options = options;
    this.#queue = new LeakQueue({ insert: (rows) => insertLeaks(options.database, rows) });
  }

  /** Stores a report. @throws Refusal overloaded (as a rejection) */
  async report(leaks: readonly TokenLeak[], { address, requestID }: RequestOrigin): Promise<void> {
    const { clock, newID } = this.#options;
    const reportedAt = clock();
    await this.#queue.add(
      leaks.map((leak) => ({
        id: newID(),
        digest: digestToken(leak.token),
        source: sourceOf(leak),
        address: address ?? null,
        request_id: requestID,
        reported_at: reportedAt,
      })),
    );
    void this.wake();
  }

  /** Deals with stored reports, also with those that a process left behind when it was killed. */
  wake(): Promise<void> {
    if (this.#isWoken) return this.#work;
    this.#isWoken = true;
    // After the answer is sent.
    const turn = new Promise(setImmediate);
    this.#work = Promise.all([this.#work, turn]).then(() => this.#handleAll());
    return this.#work;
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry);
    await this.#work;
  }

  async #handleAll(): Promise<void> {
    const { database, closing, onFailure } = this.#options;
    this.#isWoken = false;
    try {
      while (!closing.aborted) {
        const rows = await listLeaks(database.write, portionSize);
        if (rows.length === 0) return;
        await this.#handle(rows);
      }
    } catch (error) {
      if (closing.aborted) return;
      onFailure(error);
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => void this.wake(), retryMilliseconds).unref();
    }
  }

  async #handle(rows: readonly LeakRow[]): Promise<void> {
    const { database, keepers, mode, onHandled } = this.#options;
    const digests = rows.map(({ digest }) => digest as TokenDigest); // stored by `report`
    for (const keeper of keepers) {
      const found = new Set(await keeper.findLeaked(digests));
      for (const row of rows) {
        if (!found.has(row.digest)) continue;
        const handled = await keeper.handleLeak(toLeak(row), mode);
        if (handled !== undefined) onHandled(handled);
      }
    }
    await deleteLeaks(
      database.write,
      rows.map(({ id }) => id),
    );
  }
}

function toLeak({ digest, source, address, request_id: requestID }: LeakRow): LeakedValue {
  return {
    digest: digest as TokenDigest, // stored by `report`
    source,
    by: {
      kind: 'system',
      name: 'report of a leak',
      origin: { address: address ?? undefined, requestID },
    },
  };
}

/** The place may contain secrets too, such as the user of a URL. */
function sourceOf({ url, source }: TokenLeak): string | null {
  const text = redactText([url ?? '', source ?? ''].filter((part) => part !== '').join(' ')).toWellFormed();
  return text === '' ? null : text.slice(0, maxSourceLength).toWellFormed();
}
