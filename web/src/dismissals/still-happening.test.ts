import { expect, it } from 'vitest';
import { stillHappening } from './still-happening.ts';

const now = Date.parse('2026-03-04T14:00:00Z');
const recent = { lastSeenAt: '2026-03-04T13:59:01Z', mutedUntil: null };
const earlier = { lastSeenAt: '2026-03-04T13:59:00Z', mutedUntil: null };
const muted = { ...recent, mutedUntil: '2026-03-05T14:00:00Z' };

it('are causes that were reported in the last minute, and would come back', () => {
  expect(stillHappening({}, [recent, earlier, muted], now)).toEqual([recent]);
  expect(stillHappening({ current: false }, [recent], now)).toEqual([]);
});
