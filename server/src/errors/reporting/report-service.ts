import { maxErrorsPerRequest } from '@muster/contract';
import { createLimitRefusals, type LimitRefusals } from '@muster/http/limits/limit-refusals';
import { type ReportRate, takeReports } from '@muster/http/limits/report-rate';
import { redactErrorTexts } from '@muster/http/reports/error-text';
import type { Kysely } from 'kysely';
import type { AgentService } from '../../fleet/agents/agent-service.ts';
import type { ProjectSecrets, SecretRemover } from '../../fleet/secret-remover.ts';
import type { UsageService } from '../../fleet/usage/usage-service.ts';
import { answerApart } from '../../foundation/answer-apart.ts';
import { type Clock, type MonotonicClock, type NewID, timeOfID } from '../../foundation/clock.ts';
import type { Admission } from '../../foundation/credentials/admission.ts';
import type { Database } from '../../foundation/database/database.ts';
import { isDatabaseFailure } from '../../foundation/database/database-failures.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { Refusal } from '../../foundation/refusal.ts';
import { OverloadRefusals } from '../../foundation/scheduling/overload-refusals.ts';
import { WriteBehind } from '../../foundation/write-behind.ts';
import type { Intake } from '../intake/intake.ts';
import type { NewErrorLimits } from '../limits/new-error-limits.ts';
import type { ReachedLimits } from '../limits/reached-limits.ts';
import type { KnownOpenErrors } from '../open-errors/known-open-errors.ts';
import type { AcceptedReport, LimitName, Report, ReportOutcome, SiteReport } from '../report.ts';
import { PassedOnErrors } from './passed-on-store.ts';
import { redactReports } from './redact-reports.ts';
import {
  addRepeat,
  addRepeats,
  listRepeats,
  mergeRepeats,
  type RepeatsOfAgent,
  type RepeatsOfError,
} from './repeat-store.ts';
import { agentNotFound, projectOfReport } from './report-subject.ts';

export type { SiteReport } from '../report.ts';
export type { RepeatsOfError } from './repeat-store.ts';

interface ReportServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly newID: NewID;
  readonly intake: Intake;
  /** Undefined if other replicas can dismiss errors. */
  readonly knownOpen: KnownOpenErrors | undefined;
  readonly limits: NewErrorLimits & { readonly storedBytesPerProject: number };
  readonly usage: Pick<UsageService, 'isFull' | 'addError'>;
  readonly reachedLimits: ReachedLimits;
  /** What agents were served as secrets. */
  readonly secrets: ProjectSecrets;
  readonly agents: Pick<AgentService, 'noteSeen'>;
  readonly reportCounts: {
    add(projectID: string, outcome: 'created' | 'ignored' | 'limited', reports: number): void;
  };
  /** Called for each request that is refused by a limit on new errors, and for each such report of a core instance. */
  readonly onLimited: (agentID: string) => void;
  readonly monotonic: MonotonicClock;
  /** Called for reports that exceed the limit of a token. */
  readonly onLimitedToken: (tokenID: string) => void;
  readonly onFailure: (error: unknown) => void;
}

/** What becomes of a report that a core instance passes on. */
type Accepted = AcceptedReport | Refusal;

const repeatsIntervalMilliseconds = 4_000;
/** How often reports are submitted again because a credential of anybody has changed meanwhile. */
const maxAttempts = 10;

/** Takes reports: repeats are answered from memory, all others go to the intake, which applies the ignore rule. */
export class ReportService {
  readonly #options: ReportServiceOptions;
  readonly #limitRefusals: LimitRefusals;
  readonly #repeats: WriteBehind<RepeatsOfAgent>;
  readonly #unsettled = new OverloadRefusals();

