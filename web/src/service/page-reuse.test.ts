import { describe, expect, it } from 'vitest';
import { endAsKept, type KeptPages, pageToKeep } from './page-reuse.ts';

const idOf = (row: string) => row;

/** Pages of two rows each; the cursor of a page is the row before it. */
function keptOf(...pages: string[]): KeptPages<string> {
  return {
    pages: pages.map((page, place) =>
      place < pages.length - 1 ? { items: [...page], next: page.slice(-1) } : { items: [...page] },
    ),
    pageParams: pages.map((_, place) => (place === 0 ? undefined : pages[place - 1]?.slice(-1))),
  };
}

describe('pageToKeep', () => {
  const kept = keptOf('ab', 'cd', 'ef', 'gh', 'ij');
  const shown =
    (...pages: number[]) =>
    (page: number) =>
      pages.includes(page);

  it('keeps pages of a long list that nobody sees', () => {
    expect(pageToKeep(kept, 'd', shown(3))).toBe(kept.pages[2]);
  });

  it.each([
    { what: 'the first page, in which new rows appear', pageParam: undefined },
    { what: 'a page that is on the screen', pageParam: 'f' },
    { what: 'a page after a cursor that is not known', pageParam: 'x' },
  ])('reads $what', ({ pageParam }) => {
    expect(pageToKeep(kept, pageParam, shown(3))).toBeUndefined();
  });

  it('reads all of a short list, and a list that was never read', () => {
    expect(pageToKeep(keptOf('ab', 'cd', 'ef'), 'b', shown())).toBeUndefined();
    expect(pageToKeep<string>(undefined, undefined, shown())).toBeUndefined();
  });
});

describe('endAsKept', () => {
  const kept = keptOf('ab', 'cd', 'ef', 'gh');

  it('leaves a page in which no kept page ends', () => {
    const page = { items: ['x', 'a'], next: 'a' };
    expect(endAsKept(kept, undefined, page, idOf)).toBe(page);
  });

  it('ends where a kept page ended, so that the pages after it stay', () => {
    expect(endAsKept(kept, 'a', { items: ['b', 'c'], next: 'c' }, idOf)).toEqual({ items: ['b'], next: 'b' });
    expect(endAsKept(kept, undefined, { items: ['a', 'b'], next: 'b' }, idOf)).toEqual({
      items: ['a', 'b'],
      next: 'b',
    });
  });

  it('leaves the page that scrolling has asked for, and the last one', () => {
    const open = {
      ...kept,
      pages: kept.pages.map((page, place) => (place === 3 ? { ...page, next: 'h' } : page)),
    };
    const further = { items: ['i', 'b'] };
    expect(endAsKept(open, 'h', further, idOf)).toBe(further);
    const last = { items: ['g', 'h'] };
    expect(endAsKept(kept, 'f', last, idOf)).toBe(last);
  });
});
