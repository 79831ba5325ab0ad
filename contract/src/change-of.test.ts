import { describe, expect, it } from 'vitest';
import { changeOf, valueBefore } from './change-of.ts';
import { parseDiff } from './parse-diff.ts';

const diffOf = (...lines: string[]) => ['--- a', '+++ b', '@@ -1,9 +1,9 @@', ...lines].join('\n');
const first = {
  agentID: 'a',
  agentName: 'edge-2',
  configID: '0192f0b2-11d4-7e0b-8c6f-2a7d9e5b1c3f',
  configuredAt: '2026-03-04T14:02:00.000Z',
};
const origin = {
  first,
  affectedCount: 3,
  fleetID: null,
  configuredCount: 3,
  affectedConfiguredCount: 3,
  agentsCount: 9,
};
const compared = (id: string) => ({ id, createdAt: first.configuredAt });
const answer = (diff: string) => ({
  from: compared('old'),
  to: compared('new'),
  diff,
  addedLines: 1,
  removedLines: 1,
  isCoarse: false,
});

describe('changeOf', () => {
  const cause = { firstSeenAt: '2026-03-04T14:06:00.000Z', regressedAt: null };

  it.each([
    ['its label', ['-# release 41', '+# release 42', '-port 443', '+port 9'], 'release 42'],
    ['its hash', ['-port 443', '+port 9', '+# what this does'], 'configuration 9e5b1c3f'],
  ])('names the configuration by %s', (_, lines, name) => {
    expect(changeOf(cause, origin, answer(diffOf(...lines)))).toMatchObject({ name, agentName: 'edge-2' });
  });

  it('is silent where nothing changed before', () => {
    const diff = answer(diffOf('-port 443', '+port 9'));
    expect(changeOf({ ...cause, firstSeenAt: '2026-03-06T14:06:00.000Z' }, origin, diff)).toBeUndefined();
    expect(changeOf(cause, { ...origin, first: null }, diff)).toBeUndefined();
    expect(changeOf(cause, origin, { ...diff, from: null })).toBeUndefined();
    expect(changeOf(cause, origin, { ...diff, diff: '' })).toBeUndefined();
  });
});

describe('changeOf a cause that came back', () => {
  const diff = answer(diffOf('-# release 43', '+# release 44'));

  it('is what changed before it came back, or, if that is still there, before it began', () => {
    const early = { firstSeenAt: '2026-02-01T00:00:00.000Z', regressedAt: '2026-03-04T14:06:00.000Z' };
    expect(changeOf(early, origin, diff)).toMatchObject({ name: 'release 44' });
    expect(changeOf({ ...early, regressedAt: '2026-03-06T14:06:00.000Z' }, origin, diff)).toBeUndefined();
    const still = { firstSeenAt: '2026-03-04T14:06:00.000Z', regressedAt: '2026-03-06T14:06:00.000Z' };
    expect(changeOf(still, origin, diff)).toMatchObject({ name: 'release 44' });
  });
});

describe('valueBefore', () => {
  const before = (value: string, ...lines: string[]) => valueBefore(parseDiff(diffOf(...lines)), value);

  it('finds what stood in the place of a value', () => {
    expect(before('9', ' host x', '-    port  443', '+    port  9', ' tls on')).toBe('443');
    expect(before('10.0.0.2', '-host 10.0.0.1 # main', '+host 10.0.0.2 # main')).toBe('10.0.0.1');
  });

  it('knows of nothing where the line is new, another one, or has the value within another', () => {
    expect(before('9', '+port 9')).toBeUndefined();
    expect(before('9', '-name http', '+port 9')).toBeUndefined();
    expect(before('9', '-port 4', '+port 99')).toBeUndefined();
  });
});
