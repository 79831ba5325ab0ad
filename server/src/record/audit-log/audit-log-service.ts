import { type AuditChain, type AuditEntry, firstPreviousDigest } from '@muster/contract';
import type { Clock } from '../../foundation/clock.ts';
import type { Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { deleteInPortions } from '../../foundation/database/delete-in-portions.ts';
import { type Page, type PageOf, toPage } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { chainOf } from '../audit/audit-service.ts';
import * as store from './audit-log-store.ts';
import { toAuditChain, toAuditEntry } from './to-audit-entry.ts';

interface AuditLogServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Records what waits to be recorded. */
  readonly settle: () => Promise<void>;
  /** Throws the Refusal not_found if the caller may not see the project. */
  readonly projects: { requireProject(principal: Principal, projectID: string): Promise<unknown> };
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  /** For so many days entries are kept; 0: for ever. */
  readonly days: number;
}

const dayMilliseconds = 86_400_000;
/** Of an export, so many entries are held in memory. */
const exportPortion = 200;
const removalPortion = 500;
const maxChains = 100;

/** Reads the audit log, and removes what is too old. */
export class AuditLogService {
  readonly #options: AuditLogServiceOptions;

  constructor(options: AuditLogServiceOptions) {
    this.#options = options;
  }

  /** @throws Refusal not_found, permission_denied */
  async requireProject(principal: Principal, projectID: string): Promise<void> {
    await this.#options.projects.requireProject(principal, projectID);
  }

  async list(filter: store.AuditFilter, page: Page): Promise<PageOf<store.AuditEntryRow>> {
    const { database, settle } = this.#options;
    await settle();
    return toPage(await store.listEntries(database.search, filter, page), page);
  }

  /** The ends of the log of a project; null: of what belongs to no project. */
  async getChain(projectID: string | null): Promise<AuditChain> {
    const { database, settle } = this.#options;
    await settle();
    const row = await store.findChain(database.read, chainOf(projectID));
    return row === undefined ? emptyChain(projectID) : toAuditChain(row);
  }

  async listChains(page: Page) {
    const { database, settle } = this.#options;
    await settle();
    const { rows, hasNext } = toPage(await store.listChains(database.read, page), page);
    return { rows: rows.map(toAuditChain), hasNext };
  }

  /**
   * The log of a project in lines of JSON: its chain as it is now, and then the entries.
   *
   * @throws Refusal not_found, if the log does not have that entry any more
   */
  async export(
    projectID: string | null,
    { after = 0, limit }: ExportPortion = {},
  ): Promise<AsyncGenerator<string>> {
    const chain = await this.getChain(projectID);
    if (after <= chain.anchor.sequence) return this.#exportChain(chain, limit);
    const { database } = this.#options;
    const entry = await store.findEntry(database.read, chainOf(projectID), after);
    if (entry === undefined) {
      throw new Refusal('not_found', {
        detail: `The audit log has no entry ${after}: its entries are ${chain.anchor.sequence + 1} to ${chain.head.sequence}.`,
      });
    }
    return this.#exportChain({ ...chain, anchor: { sequence: after, digest: entry.digest } }, limit);
  }

  /** The logs of all projects, and of what belongs to none. */
  async *exportAll(): AsyncGenerator<string> {
    for (let before: string | undefined; ; ) {
      const { rows, hasNext } = await this.listChains({ limit: maxChains, before });
      for (const { projectID } of rows) yield* this.#exportChain(await this.getChain(projectID));
      if (!hasNext) return;
      before = rows.at(-1)?.id;
    }
  }

  async *#exportChain(chain: AuditChain, limit = Number.MAX_SAFE_INTEGER): AsyncGenerator<string> {
    const { database } = this.#options;
    const chainID = chainOf(chain.projectID);
    const upTo = Math.min(chain.head.sequence, chain.anchor.sequence + limit);
    yield `${JSON.stringify(chain)}\n`;
    for (let after = chain.anchor.sequence; after < upTo; ) {
      const rows = await store.listEntriesAfter(database.search, chainID, {
        after,
        upTo,
        limit: exportPortion,
      });
      const [first] = rows;
      const last = rows.at(-1);
      // Whatever else is missing, a verification of the export shows.
      if (first?.sequence !== after + 1) await this.#refuseRemoved(chainID, after);
      if (last === undefined) return;
      yield rows.map((row) => `${JSON.stringify(toAuditEntry(row) satisfies AuditEntry)}\n`).join('');
      after = last.sequence;
    }
  }

  /** Breaks the answer off: a gap that retention has made meanwhile must not look like a fault of the log. */
  async #refuseRemoved(chainID: string, after: number): Promise<void> {
    const chain = await store.findChain(this.#options.database.read, chainID);
    if (chain !== undefined && chain.removed_sequence > after) {
      throw new Error('entries were removed after MUSTER_AUDIT_DAYS during the export');
    }
  }

  /** Removes entries that are too old. */
  async purge(): Promise<void> {
    const { database, clock, closing, days } = this.#options;
    if (days === 0) return;
    const now = clock();
    const before = now - days * dayMilliseconds;
    await deleteInPortions(closing, async () => {
      const chains = await store.listChainsWithOlder(database.read, before, maxChains);
      for (const chainID of chains) {
        const portion = { chainID, before, now, limit: removalPortion };
        await deleteInPortions(closing, () =>
          database.write.transaction().execute((trx) => store.removeOlder(trx, database.engine, portion)),
        );
      }
      return chains.length;
    });
  }
}

interface ExportPortion {
  /** The sequence number after which it begins. Absent: at the beginning. */
  readonly after?: number;
  readonly limit?: number;
}

function emptyChain(projectID: string | null): AuditChain {
  const none = { sequence: 0, digest: firstPreviousDigest };
  return {
    format: 'muster-audit-log/1',
    id: chainOf(projectID),
    projectID,
    anchor: none,
    head: none,
    removedAt: null,
  };
}
