import type { Arrival, BeginArrival, FinishArrival } from '@muster/contract';
import type { Kysely } from 'kysely';
import { type Clock, isUuidv7, type NewID } from '../../foundation/clock.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import { type Principal, requireUser } from '../../foundation/credentials/principal.ts';
import {
  digestMovedRange,
  type MovedRange,
  type MovedRow,
  type RangeDigest,
  readMovedShape,
} from '../../foundation/database/copy/moved-rows.ts';
import { findProjectTable } from '../../foundation/database/copy/project-tables.ts';
import { writeArrivingPage } from '../../foundation/database/copy/write-moved-rows.ts';
import type { Database } from '../../foundation/database/database.ts';
import { findMove, movingAt, type ProjectMove } from '../../foundation/database/moving-projects.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { Secret } from '../../foundation/secret.ts';
import type { SecretBox } from '../../foundation/secret-box.ts';
import { createTransferKeys, openTransferred } from '../../foundation/transfer-seal.ts';
import type { AuditService } from '../../record/audit/audit-service.ts';
import * as store from './move-store.ts';

interface ArrivalServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record'>;
  readonly box: SecretBox;
  readonly version: string;
  /** Makes a user an owner of a project, in the transaction of its arrival. */
  readonly addOwner: (trx: Kysely<Tables>, projectID: string, userID: string) => Promise<void>;
  readonly noteFleetChange: (trx: Kysely<Tables>) => Promise<void>;
  /** Called in the same turn of the event loop in which an arrival has begun or was finished. */
  readonly onChanged: () => void;
  /** Counts everything of a project that is committed. @throws Refusal overloaded if that takes some seconds */
  readonly countAll: (projectID: string) => Promise<void>;
  /** Nothing of the project is counted until the transaction ends. */
  readonly holdCounts: (trx: Kysely<Tables>, projectID: string) => Promise<void>;
}

/** The table that is written by whoever counts errors, too. */
const countedTable = 'agent_error_groups';

/** Projects that arrive from another installation. */
export class ArrivalService {
  readonly #options: ArrivalServiceOptions;

  constructor(options: ArrivalServiceOptions) {
    this.#options = options;
  }

  /** @throws Refusal project_move_refused */
  async begin(principal: Principal, input: BeginArrival): Promise<Arrival> {
    const { database, onChanged } = this.#options;
    await this.#requireSame(input);
    const projectID = input.projectID.toLowerCase();
    // Other ids are of something else: that of the log of the installation, for one.
    if (!isUuidv7(projectID)) throw refuseID(projectID);
    await database.write.transaction().execute(async (trx) => {
      await database.takeLock(trx, `arrival of ${projectID}`);
      const project = await store.lockProject(trx, database.engine, projectID);
      const move = await store.lockMove(trx, database.engine, projectID);
      if (move?.state === 'arrived' && project?.deleted_at === null) return;
      if (move?.state === 'arriving') {
        await store.changeMove(trx, projectID, {
          run_id: input.runID.toLowerCase(),
          other_url: input.sourceURL,
          // The key of this installation was set or replaced meanwhile: what is sealed for the former pair could not be opened.
          ...(this.#openKey(move) === undefined && this.#createKeys(projectID)),
        });
        // It was deleted here before all of it had come.
        await store.setDeletedAt(trx, projectID, movingAt);
        return;
      }
      if (project !== undefined) throw refuseExisting(projectID);
      await this.#insert(trx, principal, input, projectID);
    });
    onChanged();
    return this.#describe(projectID);
  }

  /** Makes the rows of a range those that are given. @throws Refusal not_found, project_move_refused, project_page_refused, overloaded */
  async write(
    projectID: string,
    runID: string,
    { table, range, columns, rows }: WrittenRange,
  ): Promise<RangeDigest> {
    const { database, countAll } = this.#options;
    const described = findProjectTable(table);
    if (described === undefined)
      throw new Refusal('project_page_refused', { detail: `No rows of a table ${table} are moved.` });
    const shape = await readMovedShape(database, described);
    requireKeys(described.key.length, range);
    if (table === countedTable) await countAll(projectID);
    if (rows === undefined) {
      const project = await store.findProject(database.read, projectID);
      requireRun(project, await findMove(database.read, projectID), projectID, runID);
      return digestMovedRange(database, database.search, projectID, shape, range);
    }
    if (rows.length > 0 && columns?.join() !== shape.columns.join())
      throw new Refusal('project_page_refused', {
        detail: `The table ${table} has other columns here: ${shape.columns.join(', ')}.`,
      });
    await database.write.transaction().execute(async (trx) => {
      const project = await store.lockProject(trx, database.engine, projectID);
      const found = await store.lockMove(trx, database.engine, projectID);
      const move = requireRun(project, found, projectID, runID);
      const reseal = (sealed: string, id: string) => this.#reseal(move, sealed, id, described.secret?.keyID);
      await writeArrivingPage(database, trx, { projectID, shape, range, rows, reseal });
    });
    return digestMovedRange(database, database.read, projectID, shape, range);
  }

  /** From its commit on, the project is here. Repeating it changes nothing. @throws Refusal not_found, project_move_refused, overloaded */
  async finish(
    principal: Principal,
    projectID: string,
    { runID, lastEvent = 0 }: FinishArrival,
  ): Promise<Arrival> {
    const { database, audit, addOwner, noteFleetChange, onChanged, countAll, holdCounts } = this.#options;
    const { userID } = requireUser(principal);
    const known = await findMove(database.read, projectID);
    if (known?.state === 'arrived') return this.#describe(projectID);
    await countAll(projectID);
    await database.write.transaction().execute(async (trx) => {
      await holdCounts(trx, projectID);
      const project = await store.lockProject(trx, database.engine, projectID);
      const found = await store.lockMove(trx, database.engine, projectID);
      const move = requireRun(project, found, projectID, runID);
      await store.dropEvents(trx, projectID);
      await store.changeMove(trx, projectID, { state: 'arrived', sealed_key: null, key_id: null });
      await store.setDeletedAt(trx, projectID, null);
      await store.countAgentsAnew(trx, projectID);
      await addOwner(trx, projectID, userID);
      await store.dropEvents(trx, projectID);
      await store.numberEventsAfter(trx, projectID, lastEvent);
      await audit.record(trx, principal, {
        projectID,
        action: 'project.arrived',
        target: { kind: 'project', id: projectID, name: project?.name ?? null },
        after: { sourceURL: move.other_url },
      });
      await noteFleetChange(trx);
      await noteCredentialChange(trx);
    });
    onChanged();
    return this.#describe(projectID);
  }

  async #insert(
    trx: Kysely<Tables>,
    principal: Principal,
    { name, runID, sourceURL }: BeginArrival,
    projectID: string,
  ): Promise<void> {
    const { clock, audit } = this.#options;
    await store.insertProject(trx, projectID, name, clock());
    await store.putMove(trx, {
      project_id: projectID,
      state: 'arriving',
      run_id: runID.toLowerCase(),
      other_url: sourceURL,
      started_at: clock(),
      ...this.#createKeys(projectID),
    });
    await audit.record(trx, principal, {
      projectID: null,
      action: 'project.arriving',
      target: { kind: 'project', id: projectID, name },
      after: { sourceURL },
    });
    // Credentials of it may have been refused as unknown.
    await noteCredentialChange(trx);
  }

