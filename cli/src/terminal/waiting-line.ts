import type { ClientOptions } from '@muster/client';
import type { TextOutput } from './terminal.ts';

type Fetch = NonNullable<ClientOptions['fetch']>;

const tickMilliseconds = 1_000;

/** A fetch function that shows on a terminal for how long an answer is awaited, from the first second on. */
export function withWaitingLine(stderr: TextOutput, fetch: Fetch): Fetch {
  if (stderr.isTTY !== true) return fetch;
  return async (url, init) => {
    let seconds = 0;
    const timer = setInterval(() => {
      seconds += 1;
      stderr.write(`\rWaiting for ${new URL(url).host}: ${seconds} s …\x1b[K`);
    }, tickMilliseconds);
    try {
      return await fetch(url, init);
    } finally {
      clearInterval(timer);
      if (seconds > 0) stderr.write('\r\x1b[K');
    }
  };
}
