import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultBench } from './fault-round.ts';
import { judgeRound } from './judge-round.ts';

let bench: FaultBench;
beforeAll(async () => {
  bench = new FaultBench();
  await bench.prepare();
});
afterAll(() => bench.remove());

/** The command prefix that limits every file to that many blocks of 512 bytes. */
function limitFiles(blocks: number): string[] {
  return ['sh', '-c', `ulimit -f ${blocks} && exec "$@"`, 'sh'];
}

/** Makes writes fail on any machine: the log of the database reaches the limit after a few commits. */
describe('a service whose files may not grow', () => {
  it('acknowledges only stored reports, returns 503 for the others, and loses nothing', async () => {
    const round = await bench.run(limitFiles(360));
    expect(judgeRound(round, { isOver: false })).toEqual([]);
    expect(round.requests).toMatchObject({
      statuses: { 201: expect.any(Number), 503: expect.any(Number) },
      readyStatus: 503,
      lastStatus: 503,
    });
    expect(round.end).toEqual({ code: 0, signal: null });
    expect(round.output).toContain('disk I/O error. The system does not let Muster read or write its files');
  });

  it('does not start if they may not grow at all, and says what to check', async () => {
    const round = await bench.runFirstStart(limitFiles(8));
    expect(judgeRound(round, { isOver: false })).toEqual([]);
    expect(round).toMatchObject({ broken: [], integrity: 'ok', end: { code: 1, signal: null } });
  });
});
