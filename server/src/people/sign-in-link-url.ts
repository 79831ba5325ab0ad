import type { Secret } from '../foundation/secret.ts';

/**
 * The link that somebody opens to sign in. Its secret is in the path, so that it works without scripts.
 *
 * @param serviceUrl for all interfaces, which is no address to open, the loopback address is used.
 */
export function signInLinkUrl(serviceUrl: string, secret: Secret): string {
  const url = serviceUrl.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  return `${url}/sign_in/link/${secret.reveal()}`;
}
