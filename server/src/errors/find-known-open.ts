import type { KnownOpenErrors } from './open-errors/known-open-errors.ts';
import type { AcceptedReport } from './report.ts';

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
