const base = 'http://service.invalid';
/** It is kept in a cookie while somebody signs in. */
const maxLength = 1_500;

/**
 * The path of this service to which a browser returns when it is signed in. Anything that could lead to another site becomes `/`, because links to
 * the sign-in page come from anywhere.
 */
export function readReturnPath(text: unknown): string {
  if (typeof text !== 'string' || !text.startsWith('/') || text.length > maxLength) return '/';
  // Browsers read a backslash as a slash, and leave out tabs and line breaks.
  if (/[\\\p{Cc}]/u.test(text) || !URL.canParse(text, base)) return '/';
  const url = new URL(text, base);
  if (url.origin !== base || url.pathname.startsWith('//')) return '/';
  const path = url.pathname + url.search + url.hash;
  // A character takes up to nine here.
  return path.length > maxLength ? '/' : path;
}

/** The same path as a relative reference, which cannot name a host and also works behind a proxy that adds a path. */
export function relativeTo(root: '' | '../', path: string): string {
  return `${root === '' ? './' : root}${path.slice(1)}`;
}
