import { CommandError } from '../command-error.ts';

/** The address of a server that was started with default settings. */
export const localUrl = 'http://127.0.0.1:7400';

/** Parses a url that a user typed and normalizes it. @throws CommandError */
export function readServerUrl(text: string, source: string): string {
  const url = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${guessScheme(text)}://${text}`);
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new CommandError(
      'usage',
      `${source} is '${text}', but it takes the address of a server, such as https://muster.example.com or ${localUrl}.`,
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new CommandError('usage', `${source} has a user, a query or a fragment in it: leave that out.`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** True for a server on this machine. */
export function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** What to do if others are to use an address that leads them to their own machine. */
export function notesOfLoopback(url: string): string[] {
  if (!isLoopback(url)) return [];
  return [
    `${new URL(url).host} is an address of this machine alone. For other machines, let the service listen on the network (HOST=0.0.0.0) and know its address (MUSTER_PUBLIC_URL).`,
    'Then sign in at that address, so that commands print it. Run: muster login --url URL',
  ];
}

/** True if a token would be sent unencrypted over a network. */
export function isInClear(url: string): boolean {
  return url.startsWith('http:') && !isLoopback(url);
}

function guessScheme(text: string): 'http' | 'https' {
  const url = parseUrl(`http://${text}`);
  return url !== undefined && isLoopback(url.href) ? 'http' : 'https';
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
