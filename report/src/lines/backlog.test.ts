import { describe, expect, it } from 'vitest';
import { Backlog, type OutputReader } from './backlog.ts';

/** A backlog whose clock and turns the test controls, and a reader that records its calls. */
function makeBacklog({ maxBytes = 1_000, stepMilliseconds = 0 } = {}) {
  const log: string[] = [];
  const turns: (() => void)[] = [];
  let now = 0;
  let steps = 0;
  const backlog = new Backlog({
    maxBytes,
    now: () => now,
    defer: (turn) => turns.push(turn),
    onSkipped: (bytes) => log.push(`skipped ${bytes}`),
  });
  /** Each byte of a chunk is a step of its own. */
  const reader: OutputReader = {
    read(chunk) {
      log.push(`read ${chunk}`);
      steps = chunk.length;
    },
    step() {
      if (steps === 0) return false;
      steps -= 1;
      now += stepMilliseconds;
      log.push('step');
      return true;
    },
    skip: () => log.push('skip'),
    end: () => log.push('end'),
    hold: () => undefined,
    settle: () => log.push('settle'),
  };
  return {
    backlog,
    reader,
    log,
    takeTurn: () => turns.shift()?.(),
    get isScheduled() {
      return turns.length > 0;
    },
  };
}

describe('Backlog', () => {
  it('reads nothing while output is being passed on, and all of it in a later turn', () => {
    const bench = makeBacklog();
    bench.backlog.push(bench.reader, Buffer.from('ab'));
    bench.backlog.push(bench.reader, Buffer.from('c'));
    expect([bench.log, bench.isScheduled]).toEqual([[], true]);
    bench.takeTurn();
    expect(bench.log).toEqual(['read ab', 'step', 'step', 'read c', 'step', 'settle']);
    expect([bench.isScheduled, bench.backlog.bytes]).toEqual([false, 0]);
  });

  it('lets the event loop pass on output between any two steps that take long', () => {
    const bench = makeBacklog({ stepMilliseconds: 59 });
    bench.backlog.push(bench.reader, Buffer.from('abc'));
    const turns: string[][] = [];
    while (bench.isScheduled) {
      const { length } = bench.log;
      bench.takeTurn();
      turns.push(bench.log.slice(length));
    }
    expect(turns).toEqual([['read abc', 'step'], ['step'], ['step'], ['settle']]);
  });

  it('skips output while too much waits, and marks the gap', () => {
    const bench = makeBacklog({ maxBytes: 4 });
    for (const chunk of ['abc', 'de', 'fg', 'h']) bench.backlog.push(bench.reader, Buffer.from(chunk));
    bench.backlog.end(bench.reader);
    bench.takeTurn();
    expect(bench.log.filter((entry) => entry !== 'step')).toEqual([
      'skipped 2',
      'skipped 2',
      'read abc',
      'skip',
      'read h',
      'end',
      'settle',
    ]);
  });

  it('settles a stream when all of it was read, even if another stream still has much to read', () => {
    const bench = makeBacklog({ stepMilliseconds: 59, maxBytes: 2_000 });
    const log: string[] = [];
    const other: OutputReader = { ...bench.reader, read: () => undefined, step: () => false };
    bench.backlog.push({ ...other, settle: () => log.push('settled') }, Buffer.from('a'));
    for (let chunk = 0; chunk < 3_000; chunk += 1) bench.backlog.push(bench.reader, Buffer.from('b'));
    bench.takeTurn();
    expect(log).toEqual(['settled']);
    while (bench.isScheduled) bench.takeTurn();
    expect(bench.log.filter((entry) => entry === 'read b')).toHaveLength(2_000 - 1);
    expect(bench.log.slice(-2)).toEqual(['skip', 'settle']);
  });

  it('resolves when everything was read', async () => {
    const bench = makeBacklog({ stepMilliseconds: 59 });
    await bench.backlog.whenEmpty();
    bench.backlog.push(bench.reader, Buffer.from('ab'));
    let isEmpty = false;
    const empty = bench.backlog.whenEmpty().then(() => {
      isEmpty = true;
    });
    bench.takeTurn();
    await Promise.resolve();
    expect(isEmpty).toBe(false);
    bench.takeTurn();
    bench.takeTurn();
    await empty;
    expect(isEmpty).toBe(true);
  });
});
