import type { KnownOpenErrors } from '../open-errors/known-open-errors.ts';
import type { AcceptedReport } from '../report.ts';
import type { SiteReport } from './site-report.ts';

/** The open errors for all texts; undefined if one is not known. */
export function findAll(
  knownOpen: KnownOpenErrors,
  agentID: string,
  projectID: string,
  texts: readonly string[],
): AcceptedReport[] | undefined {
  const accepted: AcceptedReport[] = [];
  for (const text of texts) {
    const error = knownOpen.find(agentID, projectID, text);
    if (error === undefined) return undefined;
    accepted.push({ kind: 'ignored', id: error.id, createdAt: error.createdAt });
  }
  return accepted;
}

interface KnownAnswers {
  readonly knownOpen: KnownOpenErrors | undefined;
  readonly reportCounts: { add(projectID: string, outcome: 'ignored', reports: number): void };
}

/** Answers what repeats errors that are known to be open, and has the others stored. */
export async function answerKnown<Outcome>(
  { knownOpen, reportCounts }: KnownAnswers,
  reported: readonly SiteReport[],
  store: (others: readonly SiteReport[]) => Promise<readonly Outcome[]>,
): Promise<(AcceptedReport | Outcome)[]> {
  const known = reported.map(
    ({ agentID, projectID, error }) => knownOpen && findAll(knownOpen, agentID, projectID, [error])?.[0],
  );
  const outcomes = await store(reported.filter((_, index) => known[index] === undefined));
  const stored = outcomes.values();
  return reported.map(({ projectID }, index) => {
    const repeated = known[index];
    if (repeated === undefined) {
      const { value } = stored.next();
      if (value === undefined) throw new Error('a report has no outcome');
      return value;
    }
    reportCounts.add(projectID, 'ignored', 1);
    return repeated;
  });
}
