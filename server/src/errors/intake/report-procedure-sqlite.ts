import { timeOfID } from '../../foundation/clock.ts';
import {
  type IDPlace,
  idAtPlace,
  idAtPlaceSql,
  placeOfWords,
  timeAtPlaceSql,
  timeOfWords,
} from '../../foundation/database/id-place.ts';
import type { SqliteProcedure, SqliteStatements } from '../../foundation/database/sqlite/sqlite-procedure.ts';
import { idWords } from '../../foundation/packed/id-words.ts';
import { queueCreatedErrors } from '../groups/counting/queued-changes-sqlite.ts';
import { GroupKeys } from '../groups/identity/group-keys-sqlite.ts';
import { dismissReasonOf, isMutedAt } from '../groups/mutes/group-mute.ts';
import { limitsOfSites, type NewErrorLimits, shareOfCause } from '../limits/new-error-limits.ts';
import type { LimitName, ReportOutcome } from '../report.ts';
import { type DigestOfAgent, findLikelyRepeats } from './likely-repeats-sqlite.ts';
import { NewErrorRows } from './new-error-rows-sqlite.ts';
import type { PackedOutcome, ReportBatch, ReportingRun } from './report-batch-sqlite.ts';
import { type ReportingAgent, ReportingAgents } from './reporting-agents-sqlite.ts';

interface ReportProcedureOptions {
  /** Agents that are remembered; the others are read again. */
  readonly maxAgents?: number;
  /** What the thread knows of groups, with its other procedures. */
  readonly groups?: GroupKeys;
}

/**
 * The ignore rule on SQLite. It runs on the database thread in one transaction per batch. The writer runs one transaction at a time, so nothing
 * changes between a read and the insert that depends on it.
 */
