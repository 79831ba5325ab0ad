/**
 * Whether a request has exactly one Host header, as RFC 9112 section 3.2 demands: two let a proxy and the service
 * believe different things.
 *
 * @param rawHeaders names and values in turn
 */
export function hasOneHost(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1;
}
