/**
 * True if a request has exactly one Host header, as RFC 9112 section 3.2 requires. With two, a proxy and the service could each use a different one.
 *
 * @param rawHeaders alternating names and values
 */
export function hasOneHost(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1;
}
