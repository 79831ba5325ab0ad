import type { Client } from './client.ts';
import { MusterAnswerError } from './errors.ts';
import type { Operation } from './operation.ts';
import type { CallOptions } from './options.ts';
import type { Answer } from './read-answer.ts';

/**
 * A list of any length, newest first. A page is requested only when its items are read; no page is requested in
 * advance.
 *
 * @example
 * ```ts
 * const tokens: PagedList<Token> = listTokens(client, { projectID, name: 'ci-*' });
 * for await (const token of tokens) console.log(token.name);
 * for await (const { items } of tokens.pages()) console.log(items.length);
 * const { items, next } = await tokens.first();
 * console.log(items.length, next === undefined ? 'that is all' : 'there are more');
 * ```
 */
export interface PagedList<Item> extends AsyncIterable<Item> {
  /** Iterates over pages instead of items. */
  pages(): AsyncIterable<Page<Item>>;
  /** Requests only the first page, or with `before` the page after that cursor. */
  first(): Promise<Page<Item>>;
}

/**
 * One page of a list.
 *
 * @example
 * ```ts
 * const page: Page<Token> = await listTokens(client, { projectID, last: 20 }).first();
 * if (page.next !== undefined) {
 *   const further = await listTokens(client, { projectID, last: 20, before: page.next }).first();
 *   console.log(further.items.length);
 * }
 * ```
 */
export interface Page<Item> {
  readonly items: Item[];
  /** The cursor of the next page, for `before`. Absent on the last page. */
  readonly next?: string;
}

/** Makes the list of an operation that returns pages. */
export function list<Item>(
  client: Client,
  operation: Operation,
  input: object,
  options: CallOptions | undefined,
): PagedList<Item> {
  const read = async (query: object): Promise<LinkedPage<Item>> => {
    const answer = await client.send(operation, query, options);
    return toPage(answer, client);
  };
  async function* pages(): AsyncGenerator<Page<Item>> {
    let linked = await read(input);
    yield linked.page;
    while (linked.query !== undefined) {
      const { query } = linked;
      linked = await read({ ...input, ...query });
      // A cache in between could return the same page for ever.
      if (linked.page.next !== undefined && linked.page.next === query.before)
        throw didNotAdvance(client, operation);
      yield linked.page;
    }
  }
  return {
    pages,
    first: async () => (await read(input)).page,
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items;
    },
  };
}

interface LinkedPage<Item> {
  readonly page: Page<Item>;
  /** All query parameters of the next page's URL. */
  readonly query: Readonly<Record<string, string>> | undefined;
}

/**
 * Uses only the query of the link (RFC 8288). Its path is the service's own, which a proxy in between may have changed,
 * and the credential must not be sent to another host.
 */
function toPage<Item>({ body, header }: Answer, client: Client): LinkedPage<Item> {
  const items = body as Item[]; // the caller has checked that it is an array; the document gives the type of its items
  const target = /<([^>]*)>\s*;\s*rel="?next"?/.exec(header('link') ?? '')?.[1];
  if (target === undefined || !URL.canParse(target, client.url)) return { page: { items }, query: undefined };
  const query = Object.fromEntries(new URL(target, client.url).searchParams);
  return query.before === undefined
    ? { page: { items }, query: undefined }
    : { page: { items, next: query.before }, query };
}

function didNotAdvance(client: Client, { id, status }: Operation): MusterAnswerError {
  return new MusterAnswerError(
    `${id}: ${client.url} answered the same page again as the next one. Check for a cache in between that ignores the query of URLs.`,
    { status, contentType: undefined, retryAfterSeconds: undefined, attempts: 1, mayBeDone: true },
  );
}
