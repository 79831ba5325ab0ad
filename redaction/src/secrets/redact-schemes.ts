import { marker } from './marker.ts';

/**
 * Replaces the credential behind the name of an authentication scheme, whatever header it is sent in: `Basic …`,
 * `Bearer …` (RFC 7617, RFC 6750) and those of vendors. Prose such as `basic configuration` is no credential.
 */
export function redactSchemes(text: string): string {
  let redacted = '';
  let copied = 0;
  scheme.lastIndex = 0;
  for (let found = scheme.exec(text); found !== null; found = scheme.exec(text)) {
    const start = scheme.lastIndex;
    credential.lastIndex = start;
    const end = credential.test(text) ? credential.lastIndex : start;
    if (isCredential(found[1] ?? '', text.slice(start, end))) {
      redacted += text.slice(copied, start) + marker;
      copied = end;
    }
    scheme.lastIndex = end;
  }
  return copied === 0 ? text : redacted + text.slice(copied);
}

const scheme =
  /(?<![A-Za-z0-9_])(bearer|basic|splunk|apikey|api-token|token|negotiate|ntlm|geniekey)(?:[ \t]{1,8}|%20)/gi;
const credential = /[\w.~+/=-]+/y;

/** @param value of `Bearer`, any word that is long enough is one; of others it has to look like none. */
function isCredential(name: string, value: string): boolean {
  if (value === marker) return false;
  switch (name.toLowerCase()) {
    case 'bearer':
      return value.length >= 16 || (value.length >= 8 && looksRandom(value));
    case 'token':
      return value.length >= 16 && looksRandom(value);
    default:
      return value.length >= 8 && looksRandom(value);
  }
}

/** A digit, or what base64 has and words have not: `=`, `+`, or a capital behind a small letter. */
function looksRandom(value: string): boolean {
  return /[0-9=+]|[a-z][A-Z]/.test(value);
}
