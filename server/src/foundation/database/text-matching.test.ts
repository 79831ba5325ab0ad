import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropTestDatabase, prepareTestDatabase } from '../../testing/test-database.ts';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';
import { arrayHasText, containsText, matchesName } from './text-matching.ts';

const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
let database: Database;

beforeAll(async () => {
  const databaseUrl = await prepareTestDatabase(dataDirectory);
  database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  await sql`create table notes (id integer primary key, text text not null)`.execute(database.write);
});

afterAll(async () => {
  await database.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

type Matching = typeof matchesName;

/** Returns the texts that match a condition on a column. */
async function find(matching: Matching, texts: readonly string[], wanted: string): Promise<string[]> {
  // In a transaction that is rolled back, so that each test has only its own texts.
  let found: string[] = [];
  const undone = new Error('undone');
  const transaction = database.write.transaction().execute(async (trx) => {
    const notes = trx as unknown as Kysely<{ notes: { id: number; text: string } }>; // a table of this test's own
    await notes
      .insertInto('notes')
      .values(texts.map((text, id) => ({ id, text })))
      .execute();
    const rows = await notes
      .selectFrom('notes')
      .select('text')
      .where(matching(database.engine, sql.ref('text'), wanted))
      .orderBy('id')
      .execute();
    found = rows.map(({ text }) => text);
    throw undone;
  });
  await expect(transaction).rejects.toBe(undone);
  return found;
}

/** Characters with a special meaning in some engine. */
const awkward = fc.string({
  unit: fc.constantFrom(
    'a',
    'A',
    'z',
    'é',
    'É',
    'ß',
    'İ',
    'ı',
    'K',
    '😀',
    '%',
    '_',
    '?',
    '[',
    ']',
    '^',
    '-',
    '\\',
    "'",
    '"',
    ' ',
    '\n',
    '{',
    '$',
  ),
  minLength: 1,
  maxLength: 6,
});
const runs = { numRuns: 100 };

/** True if a text consists of these parts in order, with anything in between. */
function hasParts(text: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let rest = text.slice(first.length, text.length - last.length);
  for (const part of others) {
    const start = rest.indexOf(part);
    if (start < 0) return false;
    rest = rest.slice(start + part.length);
  }
  return true;
}

describe('matchesName', () => {
  it.each([
    ['ci-1', ['ci-1', 'CI-1', 'ci-10', ' ci-1', 'ci-1 '], ['ci-1']],
    ['ci-*', ['ci-', 'ci-1', 'ci-\n2', 'CI-3', 'xci-4'], ['ci-', 'ci-1', 'ci-\n2']],
    ['*-eu-*', ['a-eu-b', '-eu-', 'eu', 'a-EU-b'], ['a-eu-b', '-eu-']],
    ['*', ['', 'a', '*'], ['', 'a', '*']],
    ['**', ['', 'a'], ['', 'a']],
    ['a?c*', ['a?c', 'abc', 'a?cd'], ['a?c', 'a?cd']],
    ['a_c*', ['a_c', 'abc'], ['a_c']],
    ['a%c*', ['a%c', 'abbc'], ['a%c']],
    ['[ab]*', ['[ab]', 'a', 'b'], ['[ab]']],
    ['[^a]*', ['[^a]', 'b'], ['[^a]']],
    ['a\\*', ['a\\', 'a\\b', 'a*'], ['a\\', 'a\\b']],
    ['caf\u00e9*', ['caf\u00e9', 'cafe\u0301'], ['caf\u00e9']],
  ])(
    'matches %j against the whole text, with * for any number of characters',
    async (pattern, texts, found) => {
      expect(await find(matchesName, texts, pattern)).toEqual(found);
    },
  );

  it('has no other special character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(awkward, { minLength: 1, maxLength: 3 }),
        fc.array(awkward, { minLength: 1 }),
        async (parts, others) => {
          const texts = [parts.join(''), parts.join('between'), `x${parts.join('')}`, ...others];
          const expected = texts.filter((text) => hasParts(text, parts));
          expect(await find(matchesName, texts, parts.join('*'))).toEqual(expected);
        },
      ),
      runs,
    );
  });
});

describe('containsText', () => {
  const fold = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

  it('finds a part of the text, ignoring the case of ASCII letters', async () => {
    await fc.assert(
      fc.asyncProperty(awkward, fc.array(awkward, { minLength: 1 }), async (part, others) => {
        const texts = [part, `a${part}z`, fold(part), part.toUpperCase(), ...others];
        const expected = texts.filter((text) => fold(text).includes(fold(part)));
        expect(await find(containsText, texts, part)).toEqual(expected);
      }),
      runs,
    );
  });
});

describe('arrayHasText', () => {
  it('finds a JSON array that has the text as a whole element', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(awkward, { maxLength: 3 }), awkward, async (elements, wanted) => {
        const lists = [elements, [...elements, wanted], [`${wanted}x`], []];
        const found = await find(
          arrayHasText,
          lists.map((list) => JSON.stringify(list)),
          wanted,
        );
        expect(found).toEqual(
          lists.filter((list) => list.includes(wanted)).map((list) => JSON.stringify(list)),
        );
      }),
      runs,
    );
  });
});
