import { expect, it } from 'vitest';
import { noteVisit } from './last-visit.ts';

const minute = 60_000;

function storage(first?: string) {
  const values = new Map(first === undefined ? [] : [['muster.visits.p', first]]);
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  };
}

it('remembers when the visit before this one ended', () => {
  const kept = storage();
  expect(noteVisit(kept, 'p', 0)).toBeUndefined();
  expect(noteVisit(kept, 'p', 20 * minute)).toBeUndefined();
  expect(noteVisit(kept, 'p', 120 * minute)).toBe(20 * minute);
  expect(noteVisit(kept, 'p', 130 * minute)).toBe(20 * minute);
  expect(noteVisit(kept, 'other', 130 * minute)).toBeUndefined();
  expect(noteVisit(kept, 'p', 300 * minute)).toBe(130 * minute);
});

it.each(['nonsense', 'null', '{"seenAt":"x"}'])('begins anew where the storage has %s', (text) => {
  const kept = storage(text);
  expect(noteVisit(kept, 'p', 5)).toBeUndefined();
});
