import { idWords, readID } from '../../foundation/packed/id-words.ts';
import type { NewErrorLimits } from '../limits/new-error-limits.ts';
import { digestOf, prefixOf } from '../open-errors/text-digests.ts';
import type { Report, ReportOutcome } from '../report.ts';

/**
 * A batch as it goes to the database thread. A message costs as much as the number and the length of its values, so each agent is named once, and an
 * id takes sixteen bytes.
 */
export interface ReportBatch {
  readonly limits: NewErrorLimits;
  readonly agents: readonly ReportingRun[];
  /** Of each report, in the order of the agents. */
  readonly ids: Uint32Array;
  /** Of each text, 48 bits of its SHA-256. */
  readonly digests: Float64Array;
  readonly texts: readonly string[];
}

/** An agent whose reports follow one another. */
export type ReportingRun = readonly [
  agentID: string,
  projectID: string,
  isProjectFull: boolean,
  isOfSite: boolean,
  reports: number,
];

/** What became of each report; undefined: it was stored under its own id, as almost all are. */
export type PackedOutcome = ReportOutcome | undefined;

export function packReports(limits: NewErrorLimits, reports: readonly Report[]): ReportBatch {
  const agents: ReportingRun[] = [];
  const ids = new Uint32Array(reports.length * idWords);
  const digests = new Float64Array(reports.length);
  let from = 0;
  reports.forEach((report, index) => {
    const { id, agentID, projectID, error, shortDigest, isProjectFull = false, isOfSite = false } = report;
    digests[index] = prefixOf(shortDigest ?? digestOf(error));
    if (!readID(id, ids, index * idWords)) throw new TypeError(`${id} is no id that an error can have`);
    const next = reports[index + 1];
    if (
      next?.agentID === agentID &&
      next.projectID === projectID &&
      (next.isProjectFull ?? false) === isProjectFull &&
      (next.isOfSite ?? false) === isOfSite
    )
      return;
    agents.push([agentID, projectID, isProjectFull, isOfSite, index + 1 - from]);
    from = index + 1;
  });
  return { limits, agents, ids, digests, texts: reports.map(({ error }) => error) };
}

/** @param reports those to which the outcomes belong, in the same order. */
export function unpackOutcomes(
  outcomes: readonly PackedOutcome[],
  reports: readonly Report[],
): readonly ReportOutcome[] {
  return reports.map(({ id, createdAt }, index) => outcomes[index] ?? { kind: 'created', id, createdAt });
}
