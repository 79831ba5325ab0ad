import { expect, it } from 'vitest';
import { putBackOf, type RolloutOfCause } from './put-back-of.ts';

type Parts = Parameters<typeof putBackOf>[0];

const at = (time: string) => `2026-03-04T${time}:00.000Z`;
const versions = [43, 42, 41, 40].map((number) => ({ id: `v${number}`, isBad: false }));
const rollout = {
  id: 'r',
  fleetID: 'f',
  fleetDeletedAt: null,
  from: { id: 'v41', number: 41 },
  to: { id: 'v42', number: 42 },
  startedAt: at('14:00'),
  endedAt: null,
  agentsCount: { offered: 12, applied: 12, rejected: 0, observed: 0 },
};
const serving = (number: number, publishedAt: string) => ({
  id: 'f',
  currentVersion: { id: `v${number}`, number, publishedAt },
});
const nothing: Parts = {
  stopped: [],
  change: { configuredAt: at('14:02') },
  versionID: 'v42',
  fleet: undefined,
  newest: undefined,
  versions,
};
const before = { kind: 'deploy', fleetID: 'f', versionID: 'v41', number: 41 };

it.each<[what: string, parts: Partial<Parts>, kind: string | undefined]>([
  ['stopped, and whose agents keep the version', { stopped: [{ ...rollout, state: 'stopped' }] }, 'revert'],
  ['stopped, and whose agents go back', { stopped: [{ ...rollout, state: 'reverting' }] }, undefined],
  [
    'of a fleet that was deleted',
    { stopped: [{ ...rollout, state: 'stopped', fleetDeletedAt: at('15:00') }] },
    undefined,
  ],
  ['that runs', { newest: { ...rollout, state: 'running' } }, 'revert'],
  ['that somebody has stopped', { newest: { ...rollout, state: 'stopped' } }, 'revert'],
  ['that is reverted', { newest: { ...rollout, state: 'reverted' } }, undefined],
  [
    'of a version that they do not run',
    { newest: { ...rollout, state: 'running' }, versionID: 'v41' },
    undefined,
  ],
  ['that began after it', { newest: { ...rollout, state: 'running', startedAt: at('14:03') } }, undefined],
])('a rollout %s', (_, parts, kind) => {
  const fleet = serving(41, '2026-02-01T00:00:00.000Z');
  expect(putBackOf({ ...nothing, fleet, ...parts })?.kind).toBe(kind);
});

it('the version before that of a rollout that is complete is deployed again', () => {
  const newest = { ...rollout, state: 'completed' as const, endedAt: at('14:01') };
  expect(putBackOf({ ...nothing, fleet: serving(42, at('14:00')), newest })).toEqual(before);
});

const v40 = { id: 'v40', number: 40 };
const earlier = { ...rollout, from: v40, to: rollout.from, startedAt: at('12:00'), endedAt: at('13:00') };

it.each<[state: RolloutOfCause['state'], number: number]>([
  ['completed', 41],
  ['stopped', 40],
  ['reverted', 40],
  ['superseded', 40],
])(
  'what was served after a rollout that is %s is deployed again if the next version was given to all agents at once',
  (state, number) => {
    const parts = { ...nothing, fleet: serving(42, at('14:00')), newest: { ...earlier, state } };
    expect(putBackOf(parts)).toEqual({ ...before, versionID: `v${number}`, number });
  },
);

it.each<[what: string, parts: Partial<Parts>]>([
  ['nothing says that a version was served before', {}],
  [
    'there are versions in between that nobody may have got',
    { newest: { ...earlier, state: 'completed', from: { id: 'v39', number: 39 }, to: v40 } },
  ],
  [
    'it is marked bad',
    {
      newest: { ...earlier, state: 'completed' },
      versions: versions.map(({ id }) => ({ id, isBad: id === 'v41' })),
    },
  ],
])('no version is deployed again if %s', (_, parts) => {
  expect(putBackOf({ ...nothing, fleet: serving(42, at('14:00')), ...parts })).toBeUndefined();
});

it.each([
  ['the agents are in no fleet that serves something', undefined],
  ['the configuration was there before the version', serving(42, at('14:03'))],
  ['the agent has joined the fleet a day later', serving(42, '2026-03-03T14:00:00.000Z')],
  ['they run another version', serving(43, at('14:00'))],
])('nothing is put back if %s', (_, fleet) => {
  expect(putBackOf({ ...nothing, fleet })).toBeUndefined();
});

it('the first version has none before it', () => {
  const first = { ...nothing, versionID: 'v41', fleet: serving(41, at('14:00')) };
  expect(putBackOf(first)).toBeUndefined();
});
