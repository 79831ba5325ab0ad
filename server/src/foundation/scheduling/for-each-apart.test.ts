import { expect, it } from 'vitest';
import { forEachApart } from './for-each-apart.ts';

it('goes on with the next item after one that failed, and tells of the first failure', async () => {
  const done: number[] = [];
  const work = async (item: number) => {
    if (item < 3) throw new Error(`item ${item}`);
    done.push(item);
  };
  await expect(forEachApart([3, 1, 4, 2, 5], new AbortController().signal, work)).rejects.toThrow('item 1');
  expect(done).toEqual([3, 4, 5]);
});

it('begins no further item when the service closes', async () => {
  const closing = new AbortController();
  const done: number[] = [];
  await forEachApart([1, 2, 3], closing.signal, async (item) => {
    done.push(item);
    if (item === 2) closing.abort();
  });
  expect(done).toEqual([1, 2]);
});
