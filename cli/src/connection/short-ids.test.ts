import { describe, expect, it } from 'vitest';
import { findByShortIDs, isShortID } from './short-ids.ts';

/** An id as the service makes them: the time, and random digits at the end. */
const idAt = (time: string, end: string) => `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-0000${end}`;
const one = { id: idAt('0192f0a07b1c', '3f1e8a6b'), name: 'web-01' };
const other = { id: idAt('0192f0a07b1d', '91d78a6b'), name: 'web-02' };

async function* pagesOf<Item>(...pages: Item[][]) {
  for (const items of pages) yield { items };
}

const find = (texts: readonly string[], ...pages: (typeof one)[][]) =>
  findByShortIDs(texts, { noun: 'agent', pages: pagesOf(...pages), describe: ({ name }) => name });

const found = async (text: string, ...pages: (typeof one)[][]) => (await find([text], ...pages)).get(text);

describe('a short id', () => {
  it.each([
    '3f1e8a6b',
    '3F1E8A6B',
    '1e8a6b',
    '00003f1e8a6b',
    '0192f0a0-7b1c',
    '0192f0a07b1c',
    '0192f0a0-7b1c-7000-8000-00003f1e8a6',
  ])('%s is the beginning or the end of an id', async (text) => {
    expect(isShortID(text)).toBe(true);
    expect(await found(text, [other], [one])).toBe(one);
  });

  it.each(['8a6b1', 'e8a6b', '----------', 'web-01', '', one.id])('is not "%s"', (text) => {
    expect(isShortID(text)).toBe(false);
  });

  it('that no id has is not found', async () => {
    expect(await found('1e8a6c', [other], [one])).toBe(undefined);
    expect(await found('92f0a07b1c', [other], [one])).toBe(undefined);
  });

  it('finds several in one walk', async () => {
    expect([...(await find(['3f1e8a6b', '91d78a6b', 'aaaaaa'], [other], [one]))]).toEqual([
      ['3f1e8a6b', one],
      ['91d78a6b', other],
    ]);
  });

  it('that several ids have is refused with all of them', async () => {
    await expect(found('0192f0a0', [other], [one])).rejects.toMatchObject({
      failure: 'usage',
      message: "The ids of 2 agents begin or end with '0192f0a0'. Give more characters of one of them:",
      mend: `${other.id}  web-02\n${one.id}  web-01`,
    });
    const many = Array.from({ length: 12 }, (_, index) => ({
      id: idAt('0192f0a07b1c', `0000000${index.toString(16)}`),
      name: `web-${index}`,
    }));
    await expect(found('0192f0a0', many)).rejects.toMatchObject({
      mend: expect.stringMatching(/^(.*\n){10}and 2 more$/),
    });
  });

  it('is the same item if the list has it twice', async () => {
    expect(await found('3f1e8a6b', [one], [one, other])).toBe(one);
  });
});

describe('a short id in a list that is too long to look through', () => {
  const page = (start: number) =>
    Array.from({ length: 1_000 }, (_, index) => ({
      id: idAt('0192f0a07b1c', (start + index).toString(16).padStart(8, '0')),
      name: 'x',
    }));
  const pages = Array.from({ length: 10 }, (_, index) => page(index * 1_000));

  it('is taken if it is the whole random end', async () => {
    expect(await found('00000007', ...pages)).toMatchObject({ id: idAt('0192f0a07b1c', '00000007') });
  });

  it('is refused if it is shorter, or a beginning, because an older item may fit too', async () => {
    const first = { id: idAt('0192f0a07b1d', 'ffffffff'), name: 'web-01' };
    for (const text of ['ffffff', '0192f0a07b1d']) {
      await expect(found(text, [first], ...pages)).rejects.toMatchObject({
        failure: 'usage',
        message: `'${text}' identifies one of the newest 9,001 agents, but there are more. Give the whole id:`,
        mend: `${first.id}  web-01`,
      });
    }
    expect(await found('ffffff', [first], ...pages.slice(2))).toBe(first);
  });
});
