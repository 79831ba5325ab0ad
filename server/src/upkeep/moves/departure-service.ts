import { hash } from 'node:crypto';
import type { DepartProject, Departure } from '@muster/contract';
import type { Kysely } from 'kysely';
import { type Clock, toTimestamp } from '../../foundation/clock.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import type { Principal } from '../../foundation/credentials/principal.ts';
import {
  digestMovedRows,
  hasSecrets,
  keyOfMoved,
  type MovedKey,
  type MovedRow,
  type RangeDigest,
  readMovedPage,
  readMovedShape,
  type StoredSecret,
} from '../../foundation/database/copy/moved-rows.ts';
import { findProjectTable, projectTables } from '../../foundation/database/copy/project-tables.ts';
import type { Database, PostgresDatabase } from '../../foundation/database/database.ts';
import { findMove, movingAt, type ProjectMove } from '../../foundation/database/moving-projects.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { SecretBox } from '../../foundation/secret-box.ts';
import { sealForTransfer } from '../../foundation/transfer-seal.ts';
import type { AuditActor, AuditService } from '../../record/audit/audit-service.ts';
import * as store from './move-store.ts';

interface DepartureServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Pick<AuditService, 'record' | 'settleAll'>;
  readonly box: SecretBox;
  readonly version: string;
  /** Tells other replicas that what fleets serve has changed, in the transaction of a change. */
  readonly noteFleetChange: (trx: Kysely<Tables>) => Promise<void>;
  /** Called in the same turn of the event loop in which a project was frozen, thawed or has moved. */
  readonly onChanged: () => void;
  /** Writes what this process has accepted and has only in memory. */
  readonly flush: () => Promise<void>;
  /** Counts everything of a project that is committed, and by that stores the groups of all its errors. @throws Refusal overloaded if that takes some seconds */
  readonly countAll: (projectID: string) => Promise<void>;
  /** The same, for as long as a read waits. */
  readonly countSoon: (projectID: string) => Promise<void>;
}

/** Its rows follow from errors. */
const countedTable = 'agent_error_groups';
const freezeMilliseconds = 5 * 60_000;
/**
 * Until then, other replicas have written what they had accepted in memory: signs of life and uses of credentials after five seconds, and which token a
 * machine reported with after fifteen, longer than all others (`registration-service.ts`). Five more are for the writes.
 */
const writeBehindMilliseconds = 20_000;
/** More than any transaction of Muster may take that writes. */
const maxWaitMilliseconds = 30_000;

interface DepartingPage extends RangeDigest {
  readonly columns: readonly string[];
  readonly rows: readonly MovedRow[];
  /** Undefined: there are no more rows. */
  readonly last: MovedKey | undefined;
}

/** Projects that leave for another installation. */
export class DepartureService {
  readonly #options: DepartureServiceOptions;

  constructor(options: DepartureServiceOptions) {
    this.#options = options;
  }

  /** @throws Refusal not_found, project_move_refused */
  async take(principal: Principal, projectID: string, wanted: DepartProject): Promise<Departure> {
    await this.thawDue();
    const move = await this.#require(projectID);
    const given = { ...wanted, runID: wanted.runID.toLowerCase() };
    switch (given.step) {
      case 'begin':
        requireTarget(move, given.targetURL, given.insteadOf);
        break;
      case 'copy':
        await this.#copy(principal, projectID, given);
        break;
      case 'freeze':
        await this.#freeze(principal, projectID, given);
        break;
      case 'leave':
        await this.#leave(principal, projectID, given);
        break;
      case 'thaw':
        await this.#thaw(projectID, principal, ({ run_id: runID }) => runID === given.runID);
    }
    return this.#describe(projectID);
  }

