import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPositionFinder } from './find-source.ts';

/** The activity of a thread, over all processes of a run. */
export interface ThreadProfile {
  readonly name: string;
  /** Without idle time. */
  readonly busyMilliseconds: number;
  /** The functions with the most self time. */
  readonly functions: readonly FunctionShare[];
}

interface FunctionShare {
  readonly name: string;
  readonly place: string;
  /** Share of the thread's busy time. */
  readonly share: number;
}

/** V8's format: a tree of calls, and for each sample the node and the time since the previous sample. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

type CallFrame = CpuProfile['nodes'][number]['callFrame'];

const maxFunctions = 20;
const minShare = 0.005;
const idle = '(idle)';

/** Reads the files that `node --cpu-prof` wrote to a directory, one per thread. */
export function readProfiles(directory: string): ThreadProfile[] {
  const byThread = new Map<string, CpuProfile[]>();
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(directory, file), 'utf8')) as CpuProfile; // V8's own format
    const name = threadOf(file);
    byThread.set(name, [...(byThread.get(name) ?? []), profile]);
  }
  return [...byThread]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, profiles]) => summarize(name, profiles));
}

/** CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile */
function threadOf(file: string): string {
  const thread = file.split('.')[4];
  return thread === '0' ? 'main thread' : `thread ${thread}`;
}

function summarize(name: string, profiles: readonly CpuProfile[]): ThreadProfile {
  const positionOf = createPositionFinder();
  const microseconds = new Map<string, number>();
  for (const { nodes, samples, timeDeltas } of profiles) {
    const keys = new Map(nodes.map(({ id, callFrame }) => [id, describe(callFrame, positionOf)]));
    samples.forEach((node, index) => {
      const key = keys.get(node) ?? '';
      microseconds.set(key, (microseconds.get(key) ?? 0) + (timeDeltas[index] ?? 0));
    });
  }
  microseconds.delete(`${idle}\t`);
  const busy = [...microseconds.values()].reduce((sum, time) => sum + time, 0);
  return {
    name,
    busyMilliseconds: busy / 1_000,
    functions: [...microseconds]
      .sort(([, one], [, other]) => other - one)
      .slice(0, maxFunctions)
      .map(([key, time]) => {
        const [functionName = '', place = ''] = key.split('\t');
        return { name: functionName, place, share: time / busy };
      })
      .filter(({ share }) => share >= minShare),
  };
}

function describe({ functionName, url, lineNumber, columnNumber }: CallFrame, positionOf: Find): string {
  const place = url === '' ? '' : positionOf(url, lineNumber, columnNumber);
  return `${functionName === '' ? '(anonymous)' : functionName}\t${place}`;
}

type Find = ReturnType<typeof createPositionFinder>;

const minMilliseconds = 50;

/** Lines for people: how each active thread spent its time. */
export function formatProfiles(profiles: readonly ThreadProfile[]): string {
  const lines = profiles
    .filter(({ busyMilliseconds }) => busyMilliseconds >= minMilliseconds)
    .flatMap(({ name, busyMilliseconds, functions }) => [
      '',
      `  ${name}, busy for ${(busyMilliseconds / 1_000).toFixed(2)} s`,
      ...functions.map(
        (one) => `  ${`${(100 * one.share).toFixed(1)} %`.padStart(8)}  ${one.name.padEnd(28)} ${one.place}`,
      ),
    ]);
  return lines.length === 0 ? '  no profile was written' : lines.join('\n');
}
