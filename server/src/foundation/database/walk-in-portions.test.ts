import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PortionRange, walkInPortions } from './walk-in-portions.ts';

interface Seen extends PortionRange {
  readonly rows: number;
}

/** Rows 1 to `count`, of which some match. Each portion takes the given time. */
function index(count: number, fits: (id: number) => boolean, milliseconds = 50) {
  const portions: Seen[] = [];
  let now = 0;
  const isBehind = (id: number, { before, from }: PortionRange) =>
    (before === undefined || id < Number(before)) && (from === undefined || id >= Number(from));
  const ids = Array.from({ length: count }, (_, position) => count - position);
  return {
    portions,
    walk: (limit: number, before?: string, goOn: () => void = () => undefined) =>
      walkInPortions<number>({
        limit,
        before,
        goOn,
        now: () => now,
        async findEnd(behind, rows) {
          return ids.filter((id) => isBehind(id, { before: behind, from: undefined }))[rows - 1]?.toString();
        },
        async list(range, wanted) {
          const looked = ids.filter((id) => isBehind(id, range));
          portions.push({ ...range, rows: looked.length });
          now += milliseconds;
          return looked.filter(fits).slice(0, wanted);
        },
      }),
  };
}

describe('walkInPortions', () => {
  it('finds the same as a single statement', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 5_000 }),
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 1, max: 200 }),
        fc.option(fc.nat({ max: 5_000 }), { nil: undefined }),
        async (count, every, limit, before) => {
          const fits = (id: number) => id % every === 0;
          const expected = Array.from({ length: count }, (_, position) => count - position)
            .filter((id) => fits(id) && (before === undefined || id < before))
            .slice(0, limit);
          expect(await index(count, fits).walk(limit, before?.toString())).toEqual(expected);
        },
      ),
    );
  });

  it('asks for whole numbers of rows when the machine becomes slow', async () => {
    const portions: number[] = [];
    let now = 0;
    const found = await walkInPortions<number>({
      limit: 1,
      before: undefined,
      goOn: () => undefined,
      now: () => now,
      async findEnd(_, rows) {
        portions.push(rows);
        // Fast until portions are as large as they may be, and slow then.
        now += portions.includes(50_000) ? 1_000 : 1;
        return portions.length < 18 ? String(portions.length) : undefined;
      },
      list: async () => [],
    });
    expect(found).toEqual([]);
    expect(portions).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 50_000, 25_000, 12_500, 6_250, 3_125, 1_562, 781, 390, 195,
      100, 100, 100,
    ]);
  });

  it('reads no further than necessary', async () => {
    const rows = index(10_000, () => true);
    expect(await rows.walk(3)).toEqual([10_000, 9_999, 9_998]);
    expect(rows.portions).toEqual([{ before: undefined, from: '9001', rows: 1_000 }]);
  });

  it.each([
    ['larger ones where they are quick', 1, [1_000, 2_000, 4_000, 3_000]],
    ['smaller ones where they take long', 200, [1_000, 500, 250, 125, 100, 100]],
  ])('takes portions of a thousand rows, and %s', async (_, milliseconds, sizes) => {
    const rows = index(10_000, () => false, milliseconds);
    await rows.walk(1);
    expect(rows.portions.map((portion) => portion.rows).slice(0, sizes.length)).toEqual(sizes);
  });

  it('never reads more than 50,000 rows in one portion', async () => {
    const rows = index(300_000, () => false, 0);
    await rows.walk(1);
    expect(Math.max(...rows.portions.map((portion) => portion.rows))).toBe(50_000);
  });

  it('stops before the next portion if `goOn` throws', async () => {
    const rows = index(10_000, () => false);
    const walking = rows.walk(1, undefined, () => {
      if (rows.portions.length === 2) throw new Error('nobody waits');
    });
    await expect(walking).rejects.toThrow('nobody waits');
    expect(rows.portions).toHaveLength(2);
  });
});
