import { isSecretValue, lineBreaksIn, marker } from './marker.ts';

/**
 * An option of syslog-ng: `password("…")`; also in a string of JSON. With a blank before it, a bare word is more often a remark:
 * `token (optional)`.
 */
const option = /(?<![\w.-])([A-Za-z_][\w-]{0,63})(?:\(|[ \t]{1,16}\((?=\s{0,256}\\{0,7}["']))\s{0,256}/g;

const string = String.raw`(?:"(?:[^"\\]|\\.){0,1024}"|'[^']{0,1024}'|\\{1,7}"[^"\\]{0,1024}\\{1,7}")`;
/** Strings one after the other: not a list of arguments. */
const strings = String.raw`${string}(?:\s{1,64}${string}){0,3}`;
/** Not the field of a record, as in `parse_key_value(.message)`, nor `token(s)`. */
const bareWord = String.raw`[A-Za-z0-9][^\s"'(){},;]{3,255}`;
const quotedValue = new RegExp(String.raw`${strings}(?=\s{0,64}\))`, 'sy');
const anyValue = new RegExp(String.raw`(?:${strings}|${bareWord})(?=\s{0,64}\))`, 'sy');

interface OptionNames {
  readonly isSecret: (name: string) => boolean;
  /** True: a bare word is a value too. In prose, it is a remark. */
  readonly takesWords: boolean;
}

/** Replaces the values of options whose name means a secret. */
export function redactOptions(text: string, { isSecret, takesWords }: OptionNames): string {
  const value = takesWords ? anyValue : quotedValue;
  let redacted = '';
  let copied = 0;
  option.lastIndex = 0;
  for (let found = option.exec(text); found !== null; found = option.exec(text)) {
    const [, name = ''] = found;
    const start = option.lastIndex;
    value.lastIndex = start;
    // Before the name, whose reading takes longer.
    if (!value.test(text) || namesField.test(name) || !isSecret(name)) continue;
    const end = value.lastIndex;
    const quote = openingQuote.exec(text.slice(start, start + 8))?.[0] ?? '';
    if (!isSecretValue(text.slice(start + quote.length, end - quote.length))) continue;
    redacted += text.slice(copied, start) + quote + marker + quote + lineBreaksIn(text, start, end);
    copied = end;
    option.lastIndex = end;
  }
  return copied === 0 ? text : redacted + text.slice(copied);
}

const openingQuote = /^\\{0,7}["']/;

/** `value-pairs(key("HOST"))` */
const namesField = /^keys?$/i;
