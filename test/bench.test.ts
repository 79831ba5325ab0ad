import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));

interface Outcome {
  readonly exitCode: number | null;
  readonly output: string;
}

let directory: string;
let kept: string;
let results: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'muster-bench-test-'));
  kept = join(directory, 'kept');
  results = join(directory, 'RESULTS.md');
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function runBench(args: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, ['scripts/bench.mjs', ...args], {
    cwd: repository,
    env: { ...process.env, MUSTER_BENCH_DIR: kept },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, output }));
  });
}

/** The cells of a case's first row. */
function cellsOf(name: string, text: string): string[] {
  const line = text.split('\n').find((one) => one.startsWith(`| ${name} `)) ?? '';
  return line.split('|').map((cell) => cell.trim());
}

describe('npm run bench', () => {
  it('puts the service beside its ceiling, prints and writes the table, and leaves nothing behind', async () => {
    const args = ['--quick', '--case', 'ignored', '--seconds', '0.3', '--results', results];
    const { exitCode, output } = await runBench(args);

    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.any(String) });
    const [, name, what, result, bar, goal, verdict, measured] = cellsOf('ignored', output);
    expect({ name, what, bar, goal, verdict }).toEqual({
      name: 'ignored',
      what: 'report an error that is ignored, SQLite, against bare',
      bar: '≥ 0.6 ×',
      goal: '0.9 ×',
      verdict: 'not judged',
    });
    const [, muster, bare] = (
      /^muster ([\d,.]+)\/s, bare ([\d,.]+)\/s; a quick run$/.exec(measured ?? '') ?? []
    ).map((text) => Number(text.replaceAll(',', '')));
    expect(muster).toBeGreaterThan(1);
    expect(bare).toBeGreaterThan(1);
    const ratio = Number(/^([\d.]+) ×$/.exec(result ?? '')?.[1]);
    expect(ratio).toBeCloseTo(Number(muster) / Number(bare), 1);

    const page = readFileSync(results, 'utf8');
    expect(page).toMatch(/^# Results\n/);
    expect(page).not.toContain('ended before');
    expect(page).toMatch(/\| load \| (wrk|autocannon) [\d.]+, 64 connections, on the same machine \|/);
    expect(page).toContain(`| node | ${process.version} |`);
    expect(cellsOf('ignored', page)).toEqual(cellsOf('ignored', output));

    expect(readdirSync(kept)).toEqual([]);
  });

  it('lists the cases if the given one does not exist, and starts nothing', async () => {
    const { exitCode, output } = await runBench(['--case', 'ignord']);
    expect(exitCode).toBe(2);
    expect(output).toMatch(
      /^There is no case 'ignord'\. Cases: ignored, distinct-sqlite, .*\.\nSee: npm run bench -- --help\n$/,
    );
  });

  it('puts this checkout beside another one, without the table of results', async () => {
    const { exitCode, output } = await runBench([
      '--quick',
      ...['--against', '.', '--case', 'against-sqlite', '--seconds', '0.1'],
    ]);
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.any(String) });
    const measured = output
      .split('\n')
      .filter((line) => line.startsWith('| against-sqlite '))
      .map((line) => line.split('|').map((cell) => cell.trim())[2]);
    const work = ['ignored errors', 'new errors', 'new errors in arrays of 100'];
    expect(measured).toEqual([
      ...work.flatMap((what) => [what, `${what}: processor time`]),
      'a page of open errors: p50',
    ]);
    expect(output).not.toContain('written to');
  });

  it('says what is missing in a checkout that is not built', async () => {
    const { exitCode, output } = await runBench(['--against', directory]);
    expect({ exitCode, output }).toEqual({
      exitCode: 2,
      output:
        `--against is '${directory}', where no cli/dist/muster.mjs is. Build that checkout: npm ci && node scripts/build.mjs\n` +
        'See: npm run bench -- --help\n',
    });
  });
});
