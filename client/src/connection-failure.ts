/**
 * Tells whether a failure of fetch means that the request was never sent: the connection was not made, or the host
 * name was not found. Always false in browsers, which give no reason.
 */
export function wasNeverSent(error: unknown, depth = 0): boolean {
  if (!isObject(error) || depth > deepestCause) return false;
  if (Array.isArray(error.errors) && error.errors.length > 0) {
    return error.errors.every((one) => wasNeverSent(one, depth + 1));
  }
  return (
    // Node: the system call that failed, and undici's own time limit.
    error.syscall === 'connect' ||
    error.syscall === 'getaddrinfo' ||
    error.code === 'UND_ERR_CONNECT_TIMEOUT' ||
    // Bun before 1.4, and Bun 1.4 and later.
    error.code === 'ConnectionRefused' ||
    error.code === 'ECONNREFUSED' ||
    error.code === 'ENOTFOUND' ||
    isWithoutTls(error) ||
    // Deno.
    (typeof error.message === 'string' && error.message.includes('client error (Connect)')) ||
    wasNeverSent(error.cause, depth + 1)
  );
}

/** Limits the depth, because causes can form a circle. */
const deepestCause = 5;

/** The platform's reason for a failure, which it hides one or two causes deep. */
export function explainFailure(error: unknown, url: string): string {
  const isPlain = url.startsWith('http:');
  const reasons = [...causesOf(error)].map((one) => reasonOf(one, isPlain)).filter((reason) => reason !== '');
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

/** Node and Bun: what answers a request for https:// is no TLS. */
function isWithoutTls({ code }: Failure): boolean {
  return code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER';
}

/** Node gives what the parser of HTTP was given: an alert of TLS (RFC 8446 section 5.1). */
function isTlsRecord({ data }: Failure): boolean {
  return typeof data === 'string' && data.startsWith('\u0015\u0003');
}

/** Node and Bun. */
function isClosed({ code }: Failure): boolean {
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
}

function reasonOf(failure: Failure, isPlain: boolean): string {
  const { message, code } = failure;
  if (isWithoutTls(failure))
    return 'its port does not speak TLS: write http:// instead of https://, or name the port that does';
  if (isTlsRecord(failure))
    return 'its port speaks only TLS: write https:// instead of http://, or name the port that does not';
  // As many servers do that expect TLS.
  if (isPlain && isClosed(failure))
    return 'it closed the connection before it had answered: if its port speaks TLS, write https:// instead of http://';
  if (typeof message === 'string' && message !== '') return message;
  return typeof code === 'string' ? code : '';
}

/** The fields that platforms add to errors. */
interface Failure {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly data?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

function isObject(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null;
}
