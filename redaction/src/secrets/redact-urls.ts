import { marker } from './marker.ts';

/**
 * Replaces the password in `scheme://user:password@host`, in `//user:password@host`, and in `user:password@tcp(host)/database`, and
 * a user name there that looks like a token.
 *
 * @param options `keepsUser`: false to replace everything before `@`.
 */
export function redactUrls(text: string, { keepsUser }: { readonly keepsUser: boolean }): string {
  at.lastIndex = 0;
  return at.test(text) ? redactGoDataSources(redactAuthorities(text, keepsUser)) : text;
}

/** Each character may be escaped as in JSON, and encoded as in the query of another URL, once or twice. */
const at = /@|\\(?:u00|x)40|%(?:25)?40/gi;

/** The beginning of an authority: behind the scheme of a URL and its slashes, or behind the slashes of a URL without scheme. */
const slashes =
  /(?::|\\(?:u00|x)3a|%(?:25)?3a)(?:\/\/|\\\/\\\/|(?:\\(?:u00|x)2f){2}|(?:%(?:25)?2f){2})|(?<![\w:/\\.~%-])(?:\/\/|\\\/\\\/)/gi;

/** How the characters of an authority are written. */
interface Syntax {
  readonly userEnd: RegExp;
  readonly colon: RegExp;
  readonly at: RegExp;
  /** What no password contains. A slash, `?`, `#` or `@` does not end a password, because configurations contain them unescaped. */
  readonly end: RegExp;
}

const plain: Syntax = {
  userEnd: /[\s"'`<>:@/?#]|\\(?:u00|x)(?:3a|40|2f)|%(?:25)?3a/i,
  colon: /^(?::|\\(?:u00|x)3a|%(?:25)?3a)/i,
  at: /@|\\(?:u00|x)40/gi,
  end: /[\s"'`<>]/,
};
const percentEncoded: Syntax = {
  userEnd: /[\s"'`<>:@/?#&]|%(?:25)?(?:3a|40|2f|3f|23)/i,
  colon: /^(?::|%(?:25)?3a)/i,
  at: /@|%(?:25)?40/gi,
  end: /[\s"'`<>&]/,
};

function redactAuthorities(text: string, keepsUser: boolean): string {
  const pieces: string[] = [];
  let copied = 0;
  let start = nextMatch(slashes, text, 0);
  let nextAt = 0;
  while (start !== undefined) {
    const next: number | undefined = nextMatch(slashes, text, start);
    const end = next ?? text.length;
    if (nextAt <= start) nextAt = nextMatch(at, text, start) ?? text.length + 1;
    if (nextAt <= end) {
      const isEncoded = text[start - 3] === '%';
      pieces.push(text.slice(copied, start), redactWritten(text.slice(start, end), keepsUser, isEncoded));
      copied = end;
    }
    start = next;
  }
  return pieces.join('') + text.slice(copied);
}

/** @param text from the beginning of an authority to the next one. */
function redactWritten(text: string, keepsUser: boolean, isEncoded: boolean): string {
  if (isEncoded) return redactAuthority(text, keepsUser, percentEncoded);
  const redacted = redactAuthority(text, keepsUser, plain);
  const hasPlainAt = lastAt(text, plain) !== undefined;
  return redacted === text && !hasPlainAt ? redactAuthority(text, keepsUser, percentEncoded) : redacted;
}

function redactAuthority(text: string, keepsUser: boolean, syntax: Syntax): string {
  const { userEnd: pattern, colon } = syntax;
  const userEnd = text.search(pattern);
  if (userEnd < 0) return text;
  const user = text.slice(0, userEnd);
  const rest = text.slice(userEnd);
  syntax.at.lastIndex = 0;
  if (syntax.at.exec(rest)?.index === 0) return hidesUser(user, keepsUser) ? marker + rest : text;
  const separator = colon.exec(rest)?.[0];
  if (separator === undefined) return text;
  const afterUser = rest.slice(separator.length);
  if (portAndNoMore.test(afterUser)) return text;
  const end = lastAt(afterUser, syntax);
  if (end === undefined || afterUser.slice(0, end) === marker) return text;
  const host = afterUser.slice(end);
  // `https://TOKEN:@host` and `https://TOKEN:x-oauth-basic@host`: the token is the user
  if (hidesUser(user, keepsUser)) return marker + host;
  return end === 0 ? text : `${user}${separator}${marker}${host}`;
}

const portAndNoMore = /^\d{1,5}(?:[\s"'`<>/?#,;)}\]&]|%(?:25)?2f|\\(?:u00|x)2f|$)/i;

function lastAt(text: string, { at, end }: Syntax): number | undefined {
  const limit = text.search(end);
  let found: number | undefined;
  at.lastIndex = 0;
  for (let match = at.exec(text); match !== null; match = at.exec(text)) {
    if (limit >= 0 && match.index > limit) break;
    found = match.index;
  }
  return found;
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
