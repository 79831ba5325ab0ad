import type { Rollout } from '@muster/client';
import { expect, it } from 'vitest';
import { lastFailures } from './last-failures.ts';

const rollout = (id: string, fleetID: string, state: Rollout['state'], rule?: 'new_cause' | 'person') =>
  ({ id, fleetID, state, verdict: rule === undefined ? null : { rule } }) as Rollout; // the fields that are read

it('needs attention only while nothing newer was deployed, and nobody decided it', () => {
  const rollouts = [
    rollout('5', 'east', 'reverted', 'new_cause'),
    rollout('4', 'west', 'running'),
    rollout('3', 'west', 'reverted', 'new_cause'),
    rollout('2', 'north', 'stopped', 'person'),
    rollout('1', 'east', 'stopped', 'new_cause'),
  ];
  expect(lastFailures(rollouts).map(({ id }) => id)).toEqual(['5']);
});