  /** The rows that follow a key. @throws Refusal not_found, project_move_refused, overloaded */
  async readRows(
    projectID: string,
    tableName: string,
    after: MovedKey | undefined,
    publicKey: string | undefined,
  ): Promise<DepartingPage> {
    const { database, countAll, countSoon } = this.#options;
    const move = await this.#require(projectID);
    if (publicKey !== undefined && !(isLeaving(move) && move.public_key === publicKey))
      throw new Refusal('project_move_refused', {
        detail:
          'No secret is read with this publicKey: no run of the command has named it in its step `copy`, or another run has begun since. Run the command again.',
      });
    const table = findProjectTable(tableName);
    if (table === undefined)
      throw new Refusal('project_move_refused', { detail: `No rows of a table ${tableName} are moved.` });
    // While it works, errors come anyway.
    if (tableName === countedTable)
      await (move?.state === 'frozen' || move?.state === 'moved' ? countAll : countSoon)(projectID);
    const shape = await readMovedShape(database, table, this.#options.box.keyIDs);
    const seal =
      publicKey === undefined
        ? undefined
        : (secret: StoredSecret) => this.#seal(secret, publicKey, tableName);
    const range = { after, through: undefined };
    const rows = await readMovedPage(database, database.search, projectID, shape, range, seal);
    const last = rows.at(-1);
    return {
      columns: shape.columns,
      rows,
      last: last && keyOfMoved(shape, last),
      ...digestMovedRows(shape, rows),
    };
  }

  /** Ends freezes whose command has gone away. */
  async thawDue(): Promise<void> {
    const { database, clock } = this.#options;
    for (const { project_id: projectID } of await store.listThawing(database.read, clock())) {
      const by = { kind: 'system', name: null } as const;
      await this.#thaw(projectID, by, ({ frozen_until: until }) => until !== null && until <= clock());
    }
  }

  async #require(projectID: string): Promise<ProjectMove | undefined> {
    const { database } = this.#options;
    const project = await store.findProject(database.read, projectID);
    const move = await findMove(database.read, projectID);
    if (project === undefined || move?.state === 'arriving')
      throw new Refusal('not_found', { detail: `There is no project ${projectID} here that can leave.` });
    return move;
  }

