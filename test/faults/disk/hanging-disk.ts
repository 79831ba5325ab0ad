import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { maxWaitMilliseconds } from '../../../server/src/testing/max-wait.ts';
import type { ProcessEnd } from '../../../server/src/testing/muster-process.ts';
import { type Prepared, runRequests } from './fault-requests.ts';
import type { FaultBench } from './fault-round.ts';

/** The behaviour of a service while every sync hangs. */
export interface HangFigures {
  /** Until the first request that must be stored was answered. */
  readonly answeredMilliseconds: number;
  readonly statuses: readonly number[];
  readonly readyStatus: number;
  /** After syncs work again, without a restart. */
  readonly statusAfterwards: number;
  /** During a stop while syncs hang again. */
  readonly stopMilliseconds: number;
  readonly end: ProcessEnd;
  readonly broken: readonly string[];
  readonly integrity: string;
}

/** A library that is loaded before all others: syncs wait for as long as a file exists. */
const source = `
  #include <stdlib.h>
  #include <sys/syscall.h>
  #include <time.h>
  #include <unistd.h>
  static int hang(long number, int file) {
    const char *while_there = getenv("HANG_FILE");
    struct timespec moment = {0, 20000000};
    while (while_there && access(while_there, F_OK) == 0) nanosleep(&moment, NULL);
    return syscall(number, file);
  }
  int fsync(int file) { return hang(SYS_fsync, file); }
  int fdatasync(int file) { return hang(SYS_fdatasync, file); }
`;

/** The reason why such a library cannot be built here; undefined if it can. */
export function whyNoCompiler(): string | undefined {
  if (process.platform !== 'linux') return 'libraries are loaded in this way on Linux alone';
  return spawnSync('gcc', ['--version']).error === undefined ? undefined : 'gcc is not installed';
}

export async function runHangingDisk(bench: FaultBench): Promise<HangFigures> {
  const library = join(bench.folder, 'hang.so');
  const hangs = join(bench.folder, 'hangs');
  const { status, stderr } = spawnSync('gcc', ['-shared', '-fPIC', '-x', 'c', '-o', library, '-'], {
    input: source,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`gcc says: ${stderr}`);
  const service = bench.startCopy(['env', `HANG_FILE=${hangs}`, `LD_PRELOAD=${library}`]);
  const url = await service.ready();
  const requests = await runRequests(url, bench.prepared);

  writeFileSync(hangs, '');
  const begin = performance.now();
  const statuses = [await report(url, bench.prepared, 'first while it hangs')];
  const answeredMilliseconds = Math.round(performance.now() - begin);
  statuses.push(await report(url, bench.prepared, 'second while it hangs'));
  const { status: readyStatus } = await fetch(`${url}/readyz`);
  rmSync(hangs);
  let statusAfterwards = 503;
  for (
    const deadline = Date.now() + maxWaitMilliseconds;
    statusAfterwards === 503 && Date.now() < deadline;
  ) {
    statusAfterwards = await report(url, bench.prepared, 'when it is over');
  }

  writeFileSync(hangs, '');
  const waiting = report(url, bench.prepared, 'while it stops').catch(() => 0);
  const stopped = performance.now();
  const end = await service.end('SIGTERM');
  const stopMilliseconds = Math.round(performance.now() - stopped);
  await waiting;
  rmSync(hangs);
  const after = await bench.inspect(requests);
  return { answeredMilliseconds, statuses, readyStatus, statusAfterwards, stopMilliseconds, end, ...after };
}

async function report(url: string, { agentID, token }: Prepared, error: string): Promise<number> {
  const { status } = await fetch(`${url}/v1/agents/${agentID}/errors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-project-token': token, connection: 'close' },
    body: JSON.stringify({ error }),
  });
  return status;
}
