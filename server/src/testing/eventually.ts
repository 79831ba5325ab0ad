import { vi } from 'vitest';
import { maxWaitMilliseconds } from './max-wait.ts';

/**
 * At least two minutes. Rounds and not seconds: on a busy machine, this process has its rounds as rarely as whatever it
 * waits for goes on.
 */
const maxRounds = 12_000;

/** A run in which a test has failed stays red: what fails for the same reason must not cost as much each time. */
const maxRoundsAfterFailure = 500;

let hasFailed = false;

/** To be called after a test of this process has failed: from then on, `eventually` gives up earlier. */
export function noteFailure(): void {
  hasFailed = true;
}

/** Waits for something that happens without an event: repeats the check until it no longer throws, and then returns its result. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  rounds = hasFailed ? maxRoundsAfterFailure : maxRounds,
): Promise<T> {
  let left = rounds;
  const outcome = await vi.waitFor(
    async () => {
      try {
        return { value: await check() };
      } catch (error) {
        left -= 1;
        if (left > 0) throw error;
        return { error };
      }
    },
    // Reached only if the check itself hangs.
    { timeout: maxWaitMilliseconds, interval: 10 },
  );
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
