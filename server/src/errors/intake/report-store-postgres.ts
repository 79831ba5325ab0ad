import { hash } from 'node:crypto';
import { arrayLiteral } from '../../foundation/database/postgres/array-literal.ts';
import type { PostgresPool } from '../../foundation/database/postgres/postgres-pool.ts';
import { ErrorGroupIDs } from '../groups/counting/error-group.ts';
import { dismissReasonOf, isMutedAt } from '../groups/mutes/group-mute.ts';
import { Headroom } from '../limits/headroom-postgres.ts';
import {
  idsAround,
  limitsOfSites,
  minuteMilliseconds,
  type NewErrorLimits,
  secondMilliseconds,
  shareOfCause,
  timesAround,
} from '../limits/new-error-limits.ts';
import type { DigestedReport, LimitName, Report, ReportOutcome, StoreReports } from '../report.ts';
import { agentOfInputSql, insertNewReports, reportColumns } from './insert-new-postgres.ts';
import { KnownRepeats } from './known-repeats-postgres.ts';
import { type GroupMutes, MutedGroups } from './muted-groups-postgres.ts';
import { findPassedOn } from './passed-on-postgres.ts';

/**
 * The ignore rule on PostgreSQL, for any number of replicas, correct under READ COMMITTED because the unique index on
 * open errors decides.
 *
 * Reports that are probably new are inserted directly; the index rejects those that repeat an open error. For these, for known repeats, and for
 * agents that may be near their limits, one full statement decides.
 *
 * This statement cannot see a row that another replica commits while it runs: the index rejects the insert, but the row is not in the statement's
 * snapshot. Such reports are tried again with a new snapshot.
 */
