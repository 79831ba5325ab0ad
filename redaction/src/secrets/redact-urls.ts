import { marker } from './marker.ts';

/**
 * Replaces the password in `scheme://user:password@host` and in `user:password@tcp(host)/database`, and
 * a user name there that looks like a token.
 *
 * @param options `keepsUser`: false to replace everything before `@`.
 */
export function redactUrls(text: string, { keepsUser }: { readonly keepsUser: boolean }): string {
  return text.includes('@') ? redactGoDataSources(redactAuthorities(text, keepsUser)) : text;
}

/** A URL's scheme, with its slashes as JSON may escape them. */
const scheme = /:(?:\/\/|\\\/\\\/)/g;

function redactAuthorities(text: string, keepsUser: boolean): string {
  const pieces: string[] = [];
  let copied = 0;
  let start = nextMatch(scheme, text, 0);
  let at = 0;
  while (start !== undefined) {
    const next: number | undefined = nextMatch(scheme, text, start);
    const end = next ?? text.length;
    if (at < start) at = nextIndex(text, '@', start);
    if (at < end) {
      pieces.push(text.slice(copied, start), redactAuthority(text.slice(start, end), keepsUser));
      copied = end;
    }
    start = next;
  }
  return pieces.join('') + text.slice(copied);
}

/** @param text from just after `://` to the next one. */
function redactAuthority(text: string, keepsUser: boolean): string {
  const userEnd = text.search(/[\s"'`<>:@/?#]/);
  const user = text.slice(0, Math.max(0, userEnd));
  if (text[userEnd] === '@') return hidesUser(user, keepsUser) ? marker + text.slice(userEnd) : text;
  const afterUser = text.slice(userEnd + 1);
  if (text[userEnd] !== ':' || portAndNoMore.test(afterUser)) return text;
  const at = lastAt(afterUser);
  if (at < 0 || afterUser.slice(0, at) === marker) return text;
  const host = afterUser.slice(at);
  // `https://TOKEN:@host` and `https://TOKEN:x-oauth-basic@host`: the token is the user
  if (hidesUser(user, keepsUser)) return marker + host;
  return at === 0 ? text : `${user}:${marker}${host}`;
}

const portAndNoMore = /^\d{1,5}(?:[\s"'`<>/?#,;)}\]]|$)/;

/** A slash, `?`, `#` or `@` does not end a password, because configurations contain them unescaped. */
function lastAt(text: string): number {
  const end = text.search(/[\s"'`<>]/);
  return text.slice(0, end < 0 ? text.length : end).lastIndexOf('@');
}

/** A user name of 16 characters or more, with letters and digits, looks like a token. */
function hidesUser(user: string, keepsUser: boolean): boolean {
  if (user === '' || user === marker) return false;
  return !keepsUser || (user.length >= 16 && /\d/.test(user) && /[A-Za-z]/.test(user));
}

const goAddress = /@[a-z0-9+]{2,16}\(/g;

/** The form of github.com/go-sql-driver: `user:password@tcp(127.0.0.1:3306)/name`. */
function redactGoDataSources(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  let searched = 0;
  for (let end = nextMatch(goAddress, text, 0); end !== undefined; end = nextMatch(goAddress, text, end)) {
    const at = text.lastIndexOf('@', end - 1);
    const start = startOfWord(text, searched, at);
    const password = start + text.slice(start, at).indexOf(':') + 1;
    searched = at;
    if (password === start || password === at || text.slice(password, at) === marker) continue;
    pieces.push(text.slice(copied, password), marker);
    copied = at;
  }
  return pieces.join('') + text.slice(copied);
}

function startOfWord(text: string, from: number, end: number): number {
  let position = end;
  while (position > from && !/[\s"'`<>]/.test(text.charAt(position - 1))) position -= 1;
  return position;
}

/** The position after the next match, without the objects that `matchAll` creates per match. */
function nextMatch(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function nextIndex(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index < 0 ? text.length : index;
}
