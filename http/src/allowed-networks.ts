import ipaddr from 'ipaddr.js';
import { Refusal } from './refusal.ts';

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * A network in its usual form: `10.1.2.3/8` is `10.0.0.0/8`, and a single address is a network of one. IPv4 in IPv6 (RFC 4291 section 2.5.5.2) is
 * IPv4. Undefined if the text is none.
 */
export function readNetwork(text: string): string | undefined {
  const network = parseNetwork(text);
  if (network === undefined) return undefined;
  const [address, bits] = network;
  const first =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${bits}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${bits}`);
  return `${first.toString()}/${bits}`;
}

/** The networks from which a token may be used: its own, and those of the tokens on which it depends. All of them must contain the address. */
export class AllowedNetworks {
  readonly #lists: readonly (readonly Network[])[];
  #lastAllowed: string | undefined;

  /** @param lists as `readNetwork` wrote them. */
  constructor(lists: readonly (readonly string[])[]) {
    this.#lists = lists.map((texts) => texts.map(parseNetwork).filter((one) => one !== undefined));
  }

  /** @throws Refusal network_not_allowed */
  require(text: string | undefined): void {
    if (text !== undefined && text === this.#lastAllowed) return;
    const address = text !== undefined && ipaddr.isValid(text) ? ipaddr.process(text) : undefined;
    if (address === undefined || !this.#lists.every((list) => list.some((one) => contains(one, address)))) {
      throw new Refusal('network_not_allowed', {
        detail: `This token may be used only from certain networks, and the address of the request (${text ?? 'unknown'}) is in none of them. Ask an operator to allow it, or use another token. Behind a proxy, MUSTER_TRUST_PROXY must name the proxy.`,
      });
    }
    this.#lastAllowed = text;
  }
}

function contains([network, bits]: Network, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (network instanceof ipaddr.IPv4) return address instanceof ipaddr.IPv4 && address.match(network, bits);
  return address instanceof ipaddr.IPv6 && address.match(network, bits);
}

function parseNetwork(text: string): Network | undefined {
  // The library also reads `127.1` and octal digits, which mean different addresses to different programs.
  if (!/^(\d{1,3}(\.\d{1,3}){3}|[\da-f:.]*:[\da-f:.]*)(\/\d{1,3})?$/i.test(text)) return undefined;
  if (/^0\d|\.0\d/.test(text)) return undefined;
  const [address = ''] = text.split('/', 1);
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.parse(address);
  const width = parsed.kind() === 'ipv4' ? 32 : 128;
  const bits = text.includes('/') ? Number(text.slice(text.indexOf('/') + 1)) : width;
  if (bits > width) return undefined;
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [parsed.toIPv4Address(), bits - 96] : [parsed, bits];
}
