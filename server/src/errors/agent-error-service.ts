import type { AgentService } from '../fleet/agents/agent-service.ts';
import type { ProjectService } from '../fleet/projects/project-service.ts';
import type { Clock } from '../foundation/clock.ts';
import {
  actorOf,
  describePrincipal,
  hasPartIn,
  type Principal,
} from '../foundation/credentials/principal.ts';
import type { Database } from '../foundation/database/database.ts';
import { deleteInPortions } from '../foundation/database/delete-in-portions.ts';
import type { Lists } from '../foundation/database/lists.ts';
import type { Searches, SearchTurn } from '../foundation/database/searches.ts';
import type { Page, PageOf } from '../foundation/list-page.ts';
import { Refusal } from '../foundation/refusal.ts';
import type { AuditChange, AuditService } from '../record/audit/audit-service.ts';
import type {
  AgentErrorFilter,
  AgentErrorRow,
  AgentErrorStore,
  ProjectErrorFilter,
} from './agent-error-store.ts';
import { createAgentErrorStore } from './create-agent-error-store.ts';
import { isSearch } from './error-search.ts';
import { toPageOfErrors } from './page-of-errors.ts';
import type { ReportService } from './reporting/report-service.ts';

interface AgentErrorServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Pick<AuditService, 'record'>;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly lists: Lists;
  readonly searches: Searches;
  /** Counts what was committed before the call. */
  readonly countChanges: (projectID: string) => Promise<unknown>;
  readonly reports: Pick<ReportService, 'writeRepeats' | 'forgetAgent'>;
  readonly agents: Pick<AgentService, 'requireAgent' | 'noteRecovery'>;
  readonly projects: Pick<ProjectService, 'requireProject'>;
}

/** What people and retention do with stored errors. */
export class AgentErrorService {
  readonly #options: AgentErrorServiceOptions;
  readonly #store: AgentErrorStore;

  constructor(options: AgentErrorServiceOptions) {
    this.#options = options;
    this.#store = createAgentErrorStore(options.database);
  }

