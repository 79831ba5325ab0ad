import { hash } from 'node:crypto';
import { answerApart } from '../../foundation/answer-apart.ts';
import type { MonotonicClock } from '../../foundation/clock.ts';
import type { PostgresPool } from '../../foundation/database/postgres/postgres-pool.ts';
import { ErrorGroupIDs } from '../groups/identity/error-group.ts';
import { dismissReasonOf, isMutedAt } from '../groups/mutes/group-mute.ts';
import { Headroom } from '../limits/headroom-postgres.ts';
import { limitsOfSites, type NewErrorLimits } from '../limits/new-error-limits.ts';
import type { DigestedReport, Report, ReportOutcome, StoreReports } from '../report.ts';
import { type Decision, type DecisionRow, decideReports } from './decide-reports-postgres.ts';
import { findRepeated } from './find-repeated-postgres.ts';
import { insertNewReports } from './insert-new-postgres.ts';
import { KnownRepeats } from './known-repeats-postgres.ts';
import { type GroupMutes, MutedGroups } from './muted-groups-postgres.ts';

/**
 * The ignore rule on PostgreSQL, for any number of replicas, correct under READ COMMITTED because the unique index on
 * open errors decides.
 *
 * Reports that are probably new are inserted directly; the index rejects those that repeat an open error. For these, for known repeats that are no longer
 * open, and for agents that may be near their limits, one full statement decides.
 *
 * This statement cannot see a row that another replica commits while it runs: the index rejects the insert, but the row is not in the statement's
 * snapshot. Such reports are tried again with a new snapshot.
 */
export function createPostgresReportStore(
  pool: PostgresPool,
  limits: NewErrorLimits,
  monotonic: MonotonicClock,
): StoreReports {
  const known = {
    repeats: new KnownRepeats(),
    groups: new ErrorGroupIDs(),
    mutedGroups: new MutedGroups(pool),
  };
  const storeDirect = createStoreWithin(pool, limits, new Headroom(limits, monotonic), known);
  const ofSitesOnly = limitsOfSites(limits);
  const storeOfSites = createStoreWithin(pool, ofSitesOnly, new Headroom(ofSitesOnly, monotonic), known);

  return (reports) => answerApart(reports, ({ isOfSite = false }) => isOfSite, storeOfSites, storeDirect);
}

interface Known {
  readonly repeats: KnownRepeats;
  readonly groups: ErrorGroupIDs;
  readonly mutedGroups: MutedGroups;
}

/** Two of these may store reports of the same agents at the same time, as two replicas do. */
function createStoreWithin(
  pool: PostgresPool,
  limits: NewErrorLimits,
  headroom: Headroom,
  { repeats, groups, mutedGroups }: Known,
): StoreReports {
  const isKnown = ({ agentID, digest, dismissReason }: DigestedReport) =>
    dismissReason === undefined && repeats.has(agentID, digest);

  /**
   * Separates the reports that are probably new and certainly within their limits from all others. All reports of an agent are in the same part, so that
   * each part counts all of its inserts.
   */
  const divide = (reports: readonly DigestedReport[]) => {
    const isNew = (agentID: string, ofAgent: readonly DigestedReport[]): boolean =>
      !ofAgent.some(
        (report) => report.isProjectFull === true || report.dismissReason !== undefined || isKnown(report),
      ) && headroom.take(agentID, ofAgent.length);
    // A limit per project would have to be counted over all its agents.
    const mayInsert = limits.newPerProjectPerSecond === 0;
    const likelyNew: DigestedReport[] = [];
    const others: DigestedReport[] = [];
    for (const [agentID, ofAgent] of groupByAgent(reports))
      (mayInsert && isNew(agentID, ofAgent) ? likelyNew : others).push(...ofAgent);
    return { likelyNew, others };
  };

  const insertNew = async (reports: readonly DigestedReport[], decided: Map<string, Decision>) => {
    if (reports.length === 0) return;
    const inserted = await insertNewReports(pool, reports);
    const turnedDown: DigestedReport[] = [];
    for (const report of reports) {
      const { id, createdAt: created_at } = report;
      if (inserted.has(id)) decided.set(id, { outcome: 'created', id, created_at });
      else turnedDown.push(report);
    }
    await decideAll(turnedDown, decided);
  };

  const findKnown = async (reports: readonly DigestedReport[], decided: Map<string, Decision>) => {
    const known = reports.filter(isKnown);
    if (known.length > 0) {
      for (const { position, id, created_at } of await findRepeated(pool, known)) {
        const report = known[position];
        if (report !== undefined) decided.set(report.id, { outcome: 'open', id, created_at });
      }
    }
    const unknown = reports.filter(({ id }) => !decided.has(id));
    await decideAll(unknown, decided);
  };

  const decideAll = async (reports: readonly DigestedReport[], decided: Map<string, Decision>) => {
    let open = reports;
    for (let attempt = 0; open.length > 0; attempt += 1) {
      if (attempt === maxAttempts) throw new Error('reports were rejected again and again');
      const rows = await decideReports(pool, limits, open);
      for (const { position, ...decision } of rows) {
        const report = open[position];
        if (report !== undefined && decision.outcome !== 'unseen') decided.set(report.id, decision);
      }
      learnHeadroom(headroom, open, rows);
      open = open.filter(({ id }) => !decided.has(id));
    }
  };

  return async (reports) => {
    const decided = new Map<string, Decision>();
    const { first, firstOf } = firstOfEqual(reports, groups, await mutedGroups.of(reports));
    const { likelyNew, others } = divide(first);
    await Promise.all([insertNew(likelyNew, decided), findKnown(others, decided)]);
    for (const report of first) {
      const decision = decided.get(report.id);
      const isOpen = decision?.outcome === 'created' || decision?.outcome === 'open';
      if (isOpen && decision.is_muted !== true) repeats.note(report.agentID, report.digest);
    }
    return reports.map((report, index) => toOutcome(report, decided.get(firstOf[index]?.id ?? report.id)));
  };
}

