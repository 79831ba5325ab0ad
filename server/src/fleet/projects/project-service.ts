import type { UpdateProject } from '@muster/contract';
import type { Kysely } from 'kysely';
import type { Clock, NewID } from '../../foundation/clock.ts';
import { noteCredentialChange } from '../../foundation/credentials/credential-freshness.ts';
import { hasPartIn, type Principal, projectsWith } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { noteEvent } from '../../foundation/database/note-event.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { type Page, type PageOf, toPage } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { AuditChange, AuditService } from '../../record/audit/audit-service.ts';
import * as store from './project-store.ts';

interface ProjectServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record'>;
  /** At the end of a transaction that changes what fleets serve. */
  readonly noteFleetChange: (trx: Kysely<Tables>) => Promise<void>;
}

export class ProjectService {
  readonly #options: ProjectServiceOptions;

  constructor(options: ProjectServiceOptions) {
    this.#options = options;
  }

  async list(principal: Principal, name: string | undefined, page: Page): Promise<PageOf<store.ProjectRow>> {
    const { database } = this.#options;
    const filter = { ids: projectsWith(principal, 'read:project'), name };
    return toPage(await store.listProjects(database.read, database.engine, filter, page), page);
  }

  /**
   * Returns a project that the caller may see. A missing project and a project of somebody else give the same answer after the same work, so that ids
   * cannot be probed.
   *
   * @throws Refusal not_found
   */
  async requireProject(principal: Principal, projectID: string): Promise<store.ProjectRow> {
    const row = await store.findProject(this.#options.database.read, projectID);
    if (row === undefined || !hasPartIn(principal, projectID)) throw notFound(projectID);
    return row;
  }

  /** What was found by its id, if the caller has a part in its project, and that exists. @throws what `missing` returns */
  async requireVisible<Found extends { readonly project_id: string }>(
    principal: Principal,
    found: Found | undefined,
    missing: () => Refusal,
  ): Promise<Found> {
    if (found === undefined || !hasPartIn(principal, found.project_id)) throw missing();
    if ((await store.findProject(this.#options.database.read, found.project_id)) === undefined)
      throw missing();
    return found;
  }

  /** Creates a project inside a transaction of the caller, who adds its first token and records both. */
  async insert(trx: Kysely<Tables>, name: string, id = this.#options.newID()): Promise<store.ProjectRow> {
    const now = this.#options.clock();
    const row = { id, name, freeze_windows: '[]', created_at: now, updated_at: now, deleted_at: null };
    await store.insertProject(trx, row);
    return row;
  }

  /** A project that exists, inside a transaction of the caller and without a check of who may see it. */
  async find(trx: Kysely<Tables>, id: string): Promise<store.ProjectRow | undefined> {
    return store.findProject(trx, id);
  }

  /** Why a project is not here that was, or will be, inside a transaction of the caller and without a check of who may see it. */
  async explainAbsence(trx: Kysely<Tables>, id: string): Promise<string | undefined> {
    const absent = await store.findAbsent(trx, id);
    if (absent === undefined) return undefined;
    if (absent === 'deleted') return 'it has been deleted';
    return absent.state === 'arriving'
      ? `it is on its way here from ${absent.other_url}; apply the file again when it is here`
      : `it moves to ${absent.other_url}; apply the file there`;
  }

  /** Projects with exactly this name, inside a transaction of the caller and without a check of who may see them. */
  async findNamed(trx: Kysely<Tables>, name: string, ids: readonly string[] | undefined) {
    return store.listProjectsNamed(trx, this.#options.database.engine, name, ids);
  }

  /** A project that exists, locked until the transaction of the caller ends. */
  async lock(trx: Kysely<Tables>, id: string): Promise<store.ProjectRow | undefined> {
    return store.lockProject(trx, this.#options.database.engine, id);
  }

  /** Inside a transaction of the caller, who has locked the project and records the change. */
  async rename(trx: Kysely<Tables>, id: string, name: string): Promise<void> {
    await store.renameProject(trx, id, name, this.#options.clock());
    await noteEvent(trx, id, { type: 'project.updated', name });
  }

  async update(principal: Principal, projectID: string, input: UpdateProject): Promise<store.ProjectRow> {
    const { database, clock, audit } = this.#options;
    await this.requireProject(principal, projectID);
    const { name } = input;
    if (name === undefined) return this.requireProject(principal, projectID);
    await database.write.transaction().execute(async (trx) => {
      const before = await this.#lock(trx, projectID);
      await store.renameProject(trx, projectID, name, clock());
      await noteEvent(trx, projectID, { type: 'project.updated', name });
      await audit.record(trx, principal, {
        ...changeOf('project.updated', before),
        before: { name: before.name },
        after: { name },
      });
    });
    return this.requireProject(principal, projectID);
  }

  /** From now on nothing of the project is visible; its rows are removed in the background. */
  async delete(principal: Principal, projectID: string): Promise<void> {
    const { database, clock, audit, noteFleetChange } = this.#options;
    const isLeft = await store.isLeft(database.read, projectID);
    if (!isLeft || !hasPartIn(principal, projectID)) await this.requireProject(principal, projectID);
    await database.write.transaction().execute(async (trx) => {
      const row = isLeft
        ? await store.lockLeft(trx, database.engine, projectID)
        : await this.#lock(trx, projectID);
      if (row === undefined) throw notFound(projectID);
      await store.markProjectDeleted(trx, projectID, clock());
      const change = { ...changeOf('project.deleted', row), before: { name: row.name } };
      // The log of a project that is elsewhere goes on there.
      await audit.record(trx, principal, isLeft ? { ...change, projectID: null } : change);
      await noteFleetChange(trx);
      await noteCredentialChange(trx);
    });
  }

  async #lock(trx: Kysely<Tables>, projectID: string): Promise<store.ProjectRow> {
    const row = await store.lockProject(trx, this.#options.database.engine, projectID);
    if (row === undefined) throw notFound(projectID);
    return row;
  }
}

/** For the audit log. */
export function createdProject(row: Pick<store.ProjectRow, 'id' | 'name'>): AuditChange {
  return { ...changeOf('project.created', row), after: { name: row.name } };
}

function changeOf(
  action: AuditChange['action'],
  { id, name }: Pick<store.ProjectRow, 'id' | 'name'>,
): AuditChange {
  return { projectID: id, action, target: { kind: 'project', id, name } };
}

function notFound(projectID: string): Refusal {
  return new Refusal('not_found', {
    detail: `There is no project ${projectID} that this credential can see.`,
  });
}
