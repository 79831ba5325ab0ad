const base = 'http://service.invalid';

/**
 * The path of this service to which a browser returns when it is signed in. Anything that could lead to another site becomes `/`, because links to
 * the sign-in page come from anywhere.
 */
export function readReturnPath(text: unknown): string {
  if (typeof text !== 'string' || !text.startsWith('/') || text.length > 2_000) return '/';
  // Browsers read a backslash as a slash, and leave out tabs and line breaks.
  if (/[\\\p{Cc}]/u.test(text) || !URL.canParse(text, base)) return '/';
  const url = new URL(text, base);
  if (url.origin !== base || url.pathname.startsWith('//')) return '/';
  return url.pathname + url.search + url.hash;
}

/** The same path as a relative reference, which cannot name a host and also works behind a proxy that adds a path. */
export function relativeTo(root: '' | '../', path: string): string {
  return `${root === '' ? './' : root}${path.slice(1)}`;
}
