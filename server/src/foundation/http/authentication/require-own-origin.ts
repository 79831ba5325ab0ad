import { Refusal } from '../../refusal.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Requires that a request came from a page of this service, because a browser sends its cookies with requests that other sites cause. An attacker's
 * page can set none of these headers. The Host counts beside MUSTER_PUBLIC_URL, so that the service also works at an address inside of a network.
 *
 * @param publicOrigin the origin of MUSTER_PUBLIC_URL
 * @throws Refusal cross_origin_request
 */
export function requireOwnOrigin(headers: Headers, publicOrigin: string | undefined): void {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') throw new Refusal('cross_origin_request');
  if (typeof origin !== 'string' || !URL.canParse(origin)) throw new Refusal('cross_origin_request');
  const sender = new URL(origin);
  const isOwn =
    sender.origin === publicOrigin || (typeof host === 'string' && sender.host === hostOf(sender, host));
  if (!isOwn) throw new Refusal('cross_origin_request');
}

/** The Host as a URL of the same scheme has it: in lower case and without the default port. */
function hostOf({ protocol }: URL, host: string): string | undefined {
  const text = `${protocol}//${host}`;
  return URL.canParse(text) ? new URL(text).host : undefined;
}
