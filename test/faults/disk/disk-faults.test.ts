import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoStrace } from '../trace/strace.ts';
import { FaultBench } from './fault-round.ts';
import { failCalls, type Injection } from './inject.ts';
import { judgeRound } from './judge-round.ts';

/** Two or more processes each. */
const slow = { timeout: 120_000 };

const reason = whyNoStrace();
if (reason !== undefined) process.stderr.write(`Skipped, system calls that fail one by one: ${reason}.\n`);

let bench: FaultBench;
beforeAll(async () => {
  bench = new FaultBench();
  await bench.prepare();
}, slow.timeout);
afterAll(() => bench.remove());

/** The short version; in `npm run faults:sqlite` every call fails in turn. */
describe.skipIf(reason !== undefined)('a service on a disk that fails', slow, () => {
  const syncs = ['fsync', 'fdatasync'] as const;

  it.each<[string, Injection, boolean]>([
    ['one sync of a commit', { calls: syncs, error: 'EIO', when: '5' }, true],
    ['every sync from the fifth on', { calls: syncs, error: 'EIO', when: '5+' }, false],
  ])(
    '%s: acknowledges nothing that is not there afterwards, and says what is wrong',
    async (_, injection, isOver) => {
      const trace = join(bench.folder, 'trace');
      const round = await bench.run(failCalls(trace, bench.dataDirectory, injection));
      expect(judgeRound(round, { isOver })).toEqual([]);
      expect(readFileSync(trace, 'latin1')).toContain('(INJECTED)');
      expect(round.requests?.statuses).toMatchObject({ 201: expect.any(Number), 503: expect.any(Number) });
      expect(round.output).toMatch(/Check whether the disk|Free some space/);
    },
  );

  it('the first sync: does not start, and says why', async () => {
    const injection: Injection = { calls: syncs, error: 'EIO', when: '1' };
    const round = await bench.run(failCalls(join(bench.folder, 'trace'), bench.dataDirectory, injection));
    expect(round).toMatchObject({
      requests: undefined,
      broken: [],
      integrity: 'ok',
      end: { code: 1, signal: null },
    });
    expect(round.output).toBe(
      `muster: ${join(bench.dataDirectory, 'muster.db')} cannot be opened: EIO: i/o error, fsync. The system does not let Muster read or write its files; the system's log says why. Check whether the disk with the data directory is full or failing, and check limits on the size of files.\n`,
    );
  });
});
