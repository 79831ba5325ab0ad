import { Session } from 'node:inspector/promises';
import { vi } from 'vitest';

/** The functions of this workspace, loaded so that their work is counted. */
type Loaded = typeof import('../index.ts');

/**
 * Counts what a function of this workspace does with a text: how often each block of its code runs, and how many characters its
 * patterns match. The same text always gives the same number, on any machine. What patterns do besides is bounded by their
 * form: see patterns.test.ts.
 */
export async function countWork(
  texts: readonly string[],
  run: (loaded: Loaded, text: string) => unknown,
): Promise<number[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    vi.resetModules();
    const loaded = await import('../index.ts');
    const counts: number[] = [];
    for (const text of texts) {
      await session.post('Profiler.takePreciseCoverage');
      const matched = countMatched(() => run(loaded, text));
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const blocks = result
        .filter(({ url }) => url.includes('/redaction/src/'))
        .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)));
      counts.push(matched + blocks.reduce((sum, count) => sum + count, 0));
    }
    return counts;
  } finally {
    session.disconnect();
  }
}

function countMatched(work: () => unknown): number {
  const { exec, test } = RegExp.prototype;
  let matched = 0;
  RegExp.prototype.exec = function (this: RegExp, text: string) {
    const found = exec.call(this, text);
    matched += found === null ? 0 : found[0].length;
    return found;
  };
  RegExp.prototype.test = function (this: RegExp, text: string) {
    const from = this.lastIndex;
    const isFound = test.call(this, text);
    matched += this.sticky && isFound ? this.lastIndex - from : 0;
    return isFound;
  };
  try {
    work();
  } finally {
    Object.assign(RegExp.prototype, { exec, test });
  }
  return matched;
}
