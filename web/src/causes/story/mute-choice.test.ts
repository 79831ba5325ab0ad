import { describe, expect, it } from 'vitest';
import { muteOf, suggestAgents } from './mute-choice.ts';

const now = Date.parse('2026-03-04T14:00:00Z');
const base = { time: 'day', agents: '1,400' } as const;
const asked = { now, agentsNow: 1_155, reason: 'known' };

describe('muteOf', () => {
  it.each([
    ['time', { until: '2026-03-05T14:00:00.000Z', reason: 'known' }],
    ['configuration', { until: '2026-06-02T14:00:00.000Z', reason: 'known', endsWithConfiguration: true }],
    ['agents', { until: '2026-06-02T14:00:00.000Z', reason: 'known', moreAgents: 245 }],
  ] as const)('asks for a mute by %s', (kind, mute) => {
    expect(muteOf({ ...base, kind }, asked)).toEqual(mute);
  });

  it.each(['', '1155', '1e9x', '-3', '1200.5'])('asks for nothing with %j agents', (agents) => {
    expect(muteOf({ ...base, kind: 'agents', agents }, asked)).toBeUndefined();
  });

  it('asks for nothing until it is known how many agents have it', () => {
    expect(muteOf({ ...base, kind: 'agents' }, { ...asked, agentsNow: undefined })).toBeUndefined();
  });
});

it.each([
  [1_155, 1_400],
  [412, 500],
  [1, 2],
  [0, 1],
  [31, 38],
])('suggests for %i agents %i', (agents, suggested) => {
  expect(suggestAgents(agents)).toBe(suggested);
});
