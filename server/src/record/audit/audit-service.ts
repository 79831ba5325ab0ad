import type { Kysely } from 'kysely';
import type { Clock, NewID } from '../../foundation/clock.ts';
import type { Database } from '../../foundation/database/database.ts';
import { refuseMoving } from '../../foundation/database/moving-projects.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type AuditActor, type AuditChange, makeAuditEntry, type NewAuditEntry } from './audit-entry.ts';
import * as pending from './audit-pending-store.ts';
import { appendOnPostgres } from './audit-store-postgres.ts';
import { appendOnSqlite } from './audit-store-sqlite.ts';
import { foldPending } from './fold-pending.ts';

export type { AuditActor, AuditChange } from './audit-entry.ts';
export { chainOf, projectOfChain } from './audit-row.ts';
export { changedValues } from './audit-values.ts';

interface AuditServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
}

/** How long fleet changes are collected before they are recorded. */
const momentMilliseconds = 1_000;
/** The process that did the work has probably ended. */
const abandonedMilliseconds = 60_000;

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
    const { clock, newID } = this.#options;
    const createdAt = clock();
    for (const projectID of projectsOf(changes)) await refuseMoving(trx, projectID);
    const entries = changes.map((change) => makeAuditEntry(by, change, { id: newID(), createdAt }));
    await this.#append(trx, entries);
  }

  /**
   * Like `record`, for what a whole fleet may do at once, or what is done in many transactions. It is stored in this transaction without locking the
   * log of the project, and is soon recorded together with others as one entry with `agentsCount`.
   */
  async recordLater(
    trx: Kysely<Tables>,
    by: AuditActor,
    change: AuditChange,
    { work, agentIDs }: PendingWork = {},
  ): Promise<void> {
    const { clock, newID, database } = this.#options;
    const now = clock();
    for (const projectID of projectsOf([change])) await refuseMoving(trx, projectID);
    const { id, createdAt, projectID, ...entry } = makeAuditEntry(by, change, {
      id: newID(),
      createdAt: now,
    });
    const { kind, id: actorID } = entry.actor;
    const usual = `${change.action} in ${projectID} by ${kind} ${kind === 'agent' ? '' : actorID}`;
    const ownID = change.target.kind === 'agent' && change.target.id !== null ? [change.target.id] : [];
    await pending.insertPending(trx, database.engine, {
      id,
      work: work ?? usual,
      project_id: projectID,
      due_at: now + (work === undefined ? momentMilliseconds : abandonedMilliseconds),
      created_at: createdAt,
      entry: JSON.stringify(entry),
      agent_ids: JSON.stringify(agentIDs ?? ownID),
    });
  }

  /** Records what belongs to a work that has ended. */
  async settle(work: string): Promise<void> {
    await this.#fold({ work });
  }

  /** Records what is due of all that waits. */
  async settleDue(): Promise<void> {
    while ((await this.#fold({ dueAt: this.#options.clock() })) === pending.maxPortion);
  }

  /** Records all that waits, whether it is due or not. */
  async settleAll(): Promise<void> {
    while ((await this.#fold({ dueAt: Number.MAX_SAFE_INTEGER })) === pending.maxPortion);
  }

  /** Returns the number of parts that were recorded. */
  async #fold(which: pending.PendingFilter): Promise<number> {
    const { database, clock, newID } = this.#options;
    if (!(await pending.hasPending(database.read, which))) return 0;
    return database.write.transaction().execute(async (trx) => {
      const parts = await pending.takePending(trx, database.engine, which);
      await this.#append(
        trx,
        foldPending(parts, () => ({ id: newID(), createdAt: clock() })),
      );
      return parts.length;
    });
  }

  async #append(trx: Kysely<Tables>, entries: readonly NewAuditEntry[]): Promise<void> {
    const { database } = this.#options;
    const append = database.engine === 'sqlite' ? appendOnSqlite : appendOnPostgres;
    for (const entry of entries.toSorted(byChain)) await append(trx, entry);
  }
}

/** What is recorded together with it. */
interface PendingWork {
  /** Parts with the same name become one entry when `settle` is called, or after a minute. Absent: what this actor does for a moment. */
  readonly work?: string;
  /** Absent: the agent of the target. */
  readonly agentIDs?: readonly string[];
}

function projectsOf(changes: readonly AuditChange[]): readonly string[] {
  return [...new Set(changes.flatMap(({ projectID }) => projectID ?? []))];
}

/** The order of locks. What belongs to no project comes last, because the whole installation shares it. */
function byChain(one: NewAuditEntry, other: NewAuditEntry): number {
  if (one.projectID === other.projectID) return 0;
  if (one.projectID === null) return 1;
  if (other.projectID === null) return -1;
  return one.projectID < other.projectID ? -1 : 1;
}
