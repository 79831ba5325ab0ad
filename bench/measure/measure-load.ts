import type { Load, LoadFigures, LoadGenerator } from '../load/load.ts';
import { processorMicroseconds } from '../processes/process-usage.ts';
import type { Contender } from './alternate.ts';

export interface LoadSample extends LoadFigures {
  /** Reports. */
  readonly perSecond: number;
  /** Of a report: processor time of all threads of the answering processes; undefined if the system does not provide it. */
  readonly microsecondsPerRequest: number | undefined;
}

interface LoadedProcess {
  readonly url: string;
  readonly pid: number;
}

/** Processes that answer HTTP, each with its share of the same load. */
export function underLoad(
  name: string,
  generator: LoadGenerator,
  targets: readonly LoadedProcess[],
  load: Omit<Load, 'url' | 'seconds' | 'alreadySent'>,
): Contender<LoadSample> {
  let alreadySent = 0;
  const { reportsPerRequest = 1 } = load;
  return {
    name,
    async measure(seconds) {
      const before = targets.map(({ pid }) => processorMicroseconds(pid));
      const connections = Math.max(1, Math.floor(load.connections / targets.length));
      const figures = await Promise.all(
        targets.map(({ url }) => generator.run({ ...load, connections, alreadySent, url, seconds })),
      );
      const used = targets.map(({ pid }, index) => difference(processorMicroseconds(pid), before[index]));
      const sum = addFigures(figures);
      refuseFailures(name, sum);
      alreadySent += sum.requests;
      return {
        ...sum,
        perSecond: figures.reduce((total, one) => total + one.requests / one.seconds, 0) * reportsPerRequest,
        microsecondsPerRequest: used.includes(undefined)
          ? undefined
          : used.reduce<number>((total, one) => total + (one ?? 0), 0) / (sum.requests * reportsPerRequest),
      };
    },
  };
}

function addFigures(figures: readonly LoadFigures[]): LoadFigures {
  const [first, ...others] = figures;
  if (first === undefined) throw new RangeError('no contender was measured');
  return others.reduce(
    (sum, one) => ({
      requests: sum.requests + one.requests,
      refused: sum.refused + one.refused,
      broken: sum.broken + one.broken,
      seconds: Math.max(sum.seconds, one.seconds),
      medianMilliseconds: Math.max(sum.medianMilliseconds, one.medianMilliseconds),
      p99Milliseconds: Math.max(sum.p99Milliseconds, one.p99Milliseconds),
    }),
    first,
  );
}

/** A fast refusal does not count as an answer. */
function refuseFailures(name: string, { requests, refused, broken }: LoadFigures): void {
  if (requests === 0) throw new Error(`${name} answered nothing`);
  if (refused + broken > 0) {
    throw new Error(`${name}: of ${requests} requests ${refused} were refused and ${broken} broke`);
  }
}

function difference(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined ? undefined : now - before;
}
