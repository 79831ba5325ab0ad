import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { root } from '../scripts/workspace.mjs';
import { eventually } from '../server/src/testing/eventually.ts';

/** A run with processes as tests leave them: one knows the folder by its environment, one by its command line, and a stranger not at all. None ends by itself. */
const run = `
  import { spawn } from 'node:child_process';
  import { createRunFolder } from './test/run-folder.ts';
  const { PATH, TMPDIR } = process.env;
  const { path } = createRunFolder();
  const start = (env, argv0) => {
    const child = spawn('sleep', ['600'], { env, argv0, detached: true, stdio: 'ignore' });
    child.unref();
    return child.pid;
  };
  const pids = [start(process.env, 'sleep'), start({ PATH }, path + '/postgres'), start({ PATH, TMPDIR }, 'sleep')];
  console.log(JSON.stringify({ path, run: process.pid, pids }));
  setInterval(() => undefined, 1_000_000);
`;

interface Run {
  readonly path: string;
  readonly run: number;
  readonly pids: readonly number[];
}

let parent: ChildProcess | undefined;
let stranger: number | undefined;
afterEach(() => {
  parent?.kill('SIGKILL');
  if (stranger !== undefined) process.kill(stranger, 'SIGKILL');
});

/** Starts a run below a shell, as npm does. */
async function startRun(): Promise<Run> {
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '--eval', run];
  parent = spawn('sh', ['-c', '"$@"; true', 'sh', ...node], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = parent.stdout === null ? [] : await once(parent.stdout, 'data');
  const started = JSON.parse(String(line)) as Run; // as printed above
  stranger = started.pids[2];
  return started;
}

/** The command line of a process that has ended is empty as long as nobody asks how. */
function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

describe.runIf(process.platform === 'linux')('an interrupted run', () => {
  it.each([
    ['is killed', ({ run }: Run) => process.kill(run, 'SIGKILL')],
    ['loses the command that started it', () => parent?.kill('SIGKILL')],
  ])(
    'leaves neither its processes nor its folder when it %s, and no other process ends',
    async (_, interrupt) => {
      const started = await startRun();
      const isThere = () => [existsSync(started.path), ...[started.run, ...started.pids].map(isRunning)];
      expect(isThere()).toEqual([true, true, true, true, true]);
      interrupt(started);
      await eventually(() => expect(isThere()).toEqual([false, false, false, false, true]));
    },
  );
});

it('tries a test once', ({ task }) => {
  expect(task.retry).toBe(0);
});
