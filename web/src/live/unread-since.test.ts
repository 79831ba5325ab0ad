import { MusterConnectionError, MusterError } from '@muster/client';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it } from 'vitest';
import { unreadSince } from './unread-since.ts';

const problem = { type: '', title: '', status: 0, code: '', detail: '', requestID: '', error: '' };
const refused = (status: number) =>
  new MusterError(problem, { status, retryAfterSeconds: undefined, attempts: 1 });
const readAt = Date.parse('2026-03-04T14:09:12.000Z');

const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
afterEach(() => queries.clear());

/** A query that was read once, whose next reads fail. */
async function readAgain(error: Error | undefined, { topics = ['agents'] as const, isShown = true } = {}) {
  const options = {
    queryKey: ['numbers'],
    queryFn: () => (error === undefined ? 8 : Promise.reject(error)),
    meta: { topics },
    staleTime: Number.POSITIVE_INFINITY,
  };
  queries.setQueryData(options.queryKey, 7, { updatedAt: readAt });
  const observer = new QueryObserver(queries, options);
  const stop = observer.subscribe(() => undefined);
  await observer.refetch();
  if (!isShown) stop();
  return (secondsLater: number) =>
    unreadSince(queries.getQueryCache().getAll(), readAt + secondsLater * 1_000);
}

it.each([
  ['the service refuses', refused(503)],
  ['the service limits', refused(429)],
  [
    'the network loses',
    new MusterConnectionError('lost', { mayBeDone: true, attempts: 1, cause: undefined }),
  ],
])('what %s for more than 30 s is old, and is from when it was read', async (_, error) => {
  const since = await readAgain(error);
  expect([since(30), since(31)]).toEqual([undefined, '2026-03-04T14:09:12.000Z']);
});

it.each([
  ['was read again', undefined, {}],
  ['was deleted', refused(410), {}],
  ['is not shown any more', refused(503), { isShown: false }],
])('nothing is said of what %s', async (_, error, how) => {
  expect((await readAgain(error, how))(3_600)).toBeUndefined();
});
