import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { type PlannedAgent, planStages, type StageRule } from './plan-stages.ts';

const soakSeconds = 600;
const byDefault: StageRule[] = [
  { agents: { count: 1 }, soakSeconds },
  { agents: { percent: 10 }, soakSeconds },
  { agents: { percent: 50 }, soakSeconds },
  { agents: { percent: 100 }, soakSeconds },
];

describe('planStages', () => {
  it.each([
    [200, [1, 19, 80, 100]],
    [10, [1, 4, 5]],
    [2, [1, 1]],
    [1, [1]],
    [0, []],
  ])('gives %i agents the version in stages of %j', (count, sizes) => {
    expect(sizesOf(planStages('r', byDefault, fleetOf(count)))).toEqual(sizes);
  });

  it('puts those that no rule takes into a last stage', () => {
    expect(sizesOf(planStages('r', [{ agents: { percent: 5 }, soakSeconds: 60 }], fleetOf(100)))).toEqual([
      5, 95,
    ]);
  });

  it.each<[what: string, agents: StageRule['agents'], expected: string[]]>([
    ['a tag', { tag: 'canary' }, ['3', '7']],
    ['names', { names: ['n1', 'n8', 'unknown'] }, ['1', '8']],
    ['a site', { site: 's1' }, ['1', '4', '7']],
  ])('takes the agents with %s', (_, agents, expected) => {
    const fleet = fleetOf(9).map((agent, index) => ({
      ...agent,
      site: `s${index % 3}`,
      tags: index === 3 || index === 7 ? ['canary'] : [],
    }));
    const [first] = planStages('r', [{ agents, soakSeconds }], fleet);
    expect([...(first?.agentIDs ?? [])].sort()).toEqual(expected);
  });

  it('takes agents that are heard first', () => {
    const fleet = fleetOf(100).map((agent, index) => ({ ...agent, isAlive: index >= 80 }));
    const [one, ten] = planStages('r', byDefault, fleet);
    expect([...(one?.agentIDs ?? []), ...(ten?.agentIDs ?? [])].every((id) => Number(id) >= 80)).toBe(true);
    expect([one?.alive, ten?.alive]).toEqual([1, 9]);
  });

  it('gives every stage its share of each site', () => {
    const fleet = fleetOf(1000).map((agent, index) => ({ ...agent, site: `s${index % 5}` }));
    for (const { agentIDs } of planStages('r', byDefault, fleet).slice(1)) {
      const perSite = [0, 1, 2, 3, 4].map((site) => agentIDs.filter((id) => Number(id) % 5 === site).length);
      expect(Math.max(...perSite) - Math.min(...perSite)).toBeLessThanOrEqual(1);
    }
  });

  it('chooses the same agents again for the same rollout, in whatever order they come, and others for another one', () => {
    const fleet = fleetOf(100);
    const first = planStages('r', byDefault, fleet);
    expect(planStages('r', byDefault, fleet.toReversed())).toEqual(first);
    expect(planStages('other', byDefault, fleet)[1]?.agentIDs).not.toEqual(first[1]?.agentIDs);
  });

  it.each<[what: string, rules: StageRule[], agents: number, sizes: number[]]>([
    ['behind all stages', byDefault, 6, [1, 4, 1, 4]],
    ['with those that no rule takes', [{ agents: { percent: 30 }, soakSeconds }], 6, [3, 7]],
    ['also if a single agent comes before them', byDefault, 1, [1, 4]],
    ['and plans nothing if there is nobody else', byDefault, 0, []],
  ])(
    'puts those that can get the version only when all do into a last stage: %s',
    (_, rules, count, sizes) => {
      const others = fleetOf(10).slice(6);
      const stages = planStages('r', rules, fleetOf(count), others);
      expect(stages.map(({ agentsCount }) => agentsCount)).toEqual(sizes);
      expect(stages.map(({ alive }) => alive)).toEqual(sizes);
      expect(sizesOf(stages).reduce((sum, size) => sum + size, 0)).toBe(count);
      expect(stages.every(({ sharedCount }) => sharedCount === 0)).toBe(true);
    },
  );

  it('gives each agent to one stage', () => {
    const rule = fc.oneof(
      fc.record({ count: fc.nat(50) }),
      fc.record({ percent: fc.integer({ min: 1, max: 100 }) }),
      fc.record({ tag: fc.constantFrom('a', 'b') }),
      fc.record({ site: fc.constantFrom('s0', 's1') }),
    );
    const rules = fc.array(fc.record({ agents: rule, soakSeconds: fc.constant(60) }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(rules, fc.nat(100), (given, count) => {
        const fleet = fleetOf(count).map((agent, index) => ({
          ...agent,
          site: `s${index % 3}`,
          tags: index % 4 === 0 ? ['a'] : [],
        }));
        const planned = planStages('r', given, fleet).flatMap(({ agentIDs }) => agentIDs);
        expect([...planned].sort()).toEqual(fleet.map(({ agentID }) => agentID).sort());
      }),
      { numRuns: rounds(500) },
    );
  });
});

function fleetOf(count: number): PlannedAgent[] {
  return Array.from({ length: count }, (_, index) => ({
    agentID: String(index),
    name: `n${index}`,
    tags: [],
    site: undefined,
    isAlive: true,
    isShared: false,
  }));
}

function sizesOf(stages: ReturnType<typeof planStages>): number[] {
  return stages.map(({ agentIDs }) => agentIDs.length);
}
