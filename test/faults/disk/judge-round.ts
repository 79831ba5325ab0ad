import type { FaultRound } from './fault-round.ts';

const maxAnswerMilliseconds = 15_000;
const maxStopMilliseconds = 10_000;

/** Expected statuses of a round besides 503. 409: an earlier attempt at the dismissal succeeded without a success in its answer. */
const successes = ['200', '201', '204', '409'];

/** Lists the forbidden outcomes of a round; empty if there were none. */
export function judgeRound(round: FaultRound, { isOver }: { readonly isOver: boolean }): string[] {
  const { requests, broken, integrity, end, output } = round;
  const faults = [...broken];
  if (integrity !== 'ok') faults.push(`integrity: ${integrity}`);
  if (!output.includes('ready at')) return [...faults, ...judgeFailedStart(round)];
  if (end.code !== 0) faults.push(`it ended with ${end.code ?? end.signal}: ${output.slice(-500)}`);
  if (requests === undefined) return faults;
  const { statuses, readyStatus, lastStatus } = requests;
  const others = Object.keys(statuses).filter((status) => status !== '503' && !successes.includes(status));
  if (others.length > 0) faults.push(`it answered ${others.join(', ')}`);
  if (lastStatus === 201 ? readyStatus !== 200 : readyStatus !== 503) {
    faults.push(`it answered ${lastStatus} to a report, and says of its readiness ${readyStatus}`);
  }
  if (isOver && lastStatus !== 201) faults.push(`it answered ${lastStatus} when the fault was over`);
  return faults;
}

/** What took too long on a machine that does nothing else. */
export function judgeDurations({ requests, stopMilliseconds }: FaultRound): string[] {
  const faults: string[] = [];
  const slowest = requests?.slowestMilliseconds ?? 0;
  if (stopMilliseconds > maxStopMilliseconds) faults.push(`it took ${stopMilliseconds} ms to stop`);
  if (slowest > maxAnswerMilliseconds) faults.push(`an answer took ${slowest} ms`);
  return faults;
}

/** Advice is part of a message; a stack trace means an unhandled fault. */
function judgeFailedStart({ end, output }: FaultRound): string[] {
  const faults: string[] = [];
  if (end.code !== 1) faults.push(`it ended its start with ${end.code ?? end.signal}`);
  if (!/^muster: /m.test(output)) faults.push(`it does not say why it ended: ${output}`);
  if (!/Free some space|Check whether the disk|Let Muster/.test(output))
    faults.push(`it does not say what to do: ${output}`);
  if (/^ {4}at /m.test(output)) faults.push(`it shows a stack: ${output}`);
  return faults;
}
