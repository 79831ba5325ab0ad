import { describe, expect, it } from 'vitest';
import { mergeRows, type ShownRow } from './merge-rows.ts';

interface Row {
  readonly id: string;
  readonly value?: number;
}

const idOf = ({ id }: Row) => id;
const rows = (text: string): Row[] => [...text].map((id) => ({ id }));
const shownOf = (fresh: readonly Row[]) => mergeRows([], fresh, idOf).shown;
const textOf = (shown: readonly ShownRow<Row>[]) =>
  shown.map(({ row, isGone }) => (isGone ? `-${row.id}` : row.id)).join('');

describe('mergeRows', () => {
  it('shows the first answer as it is', () => {
    expect(mergeRows([], rows('abc'), idOf)).toEqual({
      shown: [...'abc'].map((id) => ({ row: { id }, isGone: false })),
      newCount: 0,
    });
  });

  it.each([
    { what: 'adds rows below the last one', before: 'abc', fresh: 'abcde', shown: 'abcde', newCount: 0 },
    { what: 'counts rows above the last one', before: 'abc', fresh: 'xabyc', shown: 'abc', newCount: 2 },
    { what: 'does both at once', before: 'abc', fresh: 'xabcd', shown: 'abcd', newCount: 1 },
    { what: 'keeps the place of rows that are gone', before: 'abc', fresh: 'ac', shown: 'a-bc', newCount: 0 },
    {
      what: 'keeps the order of rows that have moved',
      before: 'abc',
      fresh: 'cab',
      shown: 'abc',
      newCount: 0,
    },
    { what: 'keeps rows of which none is left', before: 'abc', fresh: 'xy', shown: '-a-b-c', newCount: 2 },
    { what: 'keeps rows when the answer is empty', before: 'abc', fresh: '', shown: '-a-b-c', newCount: 0 },
    { what: 'takes a shorter answer for fewer rows', before: 'abc', fresh: 'ab', shown: 'ab-c', newCount: 0 },
  ])('$what', ({ before, fresh, shown, newCount }) => {
    const merged = mergeRows(shownOf(rows(before)), rows(fresh), idOf);
    expect({ shown: textOf(merged.shown), newCount: merged.newCount }).toEqual({ shown, newCount });
  });

  it('changes values in place, and leaves the identity of all other rows', () => {
    const [one, two] = [
      { id: 'a', value: 1 },
      { id: 'b', value: 1 },
    ] as const;
    const before = shownOf([one, two]);
    const { shown } = mergeRows(before, [{ id: 'a', value: 2 }, two], idOf);
    expect(shown).toEqual([
      { row: { id: 'a', value: 2 }, isGone: false },
      { row: two, isGone: false },
    ]);
    expect(shown[1]).toBe(before[1]);
  });

  it('brings back a row that was gone', () => {
    const gone = mergeRows(shownOf(rows('abc')), rows('ac'), idOf).shown;
    expect(textOf(mergeRows(gone, rows('abc'), idOf).shown)).toBe('abc');
  });
});