  async listOfAgent(
    principal: Principal,
    agentID: string,
    filter: AgentErrorFilter,
    page: Page,
  ): Promise<PageOf<AgentErrorRow>> {
    await this.#options.agents.requireAgent(principal, agentID);
    await this.#options.reports.writeRepeats(agentID);
    const rows = await this.#options.lists.read(principal, ({ db }) =>
      this.#store.listOfAgent(db, agentID, filter, page),
    );
    return toPageOfErrors(rows, page);
  }

  /**
   * @param hangUp aborted when the client has hung up: a waiting search gives up, and a running one ends.
   * @throws Refusal not_found; for a search also overloaded or database_unavailable
   */
  async listOfProject(
    principal: Principal,
    filter: ProjectErrorFilter,
    page: Page,
    hangUp: AbortSignal,
  ): Promise<PageOf<AgentErrorRow>> {
    const { projects } = this.#options;
    await projects.requireProject(principal, filter.projectID);
    return this.#list(principal, filter, page, hangUp);
  }

  /** Lists errors of a group that the caller may see. @throws Refusal for a search: overloaded or database_unavailable */
  async listOfGroup(
    principal: Principal,
    group: AgentErrorFilter & { readonly groupID: string; readonly projectID: string },
    page: Page,
    hangUp: AbortSignal,
  ): Promise<PageOf<AgentErrorRow>> {
    const none = {
      text: undefined,
      agentID: undefined,
      fleetID: undefined,
      since: undefined,
      until: undefined,
    };
    return this.#list(principal, { ...group, ...none }, page, hangUp);
  }

  async #list(
    principal: Principal,
    filter: ProjectErrorFilter,
    page: Page,
    hangUp: AbortSignal,
  ): Promise<PageOf<AgentErrorRow>> {
    const { lists, searches, countChanges } = this.#options;
    // Marks what is superseded by now.
    if (filter.current === false) await countChanges(filter.projectID);
    const search = (turn: SearchTurn) => this.#store.searchProject(turn, filter, page);
    const rows = isSearch(filter)
      ? await searches.run(describePrincipal(principal), hangUp, search, principal)
      : await lists.read(principal, ({ db }) => this.#store.listOfProject(db, filter, page));
    return toPageOfErrors(rows, page);
  }

  /** Returns the time of the dismissal, in milliseconds. */
  async dismiss(principal: Principal, id: string, reason: string): Promise<number> {
    const { clock, audit } = this.#options;
    const row = await this.#requireError(principal, id);
    const at = clock();
    const dismissed = await this.#store.dismiss(row, { at, reason, by: actorOf(principal) }, (trx) =>
      audit.record(trx, principal, { ...changeOf('agent_error.dismissed', row), after: { reason } }),
    );
    this.#options.reports.forgetAgent(row.agent_id);
    if (!dismissed) throw new Refusal('agent_error_already_dismissed');
    if (row.epoch === row.agent_epoch) this.#options.agents.noteRecovery(row.agent_id);
    return at;
  }

  async reopen(principal: Principal, id: string): Promise<AgentErrorRow> {
    const row = await this.#requireError(principal, id);
    const reopening = await this.#store.reopen(row, (trx) =>
      this.#options.audit.record(trx, principal, {
        ...changeOf('agent_error.reopened', row),
        before: { reason: row.dismiss_reason },
      }),
    );
    this.#options.reports.forgetAgent(row.agent_id);
    switch (reopening.kind) {
      case 'reopened':
        return this.#requireError(principal, id);
      case 'not_dismissed':
        throw new Refusal('agent_error_not_dismissed');
      case 'equal_open':
        throw new Refusal('equal_agent_error_open', {
          detail: `This agent already has an open error with the same text and configuration${reopening.id === undefined ? '' : ` as ${reopening.id}`}. Work with that one.`,
        });
    }
  }

  /** Removes all errors of deleted agents. If the service closes meanwhile, its next start removes the rest. */
  async purgeAgents(agentIDs: readonly string[]): Promise<void> {
    const { closing } = this.#options;
    await deleteInPortions(closing, (limit) => this.#store.deleteOfAgents(agentIDs, limit));
  }

  /** Removes all errors of deleted projects. */
  async purgeDeletedProjects(): Promise<void> {
    const { closing } = this.#options;
    await deleteInPortions(closing, (limit) => this.#store.deleteOfDeletedProjects(limit));
  }

  /** Dismisses open errors of configurations that their agents left before a time, in milliseconds. */
  async dismissSuperseded(before: number): Promise<void> {
    const { closing, clock, reports } = this.#options;
    await deleteInPortions(closing, async (limit) => {
      const agentIDs = await this.#store.dismissSuperseded(before, clock(), limit);
      for (const agentID of new Set(agentIDs)) reports.forgetAgent(agentID);
      return agentIDs.length;
    });
  }

  /** Removes errors that were dismissed before a time, in milliseconds. */
  async purgeDismissed(before: number): Promise<void> {
    const { closing } = this.#options;
    await deleteInPortions(closing, (limit) => this.#store.deleteDismissed(before, limit));
  }

  /** Finds an error. An error of a project that the caller cannot access is refused like a missing one. */
  async #requireError(principal: Principal, id: string): Promise<AgentErrorRow> {
    const row = await this.#store.find(id);
    if (row === undefined || !hasPartIn(principal, row.project_id)) {
      throw new Refusal('not_found', {
        detail: `There is no agent error ${id} that this credential can see.`,
      });
    }
    return row;
  }
}

function changeOf(
  action: AuditChange['action'],
  { id, project_id: projectID, agent_id: agentID, error }: AgentErrorRow,
): AuditChange {
  return { projectID, action, target: { kind: 'agent_error', id, name: `${error} (agent ${agentID})` } };
}
