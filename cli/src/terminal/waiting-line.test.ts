import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withResolvers } from '../../../server/src/with-resolvers.ts';
import { withWaitingLine } from './waiting-line.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const url = 'https://muster.example.com/v1/projects';

/** A request that is answered, or fails, when the test says so. */
function startRequest(isTTY: boolean) {
  let written = '';
  const answer = withResolvers<Response>();
  const stderr = { isTTY, write: (text: string) => (written += text) };
  const fetch = withWaitingLine(stderr, () => answer.promise);
  const done = Promise.resolve(fetch(url, {} as Parameters<typeof fetch>[1])); // the function under test passes it on unread
  return { answer, done, written: () => written };
}

describe('a request', () => {
  it('of less than a second shows nothing', async () => {
    const { answer, done, written } = startRequest(true);
    vi.advanceTimersByTime(999);
    answer.resolve(new Response());
    await done;
    vi.advanceTimersByTime(10_000);
    expect(written()).toBe('');
  });

  it('that takes longer shows for how long, and clears the line with the answer', async () => {
    const { answer, done, written } = startRequest(true);
    vi.advanceTimersByTime(2_500);
    answer.resolve(new Response());
    await done;
    vi.advanceTimersByTime(10_000);
    expect(written()).toBe(
      '\rWaiting for muster.example.com: 1 s …\x1b[K\rWaiting for muster.example.com: 2 s …\x1b[K\r\x1b[K',
    );
  });

  it('that fails clears the line too', async () => {
    const { answer, done, written } = startRequest(true);
    vi.advanceTimersByTime(1_000);
    answer.reject(new Error('the connection was closed'));
    await expect(done).rejects.toThrow('the connection was closed');
    vi.advanceTimersByTime(10_000);
    expect(written()).toBe('\rWaiting for muster.example.com: 1 s …\x1b[K\r\x1b[K');
  });

  it('shows nothing outside a terminal', async () => {
    const { answer, done, written } = startRequest(false);
    vi.advanceTimersByTime(60_000);
    answer.resolve(new Response());
    await done;
    expect(written()).toBe('');
  });
});
