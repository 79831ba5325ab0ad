import { isIPv4, isIPv6 } from 'node:net';

/**
 * What a caller's address counts as: an IPv4 address as itself, an IPv6 address as its network of 64 bits, the
 * smallest that is given to one customer. IPv4 in IPv6 (RFC 4291 section 2.5.5.2) is IPv4. Undefined for what is
 * no address, such as what a proxy passes on from a client that wrote nonsense.
 */
export function countedAddress(text: string): string | undefined {
  const address = withoutPort(text);
  if (isIPv4(address)) return address;
  const [plain = ''] = address.split('%', 1);
  return isIPv6(plain) ? networkOf(readGroups(plain)) : undefined;
}

/** Some proxies write the port too: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
export function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}

function networkOf(groups: readonly number[]): string {
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address. */
function readGroups(address: string): number[] {
  const [left = '', right] = address.split('::');
  const head = readPart(left);
  if (right === undefined) return head;
  const tail = readPart(right);
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function readPart(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
