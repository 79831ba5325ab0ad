import { marker } from './marker.ts';

/**
 * Replaces the code of a query: `?code=…` of OAuth 2.0 (RFC 6749, section 4.1.2) and of Azure Functions. The code of an error has fewer characters, or no
 * digit.
 */
export function redactQueryCodes(text: string): string {
  return text.includes('code') ? text.replaceAll(code, (_, name: string) => name + marker) : text;
}

const code =
  /((?:[?&;]|\\u0026|%3f|%26)code(?:=|%3d))(?!--redacted--)(?=[A-Za-z_.~%+/=-]{0,64}\d)[\w.~%+/=-]{6,}/gi;