  /** @throws Refusal project_move_refused */
  async #requireSame({ version: theirs, migrations: there }: BeginArrival): Promise<void> {
    const { database, version } = this.#options;
    const here = await store.listMigrations(database.read);
    if (theirs === version && there.join() === here.join()) return;
    throw new Refusal('project_move_refused', {
      detail: `The installation that the project leaves runs Muster ${theirs}, and the one where it arrives ${version}: their rows may differ. Update the older one, and run the command again.`,
    });
  }

  /** For secrets on their way. Without a key of this installation, there are none. */
  #createKeys(projectID: string): Pick<ProjectMove, 'public_key' | 'sealed_key' | 'key_id'> {
    const { box } = this.#options;
    if (!box.canSeal) return { public_key: null, sealed_key: null, key_id: null };
    const { publicKey, privateKey } = createTransferKeys();
    const { sealed, keyID } = box.seal(privateKey.reveal(), projectID);
    return { public_key: publicKey, sealed_key: sealed, key_id: keyID };
  }

  #openKey({ sealed_key: sealed, key_id: keyID, project_id: projectID }: ProjectMove): string | undefined {
    if (sealed === null || keyID === null) return undefined;
    return this.#options.box.open({ sealed, keyID }, projectID);
  }

  #reseal(move: ProjectMove, sealed: string, id: string, storedKeyID: string | undefined) {
    const { box } = this.#options;
    const privateKey = this.#openKey(move);
    const text = privateKey && openTransferred(new Secret(privateKey), sealed, id);
    if (text === undefined) return undefined;
    if (storedKeyID === undefined) return { text };
    const stored = box.seal(text, id);
    return { text: stored.sealed, keyID: stored.keyID };
  }

  async #describe(projectID: string): Promise<Arrival> {
    const move = await findMove(this.#options.database.read, projectID);
    return {
      projectID,
      state: move?.state === 'arrived' ? 'arrived' : 'arriving',
      publicKey: move?.public_key ?? null,
    };
  }
}

interface WrittenRange {
  readonly table: string;
  readonly range: MovedRange;
  readonly columns: readonly string[] | undefined;
  /** Undefined: nothing is written. */
  readonly rows: readonly MovedRow[] | undefined;
}

/** @throws Refusal not_found, project_move_refused */
function requireRun(
  project: store.MovingProject | undefined,
  move: ProjectMove | undefined,
  projectID: string,
  runID: string,
): ProjectMove {
  if (move?.state !== 'arriving')
    throw new Refusal('not_found', { detail: `No project ${projectID} is on its way here.` });
  if (move.run_id !== runID.toLowerCase())
    throw new Refusal('project_move_refused', {
      detail:
        'Another run of the command has begun since, and is in charge of this project. Let that one finish.',
    });
  if (project?.deleted_at !== movingAt)
    throw new Refusal('project_move_refused', {
      detail:
        'The project was deleted here before all of it had come. Run the command again if it is to arrive after all.',
    });
  return move;
}

function requireKeys(length: number, { after, through }: MovedRange): void {
  if ([after, through].every((key) => key === undefined || key.length === length)) return;
  throw new Refusal('project_page_refused', { detail: `A key of this table has ${length} values.` });
}

function refuseID(projectID: string): Refusal {
  return new Refusal('project_move_refused', {
    detail: `No project has the id ${projectID}: ids of projects are UUIDv7.`,
  });
}

function refuseExisting(projectID: string): Refusal {
  return new Refusal('project_move_refused', {
    detail: `There is a project ${projectID} here already, or there was one. A project can arrive once, where there was none with its id.`,
  });
}
