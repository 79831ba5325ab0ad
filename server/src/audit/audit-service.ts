import type { Kysely } from 'kysely';
import type { Clock, NewID } from '../clock.ts';
import type { Database } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';
import { type AuditActor, type AuditChange, makeAuditEntry, type NewAuditEntry } from './audit-entry.ts';
import { appendOnPostgres } from './audit-store-postgres.ts';
import { appendOnSqlite } from './audit-store-sqlite.ts';

export type { AuditActor, AuditChange } from './audit-entry.ts';

interface AuditServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
}

/** Writes the audit log: who changed what, in the transaction of the change. */
export class AuditService {
  readonly #options: AuditServiceOptions;

  constructor(options: AuditServiceOptions) {
    this.#options = options;
  }

  /**
   * Records changes that a transaction has made. If this fails, let the transaction fail: no change is made without its entry.
   *
   * ```ts
   * await audit.record(trx, principal, {
   *   projectID,
   *   action: 'token.revoked',
   *   target: { kind: 'token', id: row.id, name: row.name },
   *   after: { reason, revokedTokensCount },
   * });
   * await noteCredentialChange(trx);
   * ```
   *
   * Call it once per transaction, after all statements but `noteCredentialChange`: on PostgreSQL it locks the end of the project's log until the
   * commit (docs/decisions/0014-one-order-of-locks.md). A change of many things is one entry with counts.
   *
   * @param by the principal that the handler of the route got, or `{ kind: 'system', name }`. A remembered principal without its request throws.
   */
  async record(trx: Kysely<Tables>, by: AuditActor, ...changes: readonly AuditChange[]): Promise<void> {
    const { database, clock, newID } = this.#options;
    const createdAt = clock();
    const entries = changes.map((change) => makeAuditEntry(by, change, { id: newID(), createdAt }));
    const append = database.engine === 'sqlite' ? appendOnSqlite : appendOnPostgres;
    for (const entry of entries.toSorted(byChain)) await append(trx, entry);
  }
}

/** The order of locks. What belongs to no project comes last, because the whole installation shares it. */
function byChain(one: NewAuditEntry, other: NewAuditEntry): number {
  if (one.projectID === other.projectID) return 0;
  if (one.projectID === null) return 1;
  if (other.projectID === null) return -1;
  return one.projectID < other.projectID ? -1 : 1;
}
