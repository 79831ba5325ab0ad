/**
 * Tells whether a failure of fetch means that the request has not left: the connection was not made, or the name of
 * the host not found. Browsers do not tell, so that there it is always false.
 */
export function wasNeverSent(error: unknown, depth = 0): boolean {
  if (!isObject(error) || depth > deepestCause) return false;
  if (Array.isArray(error.errors) && error.errors.length > 0) {
    return error.errors.every((one) => wasNeverSent(one, depth + 1));
  }
  return (
    // Node: what the system was doing when it failed, and what undici says of its own time limit.
    error.syscall === 'connect' ||
    error.syscall === 'getaddrinfo' ||
    error.code === 'UND_ERR_CONNECT_TIMEOUT' ||
    // Bun, before 1.4 and since.
    error.code === 'ConnectionRefused' ||
    error.code === 'ECONNREFUSED' ||
    error.code === 'ENOTFOUND' ||
    // Deno.
    (typeof error.message === 'string' && error.message.includes('client error (Connect)')) ||
    wasNeverSent(error.cause, depth + 1)
  );
}

/** Causes can run in a circle. */
const deepestCause = 5;

/** What the platform says of a failure; it hides the reason one or two causes deep. */
export function explainFailure(error: unknown): string {
  const reasons = [...causesOf(error)].map(reasonOf).filter((reason) => reason !== '');
  return (reasons.at(-1) ?? 'no reason is given').replace(/\.$/, '');
}

function* causesOf(error: unknown): Generator<Failure> {
  for (
    let [one, depth] = [error, 0];
    isObject(one) && depth <= deepestCause;
    [one, depth] = [one.cause, depth + 1]
  ) {
    yield one;
    if (Array.isArray(one.errors) && isObject(one.errors[0])) yield one.errors[0];
  }
}

function reasonOf({ message, code }: Failure): string {
  if (typeof message === 'string' && message !== '') return message;
  return typeof code === 'string' ? code : '';
}

/** The fields of an error that platforms add. */
interface Failure {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

function isObject(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null;
}
