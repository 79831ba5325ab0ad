import { maxErrorsPerRequest } from '@muster/contract';
import { createLimitRefusals, type LimitRefusals } from '@muster/http/limits/limit-refusals';
import { type ReportRate, takeReports } from '@muster/http/limits/report-rate';
import { redactErrorTexts } from '@muster/http/reports/error-text';
import type { Kysely } from 'kysely';
import type { AgentService } from '../fleet/agents/agent-service.ts';
import type { ProjectService } from '../fleet/projects/project-service.ts';
import type { ProjectSecrets, SecretRemover } from '../fleet/secret-remover.ts';
import type { UsageService } from '../fleet/usage/usage-service.ts';
import { type Clock, type MonotonicClock, type NewID, timeOfID } from '../foundation/clock.ts';
import type { Admission } from '../foundation/credentials/admission.ts';
import {
  actorOf,
  describePrincipal,
  hasPartIn,
  type Principal,
} from '../foundation/credentials/principal.ts';
import type { Database } from '../foundation/database/database.ts';
import { isDatabaseFailure } from '../foundation/database/database-failures.ts';
import { deleteInPortions } from '../foundation/database/delete-in-portions.ts';
import type { Lists } from '../foundation/database/lists.ts';
import type { Searches, SearchTurn } from '../foundation/database/searches.ts';
import type { Tables } from '../foundation/database/tables.ts';
import type { Page, PageOf } from '../foundation/list-page.ts';
import { Refusal } from '../foundation/refusal.ts';
import { WriteBehind } from '../foundation/write-behind.ts';
import type { AuditChange, AuditService } from '../record/audit/audit-service.ts';
import type {
  AgentErrorFilter,
  AgentErrorRow,
  AgentErrorStore,
  ProjectErrorFilter,
} from './agent-error-store.ts';
import { createAgentErrorStore } from './create-agent-error-store.ts';
import { isSearch } from './error-search.ts';
import { answerKnown, findAll } from './find-known-open.ts';
import type { Intake } from './intake/intake.ts';
import {
  addRepeat,
  addRepeats,
  addRepeatsWithin,
  mergeRepeats,
  type RepeatsOfAgent,
  type RepeatsOfError,
} from './intake/repeat-store.ts';
import type { NewErrorLimits } from './limits/new-error-limits.ts';
import type { ReachedLimits } from './limits/reached-limits.ts';
import type { KnownOpenErrors } from './open-errors/known-open-errors.ts';
import { toPageOfErrors } from './page-of-errors.ts';
import { redactReports } from './redact-reports.ts';
import type { AcceptedReport, LimitName, Report, ReportOutcome } from './report.ts';
import { agentNotFound, projectOfReport } from './report-subject.ts';
import type { SiteReport } from './site-report.ts';

export type { RepeatsOfError } from './intake/repeat-store.ts';
export { isFromSamePlace, type SiteReport, siteReportID } from './site-report.ts';

interface AgentErrorServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly audit: Pick<AuditService, 'record'>;
  /** Aborted when the service closes. */
  readonly closing: AbortSignal;
  readonly lists: Lists;
  readonly searches: Searches;
  /** Counts what was committed before the call. */
  readonly countChanges: (projectID: string) => Promise<unknown>;
  readonly intake: Intake;
  /** Undefined if other replicas can dismiss errors. */
  readonly knownOpen: KnownOpenErrors | undefined;
  readonly limits: NewErrorLimits & { readonly storedBytesPerProject: number };
  readonly usage: Pick<UsageService, 'isFull' | 'addError'>;
  readonly reachedLimits: ReachedLimits;
  /** What agents were served as secrets. */
  readonly secrets: ProjectSecrets;
  readonly agents: Pick<AgentService, 'requireAgent' | 'noteSeen' | 'noteRecovery'>;
  readonly projects: Pick<ProjectService, 'requireProject'>;
  readonly reportCounts: {
    add(projectID: string, outcome: 'created' | 'ignored' | 'limited', reports: number): void;
  };
  /** Called for each request that is refused by a limit on new errors. */
  readonly onLimited: (agentID: string) => void;
  readonly monotonic: MonotonicClock;
  /** Called for reports that exceed the limit of a token. */
  readonly onLimitedToken: (tokenID: string) => void;
  readonly onFailure: (error: unknown) => void;
}

