interface RequestText {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  /** Sent instead of the correct Content-Length. */
  readonly length?: string;
}

/** A request as bytes; valid unless a test changes it. */
export function requestText({
  method = 'GET',
  target = '/healthz',
  version = 'HTTP/1.1',
  headers = [],
  body,
  length = body === undefined ? undefined : `Content-Length: ${Buffer.byteLength(body)}`,
}: RequestText): Buffer {
  const lines = [`${method} ${target} ${version}`, 'Host: muster', ...headers];
  if (length !== undefined && length !== '') lines.push(length);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body ?? '')]);
}
