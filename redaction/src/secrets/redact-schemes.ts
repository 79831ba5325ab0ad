import { marker } from './marker.ts';

/**
 * Replaces the credential after the name of an authentication scheme, in any header: `Basic …`, `Bearer …` (RFC 7617,
 * RFC 6750) and those of vendors. Prose such as `basic configuration` is not a credential.
 */
export function redactSchemes(text: string): string {
  let redacted = '';
  let copied = 0;
  scheme.lastIndex = 0;
  for (let found = scheme.exec(text); found !== null; found = scheme.exec(text)) {
    const start = scheme.lastIndex;
    credential.lastIndex = start;
    const end = credential.test(text) ? credential.lastIndex : start;
    if (isCredential(found[1] ?? '', text.slice(start, end), found[2] !== undefined)) {
      redacted += text.slice(copied, start) + marker;
      copied = end;
      scheme.lastIndex = end;
    }
  }
  return copied === 0 ? text : redacted + text.slice(copied);
}

const scheme =
  /\b(bearer|basic|splunk|apikey|api-token|token|negotiate|ntlm|geniekey)(?:[^\S\r\n]{1,8}|%20)(\\{0,7}["'])?/gi;
const credential = /[\w.~+/=-]+/y;

/** @param value after `Bearer`, any long word is a credential; after other schemes, it must not look like a word */
function isCredential(name: string, value: string, isQuoted: boolean): boolean {
  if (value === marker || value.endsWith(`=${marker}`)) return false;
  switch (name.toLowerCase()) {
    case 'bearer':
      return value.length >= 16 || (value.length >= 8 && looksRandom(value));
    case 'token':
      // A parser's `unexpected token "…"` quotes its input.
      return !isQuoted && value.length >= 16 && looksRandom(value);
    default:
      return value.length >= 8 && looksRandom(value);
  }
}

/** A digit, or something that base64 has and words do not: `=`, `+`, or a capital after a small letter. */
function looksRandom(value: string): boolean {
  return /[0-9=+]|[a-z][A-Z]/.test(value);
}