export function createPostgresReportStore(pool: PostgresPool, limits: NewErrorLimits): StoreReports {
  const known = {
    repeats: new KnownRepeats(),
    groups: new ErrorGroupIDs(),
    mutedGroups: new MutedGroups(pool),
  };
  const storeDirect = createStoreWithin(pool, limits, known);
  const storeOfSites = createStoreWithin(pool, limitsOfSites(limits), known);

  return async (reports) => {
    const ofSites = reports.filter(({ isOfSite = false }) => isOfSite);
    if (ofSites.length === 0) return storeDirect(reports);
    if (ofSites.length === reports.length) return storeOfSites(reports);
    const [passedOn, direct] = await Promise.all([
      storeOfSites(ofSites),
      storeDirect(reports.filter(({ isOfSite = false }) => !isOfSite)),
    ]);
    const rest = { passedOn: passedOn.values(), direct: direct.values() };
    return reports.map(({ isOfSite = false }) => {
      const { value } = (isOfSite ? rest.passedOn : rest.direct).next();
      if (value === undefined) throw new Error('every report of a batch is decided');
      return value;
    });
  };
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
  { repeats, groups, mutedGroups }: Known,
): StoreReports {
  const headroom = new Headroom(limits);

  /**
   * Separates the reports that are probably new and certainly within their limits, and agents that report errors of muted
   * groups, from all others.
   */
  const divide = (reports: readonly DigestedReport[]) => {
    const isNew = (agentID: string, ofAgent: readonly DigestedReport[]): boolean =>
      !ofAgent.some(({ digest, isProjectFull = false }) => isProjectFull || repeats.has(agentID, digest)) &&
      headroom.take(agentID, ofAgent);
    // A limit per project would have to be counted over all its agents.
    const mayInsert = limits.newPerProjectPerSecond === 0;
    const likelyNew: DigestedReport[] = [];
    const others: DigestedReport[] = [];
    const withMuted: DigestedReport[] = [];
    for (const [agentID, ofAgent] of groupByAgent(reports)) {
      if (ofAgent.some(({ dismissReason }) => dismissReason !== undefined)) withMuted.push(...ofAgent);
      else (mayInsert && isNew(agentID, ofAgent) ? likelyNew : others).push(...ofAgent);
    }
    // The limit per project is counted by one statement for all agents.
    if (!mayInsert && withMuted.length > 0) return { likelyNew, others: [], withMuted: reports };
    return { likelyNew, others, withMuted };
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

  const decideAll = async (reports: readonly DigestedReport[], decided: Map<string, Decision>) => {
    let open = reports;
    for (let attempt = 0; open.length > 0; attempt += 1) {
      if (attempt === maxAttempts) throw new Error('reports were rejected again and again');
      const rows = await decide(pool, limits, open);
      for (const { position, ...decision } of rows) {
        const report = open[position];
        if (report !== undefined && decision.outcome !== 'unseen') decided.set(report.id, decision);
      }
      const notStored = rows.filter(({ open_count, id }) => open_count !== null && id === null);
      const rejected = notStored.flatMap(({ position }) => open[position] ?? []);
      for (const error of await findPassedOn(pool, rejected))
        decided.set(error.id, { outcome: 'passed_on_before', ...error });
      learnHeadroom(headroom, open, rows);
      open = open.filter(({ id }) => !decided.has(id));
    }
  };

  return async (reports) => {
    const decided = new Map<string, Decision>();
    const { first, firstOf } = firstOfEqual(reports, groups, await mutedGroups.of(reports));
    const { likelyNew, others, withMuted } = divide(first);
    // All reports of an agent are in the same part, so that each part counts all of its inserts.
    await Promise.all([
      insertNew(likelyNew, decided),
      decideAll(others, decided),
      decideAll(withMuted, decided),
    ]);
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

interface Decision {
  readonly outcome:
    | 'created'
    | 'open'
    | 'passed_on_before'
    | 'unseen'
    | 'credential_changed'
    | 'agent_not_found'
    | 'agent_deleted'
    | LimitName;
  readonly id: string | null;
  readonly created_at: number | null;
  /** Absent: the statement stores and finds open errors only. */
  readonly is_muted?: boolean;
}

type DecisionRow = Decision & {
  readonly position: number;
  /** Null if the statement did not count for this report. */
  readonly open_count: number | null;
  readonly new_of_agent: number | null;
  readonly open_of_cause: number | null;
  readonly new_of_cause: number | null;
};

/**
 * Counts the errors of an agent, once for all of its reports: those that are open, and new ones of the last minute, by their cause.
 *
 * Of an open error the time is compared, not the id, and of a dismissed one agent and id together, so that no
 * statistics can make an index by id look as good as the one by agent. The orders keep it from reading the whole table where
 * few agents have nearly all errors.
 */
const countsOfAgentSql = `
  select coalesce(sum(open_count), 0) as open_count, coalesce(sum(new_count), 0) as new_of_agent,
    coalesce(max(open_count), 0) as open_of_cause, coalesce(max(new_count), 0) as new_of_cause,
    array_agg(group_id) as groups, array_agg(open_count) as open_counts, array_agg(new_count) as new_counts
  from (
    select group_id, count(*) filter (where is_open) as open_count, count(*) filter (where is_new) as new_count
    from (
      (select e.group_id, true as is_open, e.created_at >= $17::bigint and e.created_at < $18::bigint as is_new
      from agent_errors as e
      where ($7::bigint > 0 or $8::bigint > 0) and e.agent_id = agents.agent_id and e.dismissed_at is null
      order by e.epoch, e.error_digest limit nullif($7, 0))
      union all
      (select e.group_id, false, true from agent_errors as e
      where e.dismissed_at is not null
        and (e.agent_id, e.id) >= (agents.agent_id, $9::uuid) and (e.agent_id, e.id) < (agents.agent_id, $13::uuid)
      order by e.agent_id desc, e.id desc limit $8)
    ) as counted
    group by group_id
  ) as of_group`;

/**
 * The parts of the statement for reports of muted groups. An equal open error comes before one that was stored as dismissed. The
 * two look-ups have an index each.
 */
const mutedParts = {
  parameter: ', $21::text[]',
  inputColumn: ', dismiss_reason',
  targetColumn: ', open_error.is_muted',
  openError: `
      select * from (
        select e.id, e.created_at, false as is_muted from agent_errors as e
        where e.agent_id = agents.id and e.epoch = agents.epoch
          and e.error_digest = input.error_digest and e.dismissed_at is null
        union all
        select e.id, e.created_at, true from agent_errors as e
        where e.agent_id = agents.id and e.epoch = agents.epoch and input.dismiss_reason is not null
          and e.error_digest = input.error_digest and e.is_muted is not null
      ) as equal order by is_muted limit 1`,
  insertedColumns: ', dismissed_at, dismiss_reason, dismissed_by_kind, is_muted',
  insertedValues: `,
      case when dismiss_reason is not null then created_at end, dismiss_reason,
      case when dismiss_reason is not null then 'system' end,
      case when dismiss_reason is not null then 1 end`,
  returned: ', is_muted is not null as is_muted',
  outcomeColumn: `
    coalesce(target.is_muted, inserted.is_muted, false) as is_muted,`,
  // What is stored as dismissed takes no room among open errors.
  openRankOfGroup: `1 + count(*) filter (where dismiss_reason is null)
          over (of_group rows between unbounded preceding and 1 preceding)`,
  isOpened: ' and dismiss_reason is null',
};

/**
 * `live` locks the agents' rows until the commit, so that no agent is deleted meanwhile, and a later removal of its errors sees all of them. It waits
 * only for a deletion.
 *
 * Look-ups are lateral queries of one row. The plan of a join would depend on statistics, and on a table that was never analyzed or has grown since,
 * it would scan the whole table.
 *
 * Rows are inserted in the order of their key, so that replicas that insert the same ones cannot deadlock.
 * New errors within the batch count too: for the agent only those that the limits of a cause accept, and for the project only those that the limits of
 * their agent accept, so that what is refused does not reduce the room of others.
 *
 * `muted` adds what only reports of muted groups need, so that other batches do not pay for it.
 */
const decideSqlWith = (muted: Readonly<Record<keyof typeof mutedParts, string>>) => `
  with input as materialized (
    select *
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::bytea[], $6::bigint[],
      $12::bigint[], $15::boolean[], $16::uuid[]${muted.parameter})
      with ordinality
        as t (id, agent_id, project_id, error, error_digest, created_at, generation, is_project_full, group_id${muted.inputColumn},
          position)
  ), target as materialized (
    select input.*, input.generation = credential_changes.generation as is_admitted,
      agents.id as found_id, agents.epoch, agents.config_id, agents.deleted_at,
      open_error.id as open_id, open_error.created_at as open_created_at${muted.targetColumn}
    from input
    cross join credential_changes
    left join lateral (${agentOfInputSql}) as agents on true
    left join lateral (
      ${muted.openError}) as open_error on true
  ), live as materialized (
    select input.*
    from target as input
    join lateral (${agentOfInputSql}
      for key share) as agent on agent.deleted_at is null
    where is_admitted and found_id is not null and input.deleted_at is null and open_id is null
  ), of_agents as materialized (
    select agents.agent_id, of_agent.*
    from (select distinct agent_id from live) as agents cross join lateral (${countsOfAgentSql}) as of_agent
  ), counted as materialized (
    select live.*, of_agents.*,
      coalesce(open_counts[array_position(groups, group_id)], 0)
        + ${muted.openRankOfGroup} as open_of_group,
      coalesce(new_counts[array_position(groups, group_id)], 0)
        + row_number() over of_group as new_of_group,
      case when $10::bigint = 0 then 0 else (select count(*) from (
        select 1 from agent_errors as e
        where e.project_id = live.project_id and e.id >= $11::uuid and e.id < $14::uuid limit $10) as counted) end as new_of_project
    from live cross join lateral (
      select open_count, new_of_agent, open_of_cause, new_of_cause, groups, open_counts, new_counts
      from of_agents where of_agents.agent_id = live.agent_id) as of_agents
    window of_group as (partition by agent_id, group_id order by position)
  ), within_cause as materialized (
    select counted.*,
      case
        when $19::bigint > 0 and open_of_group > $19 then 'openOfCause'
        when $20::bigint > 0 and new_of_group > $20 then 'newOfCausePerMinute'
      end as limit_of_cause
    from counted
  ), fresh as materialized (
    select within_cause.*,
      1 + count(*) filter (where limit_of_cause is null)
        over (partition by agent_id order by position rows between unbounded preceding and 1 preceding) as rank_of_agent,
      1 + count(*) filter (where limit_of_cause is null${muted.isOpened})
        over (partition by agent_id order by position rows between unbounded preceding and 1 preceding) as open_rank_of_agent
    from within_cause
  ), within_agent as materialized (
    select fresh.*,
      case
        when is_project_full then 'storedBytesPerProject'
        when $7 > 0 and open_count + open_rank_of_agent > $7 then 'openPerAgent'
        when $8 > 0 and new_of_agent + rank_of_agent > $8 then 'newPerAgentPerMinute'
      end as limit_of_agent
    from fresh
  ), admitted as materialized (
    select within_agent.*,
      case
        when limit_of_agent is not null then limit_of_agent
        when $10 > 0 and new_of_project + 1
          + count(*) filter (where limit_of_agent is null and limit_of_cause is null)
            over (partition by project_id order by position rows between unbounded preceding and 1 preceding)
          > $10 then 'newPerProjectPerSecond'
        else limit_of_cause
      end as limited_by
    from within_agent
  ), inserted as (
    insert into agent_errors (
      agent_id, id, project_id, error, error_digest, epoch, config_id, created_at, occurrences, last_seen_at,
      group_id${muted.insertedColumns}
    )
    select agent_id, id, project_id, error, error_digest, epoch, config_id, created_at, 1, created_at, group_id${muted.insertedValues}
    from admitted
    where limited_by is null
    order by agent_id, error_digest
    on conflict do nothing
    returning id, created_at${muted.returned}
  )
  select
    (target.position - 1)::integer as position,
    coalesce(target.open_id, inserted.id) as id,
    coalesce(target.open_created_at, inserted.created_at) as created_at,
    admitted.open_count::integer as open_count,
    admitted.new_of_agent::integer as new_of_agent,
    admitted.open_of_cause::integer as open_of_cause,
    admitted.new_of_cause::integer as new_of_cause,${muted.outcomeColumn}
    case
      when not target.is_admitted then 'credential_changed'
      when target.found_id is null then 'agent_not_found'
      when target.deleted_at is not null then 'agent_deleted'
      when target.open_id is not null then 'open'
      when inserted.id is not null then 'created'
      else coalesce(admitted.limited_by, 'unseen')
    end as outcome
  from target
  left join admitted on admitted.position = target.position
  left join inserted on inserted.id = target.id`;

const decideSql = decideSqlWith({
  parameter: '',
  inputColumn: '',
  targetColumn: '',
  openError: `select e.id, e.created_at from agent_errors as e
      where e.agent_id = agents.id and e.epoch = agents.epoch
        and e.error_digest = input.error_digest and e.dismissed_at is null
      limit 1`,
  insertedColumns: '',
  insertedValues: '',
  returned: '',
  outcomeColumn: '',
  openRankOfGroup: 'row_number() over of_group',
  isOpened: '',
});
const decideMutedSql = decideSqlWith(mutedParts);

async function decide(
  pool: PostgresPool,
  limits: NewErrorLimits,
  reports: readonly DigestedReport[],
): Promise<DecisionRow[]> {
  const now = Math.max(...reports.map(({ createdAt }) => createdAt));
  const [firstOfAgent, endOfAgent] = idsAround(now, minuteMilliseconds);
  const [fromOfAgent, toOfAgent] = timesAround(now, minuteMilliseconds);
  const [firstOfProject, endOfProject] = idsAround(now, secondMilliseconds);
  const hasMuted = reports.some(({ dismissReason }) => dismissReason !== undefined);
  return pool.query<DecisionRow & Record<string, unknown>>(
    hasMuted ? decideMutedSql : decideSql,
    [
      ...reportColumns(reports),
      limits.openPerAgent,
      limits.newPerAgentPerMinute,
      firstOfAgent,
      limits.newPerProjectPerSecond,
      firstOfProject,
      arrayLiteral(reports.map(({ generation }) => generation)),
      endOfAgent,
      endOfProject,
      arrayLiteral(reports.map(({ isProjectFull = false }) => isProjectFull)),
      arrayLiteral(reports.map(({ groupID }) => groupID)),
      fromOfAgent,
      toOfAgent,
      shareOfCause(limits.openPerAgent),
      shareOfCause(limits.newPerAgentPerMinute),
      ...(hasMuted ? [reports.map(({ dismissReason = null }) => dismissReason)] : []),
    ],
    hasMuted ? 'store-muted-reports' : 'store-reports',
  );
}

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
    headroom.learn(agentID, ofAgent, counts, stored);
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
    case 'open':
    case 'passed_on_before': {
      const { outcome, id, created_at: createdAt, is_muted: isMuted = false } = decision;
      if (id === null || createdAt === null) throw new TypeError('a stored error has an id and a time');
      if (outcome === 'passed_on_before') return { kind: outcome, id, createdAt };
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
