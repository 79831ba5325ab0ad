import { countOf } from '@muster/contract';
import { CommandError } from '../command-error.ts';
import { shortIDLength } from '../output/short-id.ts';
import { isID } from './find-by-name.ts';

interface ShortIDSearch<Item extends { readonly id: string }> {
  /** `token`. */
  readonly noun: string;
  /** The items that an id may mean, newest first. */
  readonly pages: AsyncIterable<{ readonly items: readonly Item[] }>;
  /** What identifies an item for people, to list the candidates: its name, or the text of an error. */
  readonly describe: (item: Item) => string;
}

/** Fewer characters are not read as an id, so that mistyped names are not taken for one. */
const minDigits = 6;

/** Pages of the largest size that are looked through. */
const maxPages = 10;

const maxListed = 10;

/** The advice for a text that is no id, with how much of one is needed if it may be a part of one. */
export function idAdvice(text: string, advice: string): string {
  if (!/^[0-9a-f-]+$/i.test(text)) return advice;
  return `${advice} Give at least ${minDigits} characters of the end of an id, which lists show, or of its beginning.`;
}

/** True for what may be the beginning or the end of an id. */
export function isShortID(text: string): boolean {
  return /^[0-9a-f-]+$/i.test(text) && digitsOf(text).length >= minDigits && !isID(text);
}

/**
 * The items whose ids begin or end with these texts. A text that no id fits is missing in the answer.
 *
 * @throws CommandError (usage) if several ids fit a text, or if one fits and a longer list may have more
 */
export async function findByShortIDs<Item extends { readonly id: string }>(
  texts: readonly string[],
  search: ShortIDSearch<Item>,
): Promise<ReadonlyMap<string, Item>> {
  const wanted = [...new Set(texts)].filter(isShortID);
  if (wanted.length === 0) return new Map();
  const found = new Map(wanted.map((text) => [text, new Map<string, Item>()]));
  let pages = 0;
  let seen = 0;
  let isComplete = true;
  for await (const { items } of search.pages) {
    for (const item of items) {
      for (const text of wanted) if (fits(item.id, text)) found.get(text)?.set(item.id, item);
    }
    seen += items.length;
    pages += 1;
    isComplete = pages < maxPages;
    if (!isComplete) break;
  }
  return new Map(
    [...found].flatMap(([text, fitting]) => {
      const item = onlyOf(text, [...fitting.values()], search, isComplete ? undefined : seen);
      return item === undefined ? [] : [[text, item] as const];
    }),
  );
}

/** The item whose id begins or ends with the text, in the list of a resource whose items have names. */
export async function findNamedByShortID<Item extends { readonly id: string; readonly name: string }>(
  text: string,
  noun: string,
  list: { pages(): AsyncIterable<{ readonly items: readonly Item[] }> },
): Promise<Item | undefined> {
  if (!isShortID(text)) return undefined;
  const describe = ({ name }: Item): string => name;
  return (await findByShortIDs([text], { noun, describe, pages: list.pages() })).get(text);
}

/** @param seen how many were looked through; undefined if these are all */
function onlyOf<Item extends { readonly id: string }>(
  text: string,
  fitting: readonly Item[],
  { noun, describe }: ShortIDSearch<Item>,
  seen: number | undefined,
): Item | undefined {
  const [only, another] = fitting;
  if (only === undefined) return undefined;
  if (another !== undefined) {
    const listed = fitting.slice(0, maxListed).map((item) => `${item.id}  ${describe(item)}`);
    const more = fitting.length > maxListed ? [`and ${fitting.length - maxListed} more`] : [];
    throw new CommandError(
      'usage',
      `The ids of ${countOf(fitting.length, noun)} begin or end with '${text}'. Give more characters of one of them:`,
      [...listed, ...more].join('\n'),
    );
  }
  // The last characters are random, so that many of them identify an item without a look at all others.
  const isLongEnd = digitsOf(text).length >= shortIDLength && endsWith(only.id, text);
  if (seen === undefined || isLongEnd) return only;
  throw new CommandError(
    'usage',
    `'${text}' identifies one of the newest ${countOf(seen, noun)}, but there are more. Give the whole id:`,
    `${only.id}  ${describe(only)}`,
  );
}

function fits(id: string, text: string): boolean {
  return endsWith(id, text) || digitsOf(id).startsWith(digitsOf(text));
}

function endsWith(id: string, text: string): boolean {
  return digitsOf(id).endsWith(digitsOf(text));
}

function digitsOf(text: string): string {
  return text.replaceAll('-', '').toLowerCase();
}
