import { isIPv4, isIPv6 } from 'node:net';

/**
 * The key under which a caller's address is counted: an IPv4 address itself, or the /64 network of an IPv6 address, which is the smallest network
 * given to one customer. IPv4 in IPv6 (RFC 4291 section 2.5.5.2) is IPv4. Undefined for an invalid address, which a proxy may pass on from a client.
 */
export function countedAddress(text: string): string | undefined {
  const address = withoutPort(text);
  if (isIPv4(address)) return address;
  const [plain = ''] = address.split('%', 1);
  return isIPv6(plain) ? networkOf(readGroups(plain)) : undefined;
}

/** Some proxies add the port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
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
