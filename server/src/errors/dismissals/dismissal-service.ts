import type { DismissalFilter } from '@muster/contract';
import type { ProjectService } from '../../fleet/projects/project-service.ts';
import type { ProjectSecrets } from '../../fleet/secret-remover.ts';
import type { Clock, NewID } from '../../foundation/clock.ts';
import { actorOf, describePrincipal, type Principal } from '../../foundation/credentials/principal.ts';
import type { Database } from '../../foundation/database/database.ts';
import { deleteInPortions } from '../../foundation/database/delete-in-portions.ts';
import type { Searches } from '../../foundation/database/searches.ts';
import { type Page, type PageOf, toPage } from '../../foundation/list-page.ts';
import { Refusal } from '../../foundation/refusal.ts';
import type { AuditService } from '../../record/audit/audit-service.ts';
import type { ErrorGroupCounter } from '../groups/counting/error-group-counter.ts';
import { createDismissedErrorStore } from './create-dismissed-error-store.ts';
import type { DismissalRunner } from './dismissal-runner.ts';
import * as store from './dismissal-store.ts';
import { boundOf, filterOf, groupIDsOf, normalizeFilter, selectionBy } from './error-selection.ts';

interface DismissalServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record'>;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly projects: Pick<ProjectService, 'requireProject' | 'requireVisible'>;
  readonly counter: Pick<ErrorGroupCounter, 'catchUp'>;
  readonly runner: DismissalRunner;
  readonly searches: Searches;
  /** What agents were served as secrets. */
  readonly secrets: Pick<ProjectSecrets, 'find'>;
  readonly onFailure: (error: unknown) => void;
}

export interface DismissalRequest {
  readonly projectID: string;
  readonly reason: string;
  readonly filter: DismissalFilter;
}

/** What a dismissal would dismiss now. */
export interface DismissalPreview {
  readonly errorsCount: number;
  readonly agentsCount: number;
}

const countedRows = 20_000;

/** Dismissals of many errors at once, and their undo. */
export class DismissalService {
  readonly #options: DismissalServiceOptions;

  constructor(options: DismissalServiceOptions) {
    this.#options = options;
  }

  /**
   * Stores a dismissal and does its first portions, so that a small one is done. The others follow in the background.
   *
   * @throws Refusal not_found, invalid_body
   */
  async create(principal: Principal, request: DismissalRequest): Promise<store.DismissalRow> {
    const { database, clock, newID, runner, audit } = this.#options;
    const { filter, groups } = await this.#requireFilter(principal, request);
    const id = newID();
    const dismissal = {
      id,
      projectID: request.projectID,
      reason: request.reason,
      filter: JSON.stringify(filter),
      boundID: boundOf(filter, id),
      requestedAt: clock(),
      requestedBy: actorOf(principal),
    };
    await database.write.transaction().execute(async (trx) => {
      await store.insertDismissal(trx, dismissal, runner.lease());
      await audit.record(trx, principal, {
        projectID: request.projectID,
        action: 'dismissal.created',
        target: { kind: 'dismissal', id, name: nameOfOne(groups) },
        after: { reason: request.reason, filter: { ...filter } },
      });
    });
    return this.#workOn(principal, id, request.projectID);
  }

  /**
   * Counts what a dismissal would dismiss, and stores nothing.
   *
   * @param hangUp aborted when the client has hung up
   * @throws Refusal not_found, invalid_body, overloaded, database_unavailable
   */
  async preview(
    principal: Principal,
    request: DismissalRequest,
    hangUp: AbortSignal,
  ): Promise<DismissalPreview> {
    const { database, newID, searches } = this.#options;
    const { filter } = await this.#requireFilter(principal, request);
    const selection = selectionBy(request.projectID, filter, boundOf(filter, newID()));
    const errors = createDismissedErrorStore(database);
    return searches.run(describePrincipal(principal), hangUp, async ({ db, goOn }) => {
      const agents = new Set<string>();
      let errorsCount = 0;
      for (let after: string | null = null; ; ) {
        goOn();
        const { found, end } = await errors.count(db, selection, { after, rows: countedRows });
        for (const { agentID, errors: count } of found) {
          agents.add(agentID);
          errorsCount += count;
        }
        if (end === undefined) return { errorsCount, agentsCount: agents.size };
        after = end;
      }
    });
  }

  /** @throws Refusal not_found */
  async list(principal: Principal, projectID: string, page: Page): Promise<PageOf<store.DismissalRow>> {
    const { database, projects } = this.#options;
    await projects.requireProject(principal, projectID);
    return toPage(await store.listDismissals(database.read, projectID, page), page);
  }

