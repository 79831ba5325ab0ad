import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { ownSystemThreadID, ThreadActivity } from './thread-activity.ts';

const isLinux = process.platform === 'linux';
if (!isLinux) process.stderr.write('Skipped, what a thread does: the system does not tell.\n');

let worker: Worker | undefined;
afterEach(() => worker?.terminate());

/** Answers what the system calls a thread, which goes on to what it is told. */
async function start(work: string): Promise<number> {
  const started = new Worker(
    `const fs = require('node:fs');
    const { parentPort } = require('node:worker_threads');
    parentPort.postMessage(fs.readlinkSync('/proc/thread-self'));
    const cell = new Int32Array(new SharedArrayBuffer(4));
    ${work}`,
    { eval: true },
  );
  worker = started;
  const link = await new Promise<string>((resolve) => started.once('message', resolve));
  return Number(link.split('/').at(-1));
}

/** As a thread comes to what it is told only after it has told its name. */
async function untilLooksLike(activity: ThreadActivity, id: number, expected: boolean): Promise<void> {
  activity.look(id);
  do await new Promise((resolve) => setTimeout(resolve, 20));
  while (activity.look(id) !== expected);
}

describe.skipIf(!isLinux)('a look at a thread', () => {
  it('sees that it computes', async () => {
    const id = await start('for (;;);');
    await untilLooksLike(new ThreadActivity(), id, true);
  });

  it('sees that it reads, however little it computes meanwhile', async () => {
    const id = await start(
      `const file = fs.openSync(process.execPath);
      const chunk = Buffer.alloc(1);
      for (;;) { fs.readSync(file, chunk, 0, 1, 0); Atomics.wait(cell, 0, 0, 1); }`,
    );
    await untilLooksLike(new ThreadActivity(), id, true);
  });

  it('sees that it stands still', async () => {
    const id = await start('Atomics.wait(cell, 0, 0, 60_000);');
    const activity = new ThreadActivity();
    await untilLooksLike(activity, id, false);
    expect(activity.look(id)).toBe(false);
    activity.forget();
    expect(activity.look(id)).toBe(undefined);
  });
});

describe.skipIf(!isLinux)('ownSystemThreadID', () => {
  it('is that of the thread that asks: here the first one, which is called like its process', () => {
    expect(ownSystemThreadID()).toBe(process.pid);
  });
});

describe('a look at a thread that the system does not tell of', () => {
  it.each([0, 2 ** 31 - 1])('answers nothing: %d', (id) => {
    const activity = new ThreadActivity();
    expect([activity.look(id), activity.look(id)]).toEqual([undefined, undefined]);
  });
});
