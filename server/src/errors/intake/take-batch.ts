import type { Report } from '../report.ts';

export interface BatchBounds {
  readonly maxReports: number;
  /** True for agents whose reports are on their way to the database. */
  readonly isBusy: (agentID: string) => boolean;
}

/**
 * Removes from the queue, in its order, what may be stored now: reports of agents that are not busy. Whatever names an
 * agent of something that is left behind is left behind too, so that the reports of an agent are never reordered.
 *
 * What was submitted together is never split, even if it exceeds a bound by itself.
 */
export function takeBatch<Submitted extends { readonly reports: readonly Report[] }>(
  queue: Submitted[],
  { maxReports, isBusy }: BatchBounds,
): Submitted[] {
  const batch: Submitted[] = [];
  const left: Submitted[] = [];
  const leftAgents = new Set<string>();
  let size = 0;
  let looked = 0;
  for (const submitted of queue) {
    const { reports } = submitted;
    if (batch.length > 0 && size + reports.length > maxReports) break;
    looked += 1;
    if (reports.some(({ agentID }) => isBusy(agentID) || leftAgents.has(agentID))) {
      for (const { agentID } of reports) leftAgents.add(agentID);
      left.push(submitted);
    } else {
      size += reports.length;
      batch.push(submitted);
    }
  }
  queue.splice(0, looked, ...left);
  return batch;
}
