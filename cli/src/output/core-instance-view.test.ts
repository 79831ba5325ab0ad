import type { CoreInstance } from '@muster/client';
import { expect, it } from 'vitest';
import { coreInstanceView } from './core-instance-view.ts';

const format = { id: (id: string) => id, time: (at: string | null) => at ?? 'never' };

it('does not know the lag of a core instance that is not heard, nor what waits there', () => {
  const lag = coreInstanceView.columns.find(({ title }) => title === 'LAG');
  const lagOf = (one: Partial<CoreInstance>) =>
    lag?.cell({ lagSeconds: 0, lastContactAt: '5 min ago', ...one } as CoreInstance, format as never); // what the cell reads
  expect(lagOf({ status: 'running' })).toBe('none');
  expect(lagOf({ status: 'running', lagSeconds: 90 })).toBe('1 min');
  expect(lagOf({ status: 'unreachable' })).toBe('unknown, last heard 5 min ago');
  const waitingAt = (one: Partial<CoreInstance>) =>
    coreInstanceView
      .details?.(
        {
          tags: [],
          lastRefusal: null,
          createdBy: {},
          agentsCount: 1,
          lostCount: 0,
          refusedCount: 0,
          lagSeconds: 0,
          spooledCount: 2,
          spooledBytes: 9,
          ...one,
        } as CoreInstance, // what the lines read
        format as never,
      )
      .find(([name]) => name === 'waiting there')?.[1];
  expect(waitingAt({ status: 'running' })).toBe('2 (9 bytes)');
  expect(waitingAt({ status: 'unreachable' })).toBe('unknown, 2 (9 bytes) when last heard');
});
