import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Why an alert is not sent to an address. The text is shown to people of the project, who must not learn the addresses of internal hosts from it. */
export class RefusedTarget extends Error {
  override readonly name = 'RefusedTarget';
  /** What a name was resolved to, for the operator of the service. */
  readonly resolved: { readonly host: string; readonly address: string } | undefined;

  constructor(message: string, resolved?: RefusedTarget['resolved']) {
    super(message);
    this.resolved = resolved;
  }
}

/**
 * Decides to which addresses alerts may be sent: to public ones, and to those that MUSTER_ALERT_ALLOWED_HOSTS names. Otherwise, whoever creates a
 * channel could make the service send requests to its own network, or to the metadata service of a cloud.
 */
export class AllowedHosts {
  readonly #names: ReadonlySet<string>;
  readonly #networks: readonly (readonly [Address, number])[];

  /** @param listed host names, addresses and networks in CIDR notation, in lower case. */
  constructor(listed: readonly string[]) {
    this.#names = new Set(listed.filter((one) => parseNetwork(one) === undefined));
    this.#networks = listed.map(parseNetwork).filter((one) => one !== undefined);
  }

  /** True for a host that the setting names; it may also be reached without TLS. */
  names(host: string): boolean {
    if (this.#names.has(nameOf(host))) return true;
    const address = addressOf(host);
    return address !== undefined && this.#isListed(address);
  }

  /**
   * @param host as in the URL of the target
   * @param text an address that the name was resolved to, or the address of the URL
   * @throws RefusedTarget
   */
  require(host: string, text: string): void {
    if (this.#names.has(nameOf(host))) return;
    const address = addressOf(text);
    if (address !== undefined && (this.#isListed(address) || isPublic(address))) return;
    const name = nameOf(host);
    const advice =
      'If alerts may be sent there, add it to MUSTER_ALERT_ALLOWED_HOSTS (a setting of the service; restart it).';
    if (addressOf(host) !== undefined) {
      throw new RefusedTarget(`${name} is an address which is not public. ${advice}`);
    }
    throw new RefusedTarget(
      `${name} has an address which is not public. The log of the service names it. ${advice}`,
      { host: name, address: text },
    );
  }

  #isListed(address: Address): boolean {
    return this.#networks.some(([network, bits]) => isWithin(address, network, bits));
  }
}

/** Without a final dot and without the brackets of an IPv6 address. */
function nameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

/** IPv4 in IPv6 (RFC 4291 section 2.5.5.2) counts as IPv4. */
function addressOf(text: string): Address | undefined {
  const plain = nameOf(text);
  return ipaddr.isValid(plain) ? ipaddr.process(plain) : undefined;
}

/** What is neither private, loopback, link-local, multicast nor reserved in any other way. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return true;
  // Only 2000::/3 is in use on the Internet. Of it, 64:ff9b::/96, 2002::/16 and the like, which contain an IPv4 address, have ranges of their own.
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}

function isWithin(address: Address, network: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits);
  return network instanceof ipaddr.IPv6 && address.match(network, bits);
}

function parseNetwork(text: string): readonly [Address, number] | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  if (!/[:.]/.test(text) || !ipaddr.isValid(text)) return undefined;
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
