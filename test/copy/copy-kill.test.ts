import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createTarget,
  expectSame,
  makeDirectory,
  makeInstallation,
  type TargetPlace,
} from './copy-places.ts';

interface Progress {
  readonly phase: string;
  readonly table: string;
  readonly rows: number;
}

const source = makeDirectory();
let target: TargetPlace;

beforeAll(async () => {
  await makeInstallation(source, 3);
  target = await createTarget();
});

afterAll(async () => {
  await target.drop();
  source.remove();
});

/** Runs the copy and kills it after that many reports; returns the reports. */
async function runUntil(reports: number): Promise<(Progress | 'done')[]> {
  const file = fileURLToPath(new URL('./copy-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file, source.dataDirectory, target.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const seen: (Progress | 'done')[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(JSON.parse(line));
    if (seen.length === reports) child.kill('SIGKILL');
  }
  return seen;
}

describe('a copy that is killed', () => {
  it('continues where it stopped, however often, and neither loses nor duplicates rows', async () => {
    const last = new Map<string, number>();
    const moments = [7, 41, 23];
    for (const moment of moments) {
      const seen = await runUntil(moment);
      for (const report of seen) {
        if (report === 'done' || report.phase !== 'copy') continue;
        // Reported progress was on disk, so the next process begins with it.
        expect(report.rows, `killed at ${moments}`).toBeGreaterThanOrEqual(last.get(report.table) ?? 0);
        last.set(report.table, report.rows);
      }
    }
    expect((await runUntil(Number.POSITIVE_INFINITY)).at(-1)).toBe('done');
    await expectSame(source, target);
  });
});