  constructor(options: ReportServiceOptions) {
    this.#options = options;
    this.#limitRefusals = createLimitRefusals(options.limits);
    this.#repeats = new WriteBehind({
      merge: mergeRepeats,
      write: (portion) => addRepeats(options.database.write, options.database.engine, listRepeats(portion)),
      onFailure: options.onFailure,
      isOutage: isDatabaseFailure,
      intervalMilliseconds: repeatsIntervalMilliseconds,
    });
  }

  /**
   * Stores reports of an agent under the ignore rule. Resolves when they are durable. Returns or throws synchronously if all of them repeat errors
   * that are known to be open, or if a limit is known to be reached.
   *
   * @throws Refusal (also as a rejection) not_found, agent_deleted, overloaded or the limit that was reached; the other reports
   * of the array may be stored, and count as repeats when they are sent again.
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

  /** Gives back what a refused report took from the limits of its token, because it is passed on to where it is taken again. */
  giveBack({ principal }: Admission, reports: number): void {
    if (principal.kind !== 'project') return;
    for (const rate of principal.limits?.rates ?? []) rate.giveBack(reports);
  }

  /**
   * Stores reports that a core instance passes on, under the ignore rule, with the ids and times that it chose. They may come long after they were made:
   * the limits on new errors by time do not apply. Repeats are not counted: the caller counts them together with what shows that they were. What is refused
   * is in the result.
   *
   * @param isTriedAgain true if an earlier attempt may have stored some of them: those belong to their errors, whatever became of them
   * @throws Refusal overloaded (as a rejection); those before it may be stored then, and are found again with the same ids
   */
  async storeOfSite(
    admission: Admission,
    reported: readonly SiteReport[],
    isTriedAgain: boolean,
  ): Promise<readonly Accepted[]> {
    if (isTriedAgain)
      return this.#storeUnknownOfSite(admission, reported, new PassedOnErrors(this.#options.database));
    const { knownOpen, reportCounts } = this.#options;
    const known = reported.map(
      ({ agentID, projectID, error }) => knownOpen?.findAll(agentID, projectID, [error])?.[0],
    );
    const accepted = await answerApart<SiteReport, Accepted>(
      reported,
      (_, index) => known[index] !== undefined,
      async () => known.filter(isFound),
      (others) => this.#storeUnknownOfSite(admission, others),
    );
    for (const [index, { projectID }] of reported.entries())
      if (known[index] !== undefined) reportCounts.add(projectID, 'ignored', 1);
    return accepted;
  }

  /** Counts repeats in a transaction of the caller. */
  async addRepeatsWithin(trx: Kysely<Tables>, repeats: readonly RepeatsOfError[]): Promise<void> {
    await addRepeats(trx, this.#options.database.engine, repeats);
  }

  /** Writes the repeats of an agent that are only counted in memory. */
  async writeRepeats(agentID: string): Promise<void> {
    await this.#repeats.flushKeys([agentID]);
  }

  /** Writes all repeats that are only counted in memory. */
  async flush(): Promise<void> {
    await this.#repeats.flush();
  }

  /** Called in the same turn of the event loop in which a change of the agent's configuration, of its errors or its deletion was committed. */
  forgetAgent(agentID: string): void {
    this.#options.knownOpen?.forget(agentID);
    this.#options.reachedLimits.forget(agentID);
  }

  async close(): Promise<void> {
    await this.#repeats.close();
  }

  /** The open errors for all texts, counted as repeated; undefined if not all are known to be open. */
  #findKnownOpen(agentID: string, projectID: string, texts: readonly string[]): AcceptedReport[] | undefined {
    const { knownOpen, reportCounts } = this.#options;
    const known = knownOpen?.findAll(agentID, projectID, texts);
    if (known === undefined) return undefined;
    reportCounts.add(projectID, 'ignored', known.length);
    this.#note(agentID, known);
    return known;
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
      this.#options.agents.noteSeen(agentID);
      throw this.#limited(limit, agentID);
    }
    this.#options.intake.requireRoom(redacted.length);
    return this.#storeReports(admission, agentID, redacted);
  }

  /** Awaits once, because each promise of a waiting report is copied by the garbage collector, again and again. */
  async #storeReports(
    admission: Admission,
    agentID: string,
    texts: readonly string[],
  ): Promise<AcceptedReport[]> {
    const { usage, newID, intake, knownOpen } = this.#options;
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
    this.#count(reports, outcomes);
    const accepted = outcomes.filter(isAccepted);
    const refused = outcomes.find(isRefused);
    if (refused !== undefined) {
      // A report beyond a limit is a sign of life too. Repeats beside it are not counted: the agent sends all of them again, and again.
      if (refused.kind === 'limited') this.#options.agents.noteSeen(agentID);
      throw this.#refuse(agentID, refused);
    }
    this.#note(agentID, accepted);
    return accepted;
  }

  async #storeUnknownOfSite(
    admission: Admission,
    reported: readonly SiteReport[],
    passedOn?: PassedOnErrors,
  ): Promise<Accepted[]> {
    const { intake, usage, secrets } = this.#options;
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
      const stored = (await passedOn?.find(reports)) ?? [];
      const outcomes = await answerApart<Report, ReportOutcome>(
        reports,
        (_, index) => stored[index] !== undefined,
        async () => stored.filter(isFound),
        async (others) => {
          const first = await intake.submit(others);
          return first.some(isNotAdmitted) ? this.#submitAgain(admission, others, first) : first;
        },
      );
      this.#count(reports, outcomes);
      for (const [index, { agentID }] of reports.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) throw new Error('a report has no outcome');
        if (isNotAdmitted(outcome)) throw this.#unsettled.next();
        accepted.push(isAccepted(outcome) ? outcome : this.#refuse(agentID, outcome));
      }
    }
    return accepted;
  }

  /**
   * If the credential changed meanwhile, checks it again and resubmits the reports that were not admitted. They keep their ids,
   * so that the result does not depend on the number of attempts. Whoever changes credentials all the time gets others a 503, but no endless work.
   */
  async #submitAgain(
    admission: Admission,
    reports: readonly Report[],
    first: readonly ReportOutcome[],
  ): Promise<readonly ReportOutcome[]> {
    const { intake, secrets } = this.#options;
    const outcomes = [...first];
    let current = admission;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const refused = [...outcomes.keys()].filter((index) => isNotAdmitted(outcomes[index]));
      if (refused.length === 0) break;
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
    return outcomes;
  }

  /** Counts what became of reports, and notes which agents have reached a limit. */
  #count(reports: readonly Report[], outcomes: readonly (ReportOutcome | undefined)[]): void {
    const { reachedLimits, reportCounts, usage } = this.#options;
    const limited = new Map<string, string>();
    for (const [index, { agentID, projectID, error }] of reports.entries()) {
      const outcome = outcomes[index];
      switch (outcome?.kind) {
        case 'created':
          usage.addError(projectID, error);
          reportCounts.add(projectID, 'created', 1);
          break;
        case 'ignored':
          reportCounts.add(projectID, 'ignored', 1);
          break;
        case 'limited':
          if (isRemembered(outcome.limit)) limited.set(agentID, projectID);
          reportCounts.add(projectID, 'limited', 1);
          break;
      }
    }
    for (const [agentID, projectID] of limited) reachedLimits.noteRefusal({ agentID, projectID });
  }

  #refuse(agentID: string, outcome: Exclude<ReportOutcome, AcceptedReport>): Refusal {
    switch (outcome.kind) {
      case 'agent_not_found':
        return agentNotFound(agentID);
      case 'agent_deleted':
        return new Refusal('agent_deleted');
      case 'credential_changed':
        return this.#unsettled.next();
      case 'limited':
        return this.#limited(outcome.limit, agentID);
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
}

function isFound(known: AcceptedReport | undefined): known is AcceptedReport {
  return known !== undefined;
}

function isAccepted(outcome: ReportOutcome): outcome is AcceptedReport {
  return outcome.kind === 'created' || outcome.kind === 'ignored';
}

function isRefused(outcome: ReportOutcome): outcome is Exclude<ReportOutcome, AcceptedReport> {
  return !isAccepted(outcome);
}

function isNotAdmitted(outcome: ReportOutcome | undefined): boolean {
  return outcome?.kind === 'credential_changed';
}

/** Other limits do not concern all new errors of the agent, or are remembered elsewhere. */
function isRemembered(limit: LimitName): boolean {
  return limit === 'openPerAgent' || limit === 'newPerAgentPerMinute' || limit === 'newPerProjectPerSecond';
}
