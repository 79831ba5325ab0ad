import type { ClientOptions } from '@muster/client';
import type { Terminal } from './terminal.ts';

type Fetch = NonNullable<ClientOptions['fetch']>;

const tickMilliseconds = 1_000;

/** A fetch function that shows on a terminal for how long an answer is awaited, from the first second on. */
export function withWaitingLine({ stderr, every }: Pick<Terminal, 'stderr' | 'every'>, fetch: Fetch): Fetch {
  if (stderr.isTTY !== true) return fetch;
  return async (url, init) => {
    let seconds = 0;
    const stop = every(tickMilliseconds, () => {
      seconds += 1;
      stderr.write(`\rWaiting for ${new URL(url).host}: ${seconds} s …\x1b[K`);
    });
    try {
      return await fetch(url, init);
    } finally {
      stop();
      if (seconds > 0) stderr.write('\r\x1b[K');
    }
  };
}