  /** From its commit on, this run is in charge, and its key can read secrets. Repeating it changes nothing. */
  async #copy(
    principal: Principal,
    projectID: string,
    { runID, targetURL, publicKey = null, insteadOf }: DepartProject,
  ): Promise<void> {
    const { database, audit, box } = this.#options;
    if (publicKey === null && (await hasSecrets(database, projectID, box.keyIDs)))
      throw new Refusal('project_move_refused', {
        detail: `The project has secrets, and ${targetURL} cannot store any, because it has no MUSTER_SECRET_KEY. Set it there, start it again, and run the command again.`,
      });
    await database.write.transaction().execute(async (trx) => {
      const project = await store.lockProject(trx, database.engine, projectID);
      const move = await store.lockMove(trx, database.engine, projectID);
      requireTarget(move, targetURL, insteadOf);
      const run = { run_id: runID, other_url: targetURL, public_key: publicKey };
      const isKnown = move?.run_id === runID && move.other_url === targetURL && move.public_key === publicKey;
      if (project === undefined || isKnown) return;
      // The log of a project that is frozen takes this entry alone. That of one that has moved is not here any more.
      await store.removeMove(trx, projectID);
      await audit.record(trx, principal, {
        projectID: move?.state === 'moved' ? null : projectID,
        action: 'project.departing',
        target: { kind: 'project', id: projectID, name: project.name },
        after: { targetURL, publicKeyDigest: publicKey && hash('sha256', publicKey) },
      });
      const state = isLeaving(move) ? move.state : 'leaving';
      const times = { started_at: move?.started_at ?? 0, frozen_until: move?.frozen_until ?? null };
      await store.putMove(trx, { project_id: projectID, state, ...times, ...run });
    });
  }

  async #freeze(principal: Principal, projectID: string, { runID, targetURL }: DepartProject): Promise<void> {
    const { database, clock, audit, onChanged } = this.#options;
    if (database.engine === 'postgres') await refuseLongTransaction(database);
    // Before, so that little has to be recorded in a log that stands still.
    await audit.settleAll();
    await database.write.transaction().execute(async (trx) => {
      const project = await store.lockProject(trx, database.engine, projectID);
      const move = await store.lockMove(trx, database.engine, projectID);
      requireTarget(move, targetURL);
      if (project === undefined || move?.state === 'moved') return;
      if (isLeaving(move) && move.run_id !== runID)
        throw new Refusal('project_move_refused', {
          detail:
            'Another run of the command has begun since, and is in charge of this project. Let that one finish, or run the command again.',
        });
      const frozenUntil = clock() + freezeMilliseconds;
      if (move?.state === 'frozen') {
        await store.changeMove(trx, projectID, { other_url: targetURL, frozen_until: frozenUntil });
        return;
      }
      await audit.record(trx, principal, {
        projectID,
        action: 'project.frozen',
        target: { kind: 'project', id: projectID, name: project.name },
        after: { targetURL },
      });
      await store.putMove(trx, {
        project_id: projectID,
        state: 'frozen',
        run_id: runID,
        other_url: targetURL,
        started_at: clock(),
        frozen_until: frozenUntil,
        public_key: isLeaving(move) ? move.public_key : null,
      });
      await store.setDeletedAt(trx, projectID, movingAt);
      await this.#note(trx);
    });
    onChanged();
    await this.#settle(projectID);
  }

  /** Resolves when everything is committed that began before the project was frozen. */
  async #settle(projectID: string): Promise<void> {
    const { database, audit, flush, countAll } = this.#options;
    if (database.engine === 'postgres') {
      const frozenAt = await store.readDatabaseTime(database);
      const end = performance.now() + maxWaitMilliseconds;
      for (;;) {
        const older = await store.findOlderTransaction(database, frozenAt);
        if (older === undefined) break;
        if (performance.now() > end) throw refuseTransaction(older);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    await flush();
    await countAll(projectID);
    await audit.settleAll();
  }

  /** From its commit on, nothing is ever accepted here for the project. Repeating it changes nothing. */
  async #leave(principal: Principal, projectID: string, { runID, targetURL }: DepartProject): Promise<void> {
    const { database, clock, audit, onChanged } = this.#options;
    await database.write.transaction().execute(async (trx) => {
      const project = await store.lockProject(trx, database.engine, projectID);
      const move = await store.lockMove(trx, database.engine, projectID);
      requireTarget(move, targetURL);
      if (move?.state === 'moved') return;
      if (
        project === undefined ||
        move?.state !== 'frozen' ||
        move.run_id !== runID ||
        hasEnded(move, clock())
      )
        throw new Refusal('project_move_refused', {
          detail:
            'The project is not frozen by this run of the command: another run has begun, or the freeze has ended by itself. The project is here and works. Run the command again.',
        });
      if (await store.hasPendingEntries(trx, projectID))
        throw new Refusal('project_move_refused', {
          detail: 'Entries of the audit log of the project are not recorded yet. Run the command again.',
        });
      await store.changeMove(trx, projectID, { state: 'moved', frozen_until: null });
      await audit.record(trx, principal, {
        projectID: null,
        action: 'project.moved',
        target: { kind: 'project', id: projectID, name: project.name },
        after: { targetURL: move.other_url },
      });
      await this.#note(trx);
    });
    onChanged();
  }

  async #thaw(projectID: string, by: AuditActor, isMeant: (move: ProjectMove) => boolean): Promise<void> {
    const { database, audit, onChanged } = this.#options;
    await database.write.transaction().execute(async (trx) => {
      const project = await store.lockProject(trx, database.engine, projectID);
      const move = await store.lockMove(trx, database.engine, projectID);
      if (project === undefined || move?.state !== 'frozen' || !isMeant(move)) return;
      await store.changeMove(trx, projectID, { state: 'leaving', frozen_until: null });
      await store.setDeletedAt(trx, projectID, null);
      await store.countAgentsAnew(trx, projectID);
      await audit.record(trx, by, {
        projectID,
        action: 'project.thawed',
        target: { kind: 'project', id: projectID, name: project.name },
      });
      await this.#note(trx);
    });
    onChanged();
  }

  async #note(trx: Kysely<Tables>): Promise<void> {
    await this.#options.noteFleetChange(trx);
    await noteCredentialChange(trx);
  }

  async #describe(projectID: string): Promise<Departure> {
    const { database, clock, version } = this.#options;
    const project = await store.findProject(database.read, projectID);
    const move = await findMove(database.read, projectID);
    if (project === undefined)
      throw new Refusal('not_found', { detail: `There is no project ${projectID} here that can leave.` });
    const state = move?.state === 'frozen' || move?.state === 'moved' ? move.state : 'here';
    const isShared = database.engine === 'postgres' && state === 'frozen' && move !== undefined;
    const until = move?.frozen_until ?? null;
    return {
      projectID,
      name: project.name,
      state,
      targetURL: state === 'here' ? null : (move?.other_url ?? null),
      frozenUntil: until === null ? null : toTimestamp(until),
      settledInMilliseconds: isShared ? Math.max(0, move.started_at + writeBehindMilliseconds - clock()) : 0,
      lastEvent: await store.readLastEvent(database.read, projectID),
      version,
      migrations: await store.listMigrations(database.read),
      tables: projectTables.map(({ name, rows }) => ({ name, isReplaced: rows === 'replaced' })),
    };
  }

  /** @throws Refusal project_move_refused */
  #seal({ text, keyID, id }: StoredSecret, publicKey: string, table: string): string {
    const plain = keyID === undefined ? text : this.#options.box.open({ sealed: text, keyID }, id);
    if (plain === undefined)
      throw new Refusal('project_move_refused', {
        detail: `A secret in the table ${table} cannot be read here, because this installation does not have the key that it was encrypted with. Set MUSTER_SECRET_KEY to that key, or set the secret again.`,
      });
    try {
      return sealForTransfer(publicKey, plain, id);
    } catch {
      throw new Refusal('project_move_refused', { detail: 'publicKey is not an X25519 key.' });
    }
  }
}

