import { eventTypes, eventPermissions as permissionsOfEvents } from '@muster/contract';
import { expect, it } from 'vitest';
import { eventPermissions, topics, topicsOf } from './topics.ts';

it('know every type of event, and which permissions give some', () => {
  const changing = eventTypes.filter(
    (type) => topicsOf({ type } as Parameters<typeof topicsOf>[0]).length > 0,
  ); // the field that is read
  expect(changing).toEqual(eventTypes);
  expect([...eventPermissions].sort()).toEqual([...new Set(Object.values(permissionsOfEvents))].sort());
  expect(topicsOf({ type: 'reset', at: '' })).toEqual(topics);
});
