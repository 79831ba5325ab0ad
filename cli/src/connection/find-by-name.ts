import { nearestName } from '@muster/contract';
import { CommandError } from '../command-error.ts';

interface Named {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

interface NameSearch<Item extends Named> {
  /** As a command has it: `token`, `core-instance`. */
  readonly noun: string;
  readonly name: string;
  /** Where the name was looked for: `in the project …`; empty for everywhere. */
  readonly place: string;
  /** Returns everything that matches the name, in which `*` matches any text. */
  readonly candidates: AsyncIterable<Item>;
  /** Returns some existing items, to suggest the nearest name. Called only if nothing was found. */
  readonly others: () => Promise<readonly Item[]>;
  /** Returns the item whose id begins or ends with the name. Called only if nothing else was found. */
  readonly byShortID: () => Promise<Item | undefined>;
  /** Another name that also identifies an item, such as a machine id, and everything that may have it. */
  readonly alias?: { readonly of: (item: Item) => string; readonly candidates: AsyncIterable<Item> };
}

const maxListed = 10;

/** The one item with that name. @throws CommandError if there is none (not found) or more than one (usage) */
export async function findByName<Item extends Named>(search: NameSearch<Item>): Promise<Item> {
  const { noun, name, place } = search;
  const found: Item[] = [];
  for await (const item of search.candidates) if (item.name === name) found.push(item);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (first !== undefined) throw ambiguous(noun, name, found);
  const { alias } = search;
  if (alias !== undefined)
    for await (const item of alias.candidates) if (alias.of(item) === name) return item;
  const byShortID = await search.byShortID();
  if (byShortID !== undefined) return byShortID;
  throw unknown(noun, name, place, await search.others());
}

function ambiguous(noun: string, name: string, found: readonly Named[]): CommandError {
  const listed = found.slice(0, maxListed).map(({ id, createdAt }) => `${id}  created ${createdAt}`);
  const more = found.length > maxListed ? [`and ${found.length - maxListed} more`] : [];
  return new CommandError(
    'usage',
    `${found.length} ${noun.replace('-', ' ')}s are named '${name}'. Give the id of one of them:`,
    [...listed, ...more].join('\n'),
  );
}

function unknown(noun: string, name: string, place: string, others: readonly Named[]): CommandError {
  const nearest = nearestName(
    name,
    others.map((other) => other.name),
  );
  const where = place === '' ? '' : ` ${place}`;
  return new CommandError(
    'notFound',
    `There is no ${noun.replace('-', ' ')} '${name}'${where}.`,
    nearest === undefined
      ? `To list the existing ones, run: muster ${noun} list`
      : `Did you mean '${nearest}'?`,
  );
}

/** True for an id, which needs no look-up. */
export function isID(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