/** Whether it leaves, or has left: a project that has arrived once may be here, too. */
function isLeaving(move: ProjectMove | undefined): move is ProjectMove {
  return move !== undefined && ['leaving', 'frozen', 'moved'].includes(move.state);
}

/** Before anything is frozen: it would be for nothing. @throws Refusal project_move_refused */
async function refuseLongTransaction(database: PostgresDatabase): Promise<void> {
  const before = await store.readDatabaseTime(database, maxWaitMilliseconds);
  const older = await store.findOlderTransaction(database, before);
  if (older !== undefined) throw refuseTransaction(older);
}

function refuseTransaction({ pid, application }: store.OpenTransaction): Refusal {
  return new Refusal('project_move_refused', {
    detail: `A transaction of the database has been open for half a minute, in the session ${pid}${application === '' ? '' : ` of '${application}'`}. Nobody knows what it will still write, so the project does not leave. Wait until it has ended, or end it with pg_terminate_backend(${pid}), and run the command again.`,
  });
}

/** Two installations would accept its credentials otherwise. @throws Refusal project_move_refused */
function requireTarget(move: ProjectMove | undefined, targetURL: string, insteadOf?: string): void {
  if (move?.state !== 'moved' || [targetURL, insteadOf].includes(move.other_url)) return;
  throw new Refusal('project_move_refused', {
    detail: `The project has left for ${move.other_url}, and does not go to ${targetURL} too: both would accept its agents and tokens. Move it from ${move.other_url} on. If that installation is lost, run the command again with --instead-of ${move.other_url}.`,
  });
}

function hasEnded({ frozen_until: until }: ProjectMove, now: number): boolean {
  return until !== null && until <= now;
}
