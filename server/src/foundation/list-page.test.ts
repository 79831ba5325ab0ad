import { describe, expect, it } from 'vitest';
import { takeFitting } from './list-page.ts';

const rows = (...sizes: number[]) => sizes.map((bytes, index) => ({ id: String(index), bytes }));
const take = (sizes: readonly number[], limit = 10) =>
  takeFitting(rows(...sizes), { limit, before: undefined }, 100);

describe('a page of large rows', () => {
  it('ends before the row that exceeds its size', () => {
    expect(take([50, 50, 1])).toEqual({ ids: ['0', '1'], hasNext: true });
    expect(take([50, 50])).toEqual({ ids: ['0', '1'], hasNext: false });
  });

  it('has one row at least, however large, so that paging goes on', () => {
    expect(take([101, 1])).toEqual({ ids: ['0'], hasNext: true });
    expect(take([])).toEqual({ ids: [], hasNext: false });
  });

  it('has no more rows than asked for', () => {
    expect(take([1, 1, 1], 2)).toEqual({ ids: ['0', '1'], hasNext: true });
    expect(take([1, 1], 2)).toEqual({ ids: ['0', '1'], hasNext: false });
  });
});
