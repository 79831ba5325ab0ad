import { expect, it } from 'vitest';
import { runSiteKillRounds } from './site-kill-rounds.ts';

it('has each report once, in its order, although site and service are killed on a bad line', async () => {
  // The moments differ with the machine; what must hold does not.
  const moments = [0.1, 0.5, 0.3, 0.9, 0.7];
  let turn = 0;
  const figures = await runSiteKillRounds({
    kills: 4,
    serviceEvery: 2,
    maxRoundMilliseconds: 200,
    random: () => moments[turn++ % moments.length] ?? 0,
  });
  expect(figures).toMatchObject({ kills: 4, serviceKills: 2, faults: [] });
});