export function createReportProcedure({
  groups = new GroupKeys(),
  maxAgents,
}: ReportProcedureOptions = {}): SqliteProcedure<ReportBatch, readonly PackedOutcome[]> {
  const agents = new ReportingAgents(maxAgents);

  function storeReport(
    { statements, rows, limits }: OpenBatch,
    { agent, wanted, createdAt, error, digest, configID, isProjectFull, isLikelyRepeat }: ReportToStore,
  ): PackedOutcome {
    const isLikelyInBatch = rows.mayHold(agent.key, digest);
    if (isLikelyRepeat || isLikelyInBatch) {
      const reader = isLikelyInBatch ? rows.reader : statements;
      const openError = reader.get(selectOpenSql, agent.key, agent.epoch, digest, error);
      if (openError !== undefined) {
        return { kind: 'ignored', id: String(openError.id), createdAt: Number(openError.created_at) };
      }
    }
    const limit = isProjectFull
      ? 'storedBytesPerProject'
      : reachedLimit(rows.reader, limits, agent, createdAt);
    const grouped = { projectID: agent.projectID, error, createdAt, configID };
    if (limit !== undefined) {
      // A repeat is within the limits. The error is looked for first, so that no group is stored for what is refused.
      const muted = findMuted(rows.reader, agent, digest, error);
      const isRepeat = muted !== undefined && isMutedAt(groups.find(statements, grouped).mute, createdAt);
      return isRepeat ? muted : { kind: 'limited', limit };
    }
    const { key: groupKey, mute } = groups.find(statements, grouped);
    const isMuted = isMutedAt(mute, createdAt);
    const repeated = isMuted ? findMuted(rows.reader, agent, digest, error) : undefined;
    if (repeated !== undefined) return repeated;
    const limitOfCause = reachedLimitOfCause(rows.reader, limits, agent, groupKey, createdAt);
    if (limitOfCause !== undefined) return { kind: 'limited', limit: limitOfCause };
    const { key: agentKey, projectKey, epoch } = agent;
    const dismissReason = isMuted ? dismissReasonOf(mute) : undefined;
    const row = { agentKey, projectKey, epoch, digest, configID, createdAt, error, groupKey, dismissReason };
    const place = rows.add({ wanted, ...row });
    const isMoved = place !== wanted.place;
    const storedID = isMoved || isMuted ? idAtPlace({ place, rest: wanted.rest }) : undefined;
    const storedAt = storedID === undefined ? createdAt : timeOfID(storedID);
    agents.noteStored(agent, groupKey, storedAt, !isMuted);
    if (storedID === undefined) return undefined;
    return { kind: 'created', id: storedID, createdAt: storedAt, ...(isMuted && { isMuted }) };
  }

  /**
   * 0 means no limit. An interval is half-open, so that a client that waits for the time in `Retry-After` is accepted.
   */
  function reachedLimit(
    statements: SqliteStatements,
    { openPerAgent, newPerAgentPerMinute, newPerProjectPerSecond }: NewErrorLimits,
    agent: ReportingAgent,
    now: number,
  ): LimitName | undefined {
    if (openPerAgent > 0 && agents.countOpen(statements, agent) >= openPerAgent) return 'openPerAgent';
    if (
      newPerAgentPerMinute > 0 &&
      agents.countRecentOfAgent(statements, agent, now) >= newPerAgentPerMinute
    ) {
      return 'newPerAgentPerMinute';
    }
    if (
      newPerProjectPerSecond > 0 &&
      agents.countRecentOfProject(statements, agent, now) >= newPerProjectPerSecond
    ) {
      return 'newPerProjectPerSecond';
    }
    return undefined;
  }

  /** Counts by cause only if the agent has enough errors for one cause to reach its limit. */
  function reachedLimitOfCause(
    statements: SqliteStatements,
    { openPerAgent, newPerAgentPerMinute }: NewErrorLimits,
    agent: ReportingAgent,
    groupKey: number,
    now: number,
  ): LimitName | undefined {
    const { causes } = agents;
    const open = shareOfCause(openPerAgent);
    if (
      open > 0 &&
      agents.countOpen(statements, agent) >= open &&
      causes.countOpen(statements, agent, groupKey, now) >= open
    )
      return 'openOfCause';
    const perMinute = shareOfCause(newPerAgentPerMinute);
    if (
      perMinute > 0 &&
      agents.countRecentOfAgent(statements, agent, now) >= perMinute &&
      causes.countRecent(statements, agent, groupKey, now) >= perMinute
    )
      return 'newOfCausePerMinute';
    return undefined;
  }

  /** In the order of the reports; undefined for those of an agent that accepts none. */
  function digestsOfAgents(
    statements: SqliteStatements,
    reporting: readonly ReportingRun[],
    digests: Float64Array,
  ): (DigestOfAgent | undefined)[] {
    const wanted: (DigestOfAgent | undefined)[] = [];
    for (const [agentID, projectID, , , reports] of reporting) {
      const agent = agents.find(statements, agentID, projectID);
      for (let count = 0; count < reports; count += 1) {
        const digest = digests[wanted.length];
        const isKnown = typeof agent !== 'string' && digest !== undefined;
        wanted.push(isKnown ? { agentKey: agent.key, epoch: agent.epoch, digest } : undefined);
      }
    }
    return wanted;
  }

  return {
    watches: [...agents.watches, ...groups.watches],
    run(statements, { limits, agents: reporting, ids, digests, texts }) {
      const likelyRepeats = findLikelyRepeats(statements, digestsOfAgents(statements, reporting, digests));
      const rows = new NewErrorRows(statements);
      const direct = { statements, rows, limits };
      const ofSites = { statements, rows, limits: limitsOfSites(limits) };
      const outcomes: PackedOutcome[] = [];
      for (const [agentID, projectID, isProjectFull, isOfSite, reports] of reporting) {
        const batch = isOfSite ? ofSites : direct;
        const end = outcomes.length + reports;
        const agent = agents.find(statements, agentID, projectID);
        if (typeof agent === 'string') {
          while (outcomes.length < end) outcomes.push({ kind: agent });
          continue;
        }
        const configID = agents.configIDOf(agent);
        while (outcomes.length < end) {
          const index = outcomes.length;
          const wanted = placeOfWords(ids, index * idWords);
          if (wanted === undefined) throw new TypeError('a report has an id that no error can have');
          outcomes.push(
            storeReport(batch, {
              agent,
              wanted,
              createdAt: timeOfWords(ids, index * idWords),
              error: texts[index] ?? '',
              digest: digests[index] ?? 0,
              configID,
              isProjectFull,
              isLikelyRepeat: likelyRepeats.has(index),
            }),
          );
        }
      }
      rows.flush();
      queueCreatedErrors(statements, rows.created);
      return outcomes;
    },
    undo() {
      agents.forgetAll();
      groups.forgetAll();
    },
  };
}

interface OpenBatch {
  readonly statements: SqliteStatements;
  readonly rows: NewErrorRows;
  readonly limits: NewErrorLimits;
}

interface ReportToStore {
  readonly agent: ReportingAgent;
  /** The place of its id. */
  readonly wanted: IDPlace;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly error: string;
  readonly digest: number;
  readonly configID: Uint8Array | null;
  readonly isProjectFull: boolean;
  /** False if the agent had no open error with this digest before the batch. */
  readonly isLikelyRepeat: boolean;
}

/** The error that an earlier report of a muted group was stored as. */
function findMuted(
  statements: SqliteStatements,
  { key, epoch }: ReportingAgent,
  digest: number,
  error: string,
): ReportOutcome | undefined {
  const muted = statements.get(selectMutedSql, key, epoch, digest, error);
  if (muted === undefined) return undefined;
  return { kind: 'ignored', id: String(muted.id), createdAt: Number(muted.created_at), isMuted: true };
}

const selectOpenSql = `
  select ${idAtPlaceSql} as id, ${timeAtPlaceSql} as created_at
  from agent_error_rows indexed by agent_error_rows_open
  where agent_key = ?1 and epoch = ?2 and digest = ?3 and dismissed_at is null and error = ?4`;

const selectMutedSql = `
  select ${idAtPlaceSql} as id, ${timeAtPlaceSql} as created_at
  from agent_error_rows indexed by agent_error_rows_muted
  where agent_key = ?1 and epoch = ?2 and digest = ?3 and is_muted is not null and error = ?4`;
