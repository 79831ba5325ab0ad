const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** From its creation on, a message is tried for this long. */
export const maxRetryMilliseconds = 24 * hour;

/** A channel of which every attempt has failed for this long is disabled. */
export const maxFailingMilliseconds = 5 * 24 * hour;

/** A replica that sends a message has this long. Afterwards it counts as killed, and another one sends the message. */
export const leaseMilliseconds = minute;

const pauses = [10 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 20 * minute];
const longestPause = 30 * minute;
/** No pause is longer, in milliseconds. */
export const longestAskedPause = hour;

/** The service has read the message and refuses it. Sent again, it would be refused again, and other messages wait for it. */
const refusals: ReadonlySet<number> = new Set([400, 413, 422]);
const maxRefusedAttempts = 5;

/** When a message is tried again after this many attempts; undefined: it is given up. */
export function nextAttempt(
  { attempts, now, giveUpAt }: { readonly attempts: number; readonly now: number; readonly giveUpAt: number },
  answer: { readonly status?: number | undefined; readonly retryAfterSeconds?: number | undefined },
): number | undefined {
  if (answer.status !== undefined && refusals.has(answer.status) && attempts >= maxRefusedAttempts) {
    return undefined;
  }
  const asked = Math.min((answer.retryAfterSeconds ?? 0) * second, longestAskedPause);
  const next = now + Math.max(pauses[attempts - 1] ?? longestPause, asked);
  return next > giveUpAt ? undefined : next;
}
