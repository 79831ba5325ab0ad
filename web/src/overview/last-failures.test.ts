import type { Fleet, Rollout } from '@muster/client';
import { expect, it } from 'vitest';
import { lastFailures } from './last-failures.ts';

const stageStartedAt = '2026-03-04T14:00:00.000Z';
const rollout = (fleetID: string, state: Rollout['state'], rule?: 'new_cause' | 'person') =>
  ({
    fleetID,
    state,
    stageStartedAt,
    history: [],
    verdict: rule === undefined ? null : { rule },
  }) as unknown as Rollout; // the fields that are read
const fleet = (id: string, publishedAt: string) => ({ id, currentVersion: { publishedAt } }) as Fleet; // the fields that are read

it('needs attention only while nothing newer is served, and nobody decided it', () => {
  const rollouts = [
    rollout('east', 'reverted', 'new_cause'),
    rollout('west', 'running'),
    rollout('north', 'stopped', 'person'),
    rollout('south', 'stopped', 'new_cause'),
  ];
  const fleets = [
    ...['east', 'west', 'north'].map((id) => fleet(id, '2026-03-04T09:00:00.000Z')),
    fleet('south', '2026-03-04T15:00:00.000Z'),
  ];
  expect(lastFailures(rollouts, fleets).map(({ fleetID }) => fleetID)).toEqual(['east']);
});
