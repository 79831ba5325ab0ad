import { CommandError } from '../../command-error.ts';

const examplePin = 'sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';

/**
 * Reads pins of public keys in the form of curl's `--pinnedpubkey`, separated by semicolons.
 *
 * @param source the flag or the variable that holds them
 * @param url of the service
 * @throws CommandError
 */
export function readKeyPins(text: string, source: string, url: string): string[] {
  if (!url.startsWith('https:')) {
    throw new CommandError(
      'usage',
      `${source} pins the key of a certificate, but ${url} has none: use the address that begins with https://.`,
    );
  }
  return text.split(';').map((part) => {
    const pin = part.trim();
    if (isKeyPin(pin)) return pin;
    throw new CommandError(
      'usage',
      `${source} has '${pin}', but it takes sha256// and the SHA-256 of a public key in Base64, such as ${examplePin}. Separate several with a semicolon.`,
    );
  });
}

/** Another Base64 of the same bytes would never be equal to the pin of a key. */
function isKeyPin(pin: string): boolean {
  const digest = /^sha256\/\/([\w+/]{43}=)$/.exec(pin)?.[1];
  return digest !== undefined && Buffer.from(digest, 'base64').toString('base64') === digest;
}