/** What becomes of a report that a core instance passes on. */
type Accepted = AcceptedReport | Refusal;

const repeatsIntervalMilliseconds = 4_000;

export class AgentErrorService {
  readonly #options: AgentErrorServiceOptions;
  readonly #store: AgentErrorStore;
  readonly #limitRefusals: LimitRefusals;
  readonly #repeats: WriteBehind<RepeatsOfAgent>;

  constructor(options: AgentErrorServiceOptions) {
    this.#options = options;
    this.#store = createAgentErrorStore(options.database);
    this.#limitRefusals = createLimitRefusals(options.limits);
    this.#repeats = new WriteBehind({
      merge: mergeRepeats,
      write: (portion) => addRepeats(options.database, portion),
      onFailure: options.onFailure,
      isOutage: isDatabaseFailure,
      intervalMilliseconds: repeatsIntervalMilliseconds,
    });
  }

  /**
   * Stores reports of an agent under the ignore rule. Resolves when they are durable. Returns or throws synchronously if all of them repeat errors
   * that are known to be open, or if a limit is known to be reached.
   *
   * @throws Refusal (also as a rejection) not_found, agent_deleted, overloaded or the limit that was reached; reports of an array before the refused
   * one may be stored, and count as repeats when they are sent again.
   */
  report(
    admission: Admission,
    reportedID: string,
    texts: readonly string[],
  ): AcceptedReport[] | Promise<AcceptedReport[]> {
    const { principal } = admission;
    const projectID = projectOfReport(principal, reportedID);
    if (principal.kind === 'project' && principal.limits !== undefined) {
      this.#takeReports(projectID, principal.limits.rates, texts.length);
    }
    // Uses the string that is already in memory: the one of this request would keep the whole path alive.
    const agentID = principal.kind === 'agent' ? principal.agentID : reportedID;
    // Open errors were redacted when they were stored, so an equal text contains no secret and needs no redaction.
    const known = this.#findKnownOpen(agentID, projectID, texts);
    if (known !== undefined) return known;
    const remover = this.#options.secrets.recall(projectID);
    if (remover !== undefined) return this.#reportUnknown(admission, agentID, projectID, texts, remover);
    return this.#options.secrets
      .find(projectID)
      .then((found) => this.#reportUnknown(admission, agentID, projectID, texts, found));
  }

  #reportUnknown(
    admission: Admission,
    agentID: string,
    projectID: string,
    texts: readonly string[],
    remover: SecretRemover,
  ): AcceptedReport[] | Promise<AcceptedReport[]> {
    const redacted = redactErrorTexts(texts, remover);
    const knownRedacted = redacted === texts ? undefined : this.#findKnownOpen(agentID, projectID, redacted);
    if (knownRedacted !== undefined) return knownRedacted;
    const limit = this.#options.reachedLimits.find({ agentID, projectID }, redacted);
    if (limit !== undefined) {
      this.#options.reportCounts.add(projectID, 'limited', redacted.length);
      throw this.#limited(limit, agentID);
    }
    this.#options.intake.requireRoom(redacted.length);
    return this.#storeReports(admission, agentID, redacted);
  }

  /**
   * Stores reports that a core instance passes on, under the ignore rule, with the ids and times that it chose. They may come long after they were made:
   * the limits on new errors by time do not apply. Repeats are not counted: the caller counts them together with what shows that they were. What is refused
   * is in the result.
   *
   * @throws Refusal overloaded (as a rejection); those before it may be stored then, and are found again with the same ids
   */
  async storeOfSite(admission: Admission, reported: readonly SiteReport[]): Promise<readonly Accepted[]> {
    return answerKnown(this.#options, reported, (others) => this.#storeUnknownOfSite(admission, others));
  }

  async #storeUnknownOfSite(admission: Admission, reported: readonly SiteReport[]): Promise<Accepted[]> {
    const { intake, usage, reportCounts, reachedLimits, secrets } = this.#options;
    const accepted: Accepted[] = [];
    for (let from = 0; from < reported.length; from += maxErrorsPerRequest) {
      const unredacted = reported.slice(from, from + maxErrorsPerRequest).map(
        (one): Report => ({
          ...one,
          createdAt: timeOfID(one.id),
          isProjectFull: usage.isFull(one.projectID),
          isOfSite: true,
          generation: admission.generation,
        }),
      );
      const reports = await redactReports(secrets, unredacted);
      let outcomes = await intake.submit(reports);
      if (outcomes.some(isNotAdmitted)) outcomes = await this.#submitAgain(admission, reports, outcomes);
      outcomes.forEach((outcome, index) => {
        const { agentID, projectID, error } = reports[index] ?? {};
        if (agentID === undefined || projectID === undefined || error === undefined) return;
        if (outcome.kind === 'created') usage.addError(projectID, error);
        if (outcome.kind === 'limited' && isRemembered(outcome.limit))
          reachedLimits.noteRefusal({ agentID, projectID });
        if (outcome.kind === 'created' || outcome.kind === 'ignored' || outcome.kind === 'limited')
          reportCounts.add(projectID, outcome.kind, 1);
        accepted.push(this.#acceptOrRefuse(agentID, outcome));
      });
    }
    return accepted;
  }

  /** Counts repeats in a transaction of the caller. */
  async addRepeatsWithin(trx: Kysely<Tables>, repeats: readonly RepeatsOfError[]): Promise<void> {
    await addRepeatsWithin(trx, this.#options.database.engine, repeats);
  }

  #acceptOrRefuse(agentID: string, outcome: ReportOutcome): Accepted {
    try {
      return this.#accept(agentID, outcome);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  /** The open errors for all texts, counted as repeated; undefined if not all are known to be open. */
  #findKnownOpen(agentID: string, projectID: string, texts: readonly string[]): AcceptedReport[] | undefined {
    const { knownOpen, reportCounts } = this.#options;
    const known = knownOpen && findAll(knownOpen, agentID, projectID, texts);
    if (known === undefined) return undefined;
    reportCounts.add(projectID, 'ignored', known.length);
    this.#note(agentID, known);
    return known;
  }

  /** One function, because each promise of a waiting report is copied by the garbage collector, again and again. */
  async #storeReports(
    admission: Admission,
    agentID: string,
    texts: readonly string[],
  ): Promise<AcceptedReport[]> {
    const { reachedLimits, usage, reportCounts, newID, intake, knownOpen } = this.#options;
    const projectID = projectOfReport(admission.principal, agentID);
    const isProjectFull = usage.isFull(projectID);
    const reports = texts.map((error): Report => {
      const id = newID();
      const createdAt = timeOfID(id);
      const shortDigest = knownOpen?.digestOf(error);
      const { generation } = admission;
      return { id, agentID, projectID, error, shortDigest, isProjectFull, generation, createdAt };
    });
    let outcomes = await intake.submit(reports);
    if (outcomes.some(isNotAdmitted)) outcomes = await this.#submitAgain(admission, reports, outcomes);
    if (outcomes.some((one) => one.kind === 'limited' && isRemembered(one.limit))) {
      reachedLimits.noteRefusal({ agentID, projectID });
    }
    outcomes.forEach(({ kind }, index) => {
      if (kind === 'created' || kind === 'ignored' || kind === 'limited')
        reportCounts.add(projectID, kind, 1);
      if (kind === 'created') usage.addError(projectID, texts[index] ?? '');
    });
    const accepted = outcomes.map((outcome) => this.#accept(agentID, outcome));
    this.#note(agentID, accepted);
    return accepted;
  }

  async listOfAgent(
    principal: Principal,
    agentID: string,
    filter: AgentErrorFilter,
    page: Page,
  ): Promise<PageOf<AgentErrorRow>> {
    await this.#options.agents.requireAgent(principal, agentID);
    await this.#repeats.flushKeys([agentID]);
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
    this.forgetAgent(row.agent_id);
    if (!dismissed) throw new Refusal('agent_error_already_dismissed');
    this.#options.agents.noteRecovery(row.agent_id);
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
    this.forgetAgent(row.agent_id);
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

  /** Called in the same turn of the event loop in which a change of an agent's configuration or its deletion was committed. */
  forgetAgent(agentID: string): void {
    this.#options.knownOpen?.forget(agentID);
    this.#options.reachedLimits.forget(agentID);
  }

  /** Removes all errors of deleted agents. If the service closes meanwhile, its next start removes the rest. */
  async purgeAgents(agentIDs: readonly string[]): Promise<void> {
    const { closing } = this.#options;
    await deleteInPortions(closing, (limit) => this.#store.deleteOfAgents(agentIDs, limit));
  }

  /** Removes errors that remain because the process ended during the deletion of an agent. */
  async purgeDeletedAgents(): Promise<void> {
    const { closing } = this.#options;
    await deleteInPortions(closing, (limit) => this.#store.deleteOfDeletedAgents(limit));
  }

  /** Removes all errors of deleted projects. */
  async purgeDeletedProjects(): Promise<void> {
    const { closing } = this.#options;
    await deleteInPortions(closing, (limit) => this.#store.deleteOfDeletedProjects(limit));
  }

  /** Dismisses open errors of configurations that their agents left before a time, in milliseconds. */
  async dismissSuperseded(before: number): Promise<void> {
    const { closing, clock } = this.#options;
    await deleteInPortions(closing, async (limit) => {
      const agentIDs = await this.#store.dismissSuperseded(before, clock(), limit);
      for (const agentID of new Set(agentIDs)) this.forgetAgent(agentID);
      return agentIDs.length;
    });
  }

  /** Removes errors that were dismissed before a time, in milliseconds. */
  async purgeDismissed(before: number): Promise<void> {
    const { closing } = this.#options;
    await deleteInPortions(closing, (limit) => this.#store.deleteDismissed(before, limit));
  }

  async close(): Promise<void> {
    await this.#repeats.close();
  }

  /**
   * If the credential changed meanwhile, checks it again and resubmits the reports that were not admitted. They keep their ids,
   * so that the result does not depend on the number of attempts.
   */
  async #submitAgain(
    admission: Admission,
    reports: readonly Report[],
    first: readonly ReportOutcome[],
  ): Promise<readonly ReportOutcome[]> {
    const { intake, secrets } = this.#options;
    const outcomes = [...first];
    let current = admission;
    for (;;) {
      const refused = [...outcomes.keys()].filter((index) => isNotAdmitted(outcomes[index]));
      if (refused.length === 0) return outcomes;
      current = await current.renew();
      const { generation } = current;
      const waiting = reports
        .filter((_, index) => refused.includes(index))
        .map((report) => ({ ...report, generation }));
      // What agents are served as secrets may have changed too.
      const again = await intake.submit(await redactReports(secrets, waiting));
      for (const [position, index] of refused.entries()) {
        const outcome = again[position];
        if (outcome !== undefined) outcomes[index] = outcome;
      }
    }
  }

  #accept(agentID: string, outcome: ReportOutcome): AcceptedReport {
    switch (outcome.kind) {
      case 'created':
      case 'ignored':
        return outcome;
      case 'agent_not_found':
        throw agentNotFound(agentID);
      case 'agent_deleted':
        throw new Refusal('agent_deleted');
      case 'credential_changed':
        throw new Error('reports whose credential changed are submitted again');
      case 'limited':
        throw this.#limited(outcome.limit, agentID);
    }
  }

  /** @throws UntoldRefusal too_many_reports_of_token */
  #takeReports(projectID: string, rates: readonly ReportRate[], reports: number): void {
    try {
      takeReports(rates, reports, this.#options.monotonic());
    } catch (refusal) {
      this.#options.reportCounts.add(projectID, 'limited', reports);
      for (const { tokenID } of rates.slice(0, 1)) this.#options.onLimitedToken(tokenID);
      throw refusal;
    }
  }

  #limited(limit: LimitName, agentID: string): Refusal {
    this.#options.onLimited(agentID);
    return this.#limitRefusals[limit];
  }

  #note(agentID: string, accepted: readonly AcceptedReport[]): void {
    const { agents, clock } = this.#options;
    const lastSeenAt = clock();
    for (const { kind, id } of accepted) {
      if (kind === 'ignored') {
        this.#repeats.change(agentID, (repeats = new Map()) => {
          addRepeat(repeats, id, 1, lastSeenAt);
          return repeats;
        });
      }
    }
    agents.noteSeen(agentID);
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

function isNotAdmitted(outcome: ReportOutcome | undefined): boolean {
  return outcome?.kind === 'credential_changed';
}

/** Other limits do not concern all new errors of the agent, or are remembered elsewhere. */
function isRemembered(limit: LimitName): boolean {
  return limit === 'openPerAgent' || limit === 'newPerAgentPerMinute' || limit === 'newPerProjectPerSecond';
}
