import { hash } from 'node:crypto';
import { timeOfID } from '../../clock.ts';
import { idAtPlaceSql, placeOfID, timeAtPlaceSql } from '../../database/id-place.ts';
import type { SqliteProcedure, SqliteStatements } from '../../database/sqlite/sqlite-procedure.ts';
import { GroupKeys } from '../groups/group-keys-sqlite.ts';
import { dismissReasonOf, isMutedAt } from '../groups/group-mute.ts';
import { queueCreatedErrors } from '../groups/queued-changes-sqlite.ts';
import type { NewErrorLimits } from '../limits/new-error-limits.ts';
import type { LimitName, Report, ReportOutcome } from '../report.ts';
import { NewErrorRows } from './new-error-rows-sqlite.ts';
import { type ReportingAgent, ReportingAgents } from './reporting-agents-sqlite.ts';

/** A batch as it goes to the database thread: a clone of arrays costs half as much as one of objects with the same values. */
export interface ReportBatch {
  readonly limits: NewErrorLimits;
  readonly reports: readonly PackedReport[];
}

type PackedReport = readonly [
  id: string,
  agentID: string,
  projectID: string,
  error: string,
  isProjectFull: boolean,
];

/** What became of each report; undefined: it was stored under its own id, as almost all are. */
export type PackedOutcome = ReportOutcome | undefined;

export function packReports(reports: readonly Report[]): readonly PackedReport[] {
  return reports.map(({ id, agentID, projectID, error, isProjectFull = false }) => [
    id,
    agentID,
    projectID,
    error,
    isProjectFull,
  ]);
}

/** @param reports those to which the outcomes belong, in the same order. */
export function unpackOutcomes(
  outcomes: readonly PackedOutcome[],
  reports: readonly Report[],
): readonly ReportOutcome[] {
  return reports.map(({ id, createdAt }, index) => outcomes[index] ?? { kind: 'created', id, createdAt });
}

interface ReportProcedureOptions {
  /** Agents that are remembered; the others are read again. */
  readonly maxAgents?: number;
  /** What the thread knows of groups, with its other procedures. */
  readonly groups?: GroupKeys;
  /** Equal texts have equal digests. Absent: the first 48 bits of their SHA-256. */
  readonly digestOf?: (text: string) => number;
}

/**
 * The ignore rule on SQLite. It runs on the database thread in one transaction per batch. The writer runs one transaction at a time, so nothing
 * changes between a read and the insert that depends on it.
 */
export function createReportProcedure({
  digestOf = readDigest,
  groups = new GroupKeys(),
  maxAgents,
}: ReportProcedureOptions = {}): SqliteProcedure<ReportBatch, readonly PackedOutcome[]> {
  const agents = new ReportingAgents(maxAgents);

  function storeReport(
    statements: SqliteStatements,
    rows: NewErrorRows,
    limits: NewErrorLimits,
    [id, agentID, projectID, error, isProjectFull]: PackedReport,
  ): PackedOutcome {
    const agent = agents.find(statements, agentID, projectID);
    if (typeof agent === 'string') return { kind: agent };
    const digest = digestOf(error);
    if (rows.mayHold(agent.key, digest)) rows.flush();
    const openError = statements.get(selectOpenSql, agent.key, agent.epoch, digest, error);
    if (openError !== undefined) {
      return { kind: 'ignored', id: String(openError.id), createdAt: Number(openError.created_at) };
    }
    const createdAt = timeOfID(id);
    const limit = isProjectFull
      ? 'storedBytesPerProject'
      : reachedLimit(rows.reader, limits, agent, createdAt);
    const configID = agents.configIDOf(agent);
    const grouped = { projectID, error, createdAt, configID };
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
    const wanted = placeOfID(id);
    if (wanted === undefined) throw new TypeError(`${id} is no id that an error can have`);
    const { key: agentKey, projectKey, epoch } = agent;
    const dismissReason = isMuted ? dismissReasonOf(mute) : undefined;
    const row = { agentKey, projectKey, epoch, digest, configID, createdAt, error, groupKey, dismissReason };
    const storedID = rows.add({ id, wanted, ...row });
    const storedAt = storedID === id ? createdAt : timeOfID(storedID);
    if (isMuted) {
      agents.noteStoredDismissed(agent, storedAt);
      return { kind: 'created', id: storedID, createdAt: storedAt, isMuted: true };
    }
    agents.noteStored(agent, storedAt);
    return storedID === id ? undefined : { kind: 'created', id: storedID, createdAt: storedAt };
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

  return {
    watches: [...agents.watches, ...groups.watches],
    run(statements, { limits, reports }) {
      const rows = new NewErrorRows(statements);
      const outcomes = reports.map((report) => storeReport(statements, rows, limits, report));
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

function readDigest(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, 6);
}

const selectOpenSql = `
  select ${idAtPlaceSql} as id, ${timeAtPlaceSql} as created_at
  from agent_error_rows indexed by agent_error_rows_open
  where agent_key = ?1 and epoch = ?2 and digest = ?3 and dismissed_at is null and error = ?4`;

const selectMutedSql = `
  select ${idAtPlaceSql} as id, ${timeAtPlaceSql} as created_at
  from agent_error_rows indexed by agent_error_rows_muted
  where agent_key = ?1 and epoch = ?2 and digest = ?3 and is_muted is not null and error = ?4`;
