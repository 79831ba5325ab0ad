import { describe, expect, it } from 'vitest';
import { fleetLines, stateOf, whoRunsWhat } from './who-runs-what.ts';

const [v40, v41] = ['id-40', 'id-41'];
const served = { id: v41, number: 41 };

function count(versionID: string | null, agentsCount: number, more: Partial<Count> = {}): Count {
  const number = versionID === null ? null : Number(versionID.slice(3));
  return { versionID, number, isDrifted: false, agentsCount, unhealthyCount: 0, rejectedCount: 0, ...more };
}

interface Count {
  readonly versionID: string | null;
  readonly number: number | null;
  readonly isDrifted: boolean;
  readonly agentsCount: number;
  readonly unhealthyCount: number;
  readonly rejectedCount: number;
}

describe('what the agents of a fleet run', () => {
  it('begins with drift, then what is served, other versions, and what nobody knows', () => {
    const who = whoRunsWhat(
      [
        count(null, 212),
        count(v40, 9),
        count(v41, 300, { unhealthyCount: 3 }),
        count(v41, 1_155, { isDrifted: true, unhealthyCount: 1_155 }),
      ],
      served,
    );
    expect(who.runs.map(({ kind, number, agentsCount }) => [kind, number, agentsCount])).toEqual([
      ['drifted', 41, 1_155],
      ['served', 41, 300],
      ['other', 40, 9],
      ['unknown', null, 212],
    ]);
    expect(who).toMatchObject({
      agentsCount: 1_676,
      unhealthyCount: 1_158,
      servedCount: 300,
      driftedCount: 1_155,
      rejectedCount: 0,
      behindCount: 9,
      unknownCount: 212,
    });
  });

  it('does not count an agent that has refused a version as one that is about to get it', () => {
    const who = whoRunsWhat([count(v40, 5, { rejectedCount: 2 }), count(v41, 1)], served);
    expect([who.rejectedCount, who.behindCount]).toEqual([2, 3]);
  });

  it('does not say of agents that run a newer version that they do not run the served one yet', () => {
    const who = whoRunsWhat([count(v40, 5), count(v41, 2), count('id-42', 17)], served);
    expect([who.otherCount, who.behindCount]).toEqual([22, 5]);
    expect(whoRunsWhat([count('id-42', 1)], served).behindCount).toBe(0);
  });

  it('leaves out what no agent runs', () => {
    expect(whoRunsWhat([count(v41, 0)], served).runs).toEqual([]);
  });
});

describe('the state of a fleet', () => {
  it.each([
    ['drifted', [count(v41, 1, { isDrifted: true }), count(v40, 1, { rejectedCount: 1 })], true],
    ['rejected', [count(v40, 2, { rejectedCount: 1 })], true],
    ['changing', [count(v40, 2), count(v41, 1)], true],
    ['unknown', [count(null, 2), count(v41, 1)], true],
    ['same', [count(v41, 1)], true],
    ['empty', [], true],
    ['unserved', [], false],
    ['unserved', [count(null, 3)], false],
  ] as const)('is %s', (state, counts, hasVersion) => {
    expect(stateOf(whoRunsWhat(counts, hasVersion ? served : undefined), hasVersion)).toBe(state);
  });
});

describe('the list of fleets', () => {
  const fleet = (name: string) => ({ id: name, name, currentVersion: served });

  it('begins with what is worst', () => {
    const lines = fleetLines(
      [fleet('quiet'), fleet('behind'), fleet('alone'), fleet('drifted'), fleet('sick')],
      [
        { fleetID: 'quiet', ...count(v41, 9) },
        { fleetID: 'behind', ...count(v40, 1) },
        { fleetID: 'behind', ...count(v41, 1) },
        { fleetID: 'drifted', ...count(v41, 1, { isDrifted: true }) },
        { fleetID: 'sick', ...count(v41, 2, { unhealthyCount: 1 }) },
      ],
    );
    expect(lines.map(({ fleet: { name }, state }) => [name, state])).toEqual([
      ['drifted', 'drifted'],
      ['behind', 'changing'],
      ['sick', 'same'],
      ['quiet', 'same'],
      ['alone', 'empty'],
    ]);
  });
});
