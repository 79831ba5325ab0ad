import { describe, expect, it } from 'vitest';
import { withResolvers } from '../../../server/src/foundation/with-resolvers.ts';
import { OwnedIntervals } from '../testing/owned-intervals.ts';
import { withWaitingLine } from './waiting-line.ts';

const url = 'https://muster.example.com/v1/projects';

/** A request that is answered, or fails, when the test says so. */
function startRequest(isTTY: boolean) {
  let written = '';
  const answer = withResolvers<Response>();
  const stderr = { isTTY, write: (text: string) => (written += text) };
  const intervals = new OwnedIntervals();
  const fetch = withWaitingLine({ stderr, every: intervals.every }, () => answer.promise);
  const done = Promise.resolve(fetch(url, {} as Parameters<typeof fetch>[1])); // the function under test passes it on unread
  return {
    answer,
    done,
    written: () => written,
    pass: (milliseconds: number) => intervals.pass(milliseconds),
  };
}

describe('a request', () => {
  it('of less than a second shows nothing', async () => {
    const { answer, done, written, pass } = startRequest(true);
    pass(999);
    answer.resolve(new Response());
    await done;
    pass(10_000);
    expect(written()).toBe('');
  });

  it('that takes longer shows for how long, and clears the line with the answer', async () => {
    const { answer, done, written, pass } = startRequest(true);
    pass(2_500);
    answer.resolve(new Response());
    await done;
    pass(10_000);
    expect(written()).toBe(
      '\rWaiting for muster.example.com: 1 s …\x1b[K\rWaiting for muster.example.com: 2 s …\x1b[K\r\x1b[K',
    );
  });

  it('that fails clears the line too', async () => {
    const { answer, done, written, pass } = startRequest(true);
    pass(1_000);
    answer.reject(new Error('the connection was closed'));
    await expect(done).rejects.toThrow('the connection was closed');
    pass(10_000);
    expect(written()).toBe('\rWaiting for muster.example.com: 1 s …\x1b[K\r\x1b[K');
  });

  it('shows nothing outside a terminal', async () => {
    const { answer, done, written, pass } = startRequest(false);
    pass(60_000);
    answer.resolve(new Response());
    await done;
    expect(written()).toBe('');
  });
});
