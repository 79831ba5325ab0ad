import { describe, expect, it } from 'vitest';
import { runKillRounds } from './kill-rounds.ts';

/** The same moments on any day, spread over each round. */
let drawn = 0;
function random(): number {
  drawn += 1;
  return (drawn * 0.618) % 1;
}

describe('kill -9 under load', () => {
  it('loses nothing that was acknowledged, duplicates nothing, and leaves an intact database', async () => {
    const { readyMilliseconds, ...figures } = await runKillRounds({
      rounds: 3,
      connections: 8,
      maxRoundMilliseconds: 600,
      random,
    });
    expect(figures).toEqual({
      rounds: 3,
      killedAtStart: expect.any(Number),
      acknowledged: expect.any(Number),
      lost: 0,
      doubled: 0,
      integrity: 'ok',
    });
    expect(figures.killedAtStart).toBeGreaterThan(0);
    expect(figures.acknowledged).toBeGreaterThan(0);
    expect(readyMilliseconds).toHaveLength(4);
  });
});