  /** @throws Refusal not_found */
  async find(principal: Principal, id: string): Promise<store.DismissalRow> {
    const { database, projects } = this.#options;
    return projects.requireVisible(principal, await store.findDismissal(database.read, id), () =>
      notFound(id),
    );
  }

  /** The groups of the filters of dismissals of one project that are still stored, by their id. */
  async readGroups(
    dismissals: readonly store.DismissalRow[],
  ): Promise<ReadonlyMap<string, store.DismissedGroup>> {
    const { database } = this.#options;
    const ids = new Set(dismissals.flatMap((row) => groupIDsOf(filterOf(row))));
    const projectID = dismissals[0]?.project_id ?? '';
    const groups = await store.listGroups(database.read, database.engine, projectID, [...ids]);
    return new Map(groups.map((group) => [group.id, group]));
  }

  /** Reopens what a dismissal has dismissed. A running dismissal is stopped first. @throws Refusal not_found */
  async undo(principal: Principal, id: string): Promise<store.DismissalRow> {
    const { database, runner, audit } = this.#options;
    const row = await this.find(principal, id);
    const { project_id: projectID, reason } = row;
    const name = nameOfOne([...(await this.readGroups([row])).values()]);
    await database.write.transaction().execute(async (trx) => {
      if (!(await store.startUndo(trx, id, actorOf(principal), runner.lease()))) return;
      await audit.record(trx, principal, {
        projectID,
        action: 'dismissal.undone',
        target: { kind: 'dismissal', id, name },
        before: { reason },
      });
    });
    return this.#workOn(principal, id, projectID);
  }

  /** Removes dismissals that ended before a time, in milliseconds, and those of deleted projects. */
  async purge(before: number): Promise<void> {
    const { database, closing } = this.#options;
    await deleteInPortions(closing, (limit) => store.deleteEnded(database.write, before, limit));
    await deleteInPortions(closing, (limit) => store.deleteCountedAgents(database.write, limit));
  }

  /** The dismissal is stored, so it will be done in any case. A failure here is retried in the background. */
  async #workOn(principal: Principal, id: string, projectID: string): Promise<store.DismissalRow> {
    const { runner, onFailure } = this.#options;
    try {
      if (await runner.takeTurn(id, projectID)) void runner.workOn(projectID);
    } catch (error) {
      onFailure(error);
    }
    return this.find(principal, id);
  }

  /** @throws Refusal not_found for the project, the group or an agent of the filter, invalid_body */
  async #requireFilter(
    principal: Principal,
    { projectID, filter }: DismissalRequest,
  ): Promise<{ readonly filter: DismissalFilter; readonly groups: readonly store.DismissedGroup[] }> {
    const { database, projects, secrets } = this.#options;
    await projects.requireProject(principal, projectID);
    const normal = normalizeFilter(filter, await secrets.find(projectID));
    const { agentIDs = [] } = normal;
    const groups = await this.#requireGroups(projectID, groupIDsOf(normal));
    const known = await store.listAgentIDs(database.read, database.engine, projectID, agentIDs);
    const missing = agentIDs.find((id) => !known.includes(id));
    if (missing !== undefined) {
      throw new Refusal('not_found', { detail: `There is no agent ${missing} in this project.` });
    }
    return { filter: normal, groups };
  }

  /** On PostgreSQL, a group is stored soon after its first error. */
  async #requireGroups(projectID: string, ids: readonly string[]): Promise<store.DismissedGroup[]> {
    const { database, counter } = this.#options;
    const read = () => store.listGroups(database.read, database.engine, projectID, ids);
    const missingIn = (groups: readonly store.DismissedGroup[]) => {
      const known = new Set(groups.map(({ id }) => id));
      return ids.find((id) => !known.has(id));
    };
    const known = await read();
    if (missingIn(known) === undefined) return known;
    await counter.catchUp(projectID);
    const groups = await read();
    const missing = missingIn(groups);
    if (missing === undefined) return groups;
    throw new Refusal('not_found', { detail: `There is no group of errors ${missing} in this project.` });
  }
}

/** What the audit log calls a dismissal of one cause. */
function nameOfOne(groups: readonly store.DismissedGroup[]): string | null {
  return groups.length === 1 ? (groups[0]?.pattern ?? null) : null;
}

function notFound(id: string): Refusal {
  return new Refusal('not_found', { detail: `There is no dismissal ${id} that this credential can see.` });
}
