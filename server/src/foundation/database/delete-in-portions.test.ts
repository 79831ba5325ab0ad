import { describe, expect, it } from 'vitest';
import { deleteInPortions } from './delete-in-portions.ts';

/** A number of rows that are deleted in portions of a thousand. `onPortion` gets the remaining number. */
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

  it('stops after the current portion when the service closes', async () => {
    const closing = new AbortController();
    const many = rows(3_500, (left) => left === 1_500 && closing.abort());
    await deleteInPortions(closing.signal, many.deleteSome);
    expect(many.left).toBe(1_500);
  });

  it('deletes one portion even while the service closes, so that short runs of the service also make progress', async () => {
    const many = rows(3_500);
    await deleteInPortions(AbortSignal.abort(), many.deleteSome);
    expect(many.left).toBe(2_500);
  });
});
