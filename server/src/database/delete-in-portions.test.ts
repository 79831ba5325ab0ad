import { describe, expect, it } from 'vitest';
import { deleteInPortions } from './delete-in-portions.ts';

/** So many rows, deleted by a thousand; `onPortion` is told how many are left. */
function rows(left: number, onPortion: (left: number) => void = () => undefined) {
  return {
    get left() {
      return left;
    },
    async deleteSome(most: number) {
      const deleted = Math.min(most, left);
      left -= deleted;
      onPortion(left);
      return deleted;
    },
  };
}

describe('deleteInPortions', () => {
  it('deletes until nothing is left', async () => {
    const many = rows(3_500);
    await deleteInPortions(new AbortController().signal, many.deleteSome);
    expect(many.left).toBe(0);
  });

  it('ends with the portion under way when the service closes', async () => {
    const closing = new AbortController();
    const many = rows(3_500, (left) => left === 1_500 && closing.abort());
    await deleteInPortions(closing.signal, many.deleteSome);
    expect(many.left).toBe(1_500);
  });

  it('deletes one portion while the service closes, so that starts that are soon ended come to an end as well', async () => {
    const many = rows(3_500);
    await deleteInPortions(AbortSignal.abort(), many.deleteSome);
    expect(many.left).toBe(2_500);
  });
});