/** A report is rejected and its error unseen only if another replica stores and dismisses the same text, or deletes the agent, at the same moment. */
const maxAttempts = 20;

/** Allows later reports to be inserted without a count, within the limits of their agents. */
function learnHeadroom(
  headroom: Headroom,
  reports: readonly DigestedReport[],
  rows: readonly DecisionRow[],
): void {
  const found = new Map(rows.map((row) => [reports[row.position]?.id, row]));
  for (const [agentID, ofAgent] of groupByAgent(reports)) {
    const ofRows = ofAgent.flatMap(({ id }) => found.get(id) ?? []);
    const counted = ofRows.find(({ open_count }) => open_count !== null);
    if (counted === undefined) continue;
    const counts = {
      openCount: counted.open_count ?? 0,
      newCount: counted.new_of_agent ?? 0,
      openOfCause: counted.open_of_cause ?? 0,
      newOfCause: counted.new_of_cause ?? 0,
    };
    const stored = ofRows.filter(({ outcome }) => outcome === 'created').length;
    headroom.learn(agentID, counts, stored);
  }
}

/**
 * The first report of each agent and text; the others of the batch get the same outcome. After one that comes while its group is muted, it is also the
 * first one after the mute: a core instance may pass on both together. Sorted by agent, because the statements lock the agents' rows in this order;
 * reports of an agent keep their order.
 */
function firstOfEqual(
  reports: readonly Report[],
  groups: ErrorGroupIDs,
  mutes: GroupMutes,
): { readonly first: readonly DigestedReport[]; readonly firstOf: readonly DigestedReport[] } {
  const byKey = new Map<string, DigestedReport>();
  const first: DigestedReport[] = [];
  const firstOf: DigestedReport[] = [];
  for (const report of reports) {
    const key = keyOf(report);
    let equal = byKey.get(key);
    const isOpenedAfter =
      equal?.dismissReason !== undefined && !isMutedAt(mutes.get(equal.groupID), report.createdAt);
    if (equal === undefined || isOpenedAfter) {
      const digest = equal?.digest ?? hash('sha256', report.error);
      const groupID = equal?.groupID ?? groups.of(report.projectID, report.error);
      const mute = mutes.get(groupID);
      equal = { ...report, digest, groupID };
      if (isMutedAt(mute, report.createdAt)) equal = { ...equal, dismissReason: dismissReasonOf(mute) };
      byKey.set(key, equal);
      first.push(equal);
    }
    firstOf.push(equal);
  }
  first.sort((one, other) => compareText(one.agentID, other.agentID));
  return { first, firstOf };
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function groupByAgent(reports: readonly DigestedReport[]): ReadonlyMap<string, DigestedReport[]> {
  const groups = new Map<string, DigestedReport[]>();
  for (const report of reports) {
    const ofAgent = groups.get(report.agentID);
    if (ofAgent === undefined) groups.set(report.agentID, [report]);
    else ofAgent.push(report);
  }
  return groups;
}

function keyOf({ agentID, projectID, generation, error }: Report): string {
  return `${agentID}${projectID}${generation} ${error}`;
}

function toOutcome(report: Report, decision: Decision | undefined): ReportOutcome {
  switch (decision?.outcome) {
    case 'created':
    case 'open': {
      const { outcome, id, created_at: createdAt, is_muted: isMuted = false } = decision;
      if (id === null || createdAt === null) throw new TypeError('a stored error has an id and a time');
      const kind = outcome === 'created' && id === report.id ? 'created' : 'ignored';
      return isMuted ? { kind, id, createdAt, isMuted } : { kind, id, createdAt };
    }
    case 'credential_changed':
    case 'agent_not_found':
    case 'agent_deleted':
      return { kind: decision.outcome };
    case 'openPerAgent':
    case 'newPerAgentPerMinute':
    case 'openOfCause':
    case 'newOfCausePerMinute':
    case 'newPerProjectPerSecond':
    case 'storedBytesPerProject':
      return { kind: 'limited', limit: decision.outcome };
    default:
      throw new Error('every report of a batch is decided');
  }
}
