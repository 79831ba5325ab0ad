import { isSecretValue, lineBreaksIn, marker } from './marker.ts';

/** The part of an element's name that is read, and the end of its start tag; also as JSON of Go has it: `\u003cpassword\u003e`. */
const startTag =
  /(?:<|\\{1,4}u003c)(?:[A-Za-z_][\w.-]{0,63}:)?([A-Za-z_][\w.-]{0,63})(?:\s[^<>]{0,256}?)?(?:>|\\{1,4}u003e)/gi;
const nextTag = /<|\\{1,4}u003c/gi;
const endTag = /(?:<|\\{1,4}u003c)\//iy;
const cdata = /(?:<|\\{1,4}u003c)!\[CDATA\[/iy;

/**
 * Replaces the content of XML elements whose name means a secret, and that of the element behind one that contains such a name, as in
 * `<name>password</name><value>…</value>` and property lists.
 */
export function redactElements(text: string, isSecret: (name: string) => boolean): string {
  if (!text.includes('</') && !text.includes('u003c/')) return text;
  let redacted = '';
  let copied = 0;
  let isNamed = false;
  startTag.lastIndex = 0;
  for (let found = startTag.exec(text); found !== null; found = startTag.exec(text)) {
    const name = found[1] ?? '';
    const content = contentOf(text, startTag.lastIndex);
    if (content === undefined) continue;
    const { start, end, next } = content;
    startTag.lastIndex = next;
    const value = text.slice(start, end);
    const namesNext = namesOther.test(name);
    const isHidden = !namesNext && (isNamed || isSecret(name)) && isOneValue(value);
    isNamed = namesNext && isSecret(value.trim());
    if (!isHidden || !isSecretValue(value)) continue;
    redacted += text.slice(copied, start) + marker + lineBreaksIn(text, start, end);
    copied = end;
  }
  return copied === 0 ? text : redacted + text.slice(copied);
}

const namesOther = /^(?:key|keys|name)$/i;

interface Content {
  readonly start: number;
  readonly end: number;
  /** Where reading continues. */
  readonly next: number;
}

/** The text of an element up to its end tag; undefined if it contains other elements. */
function contentOf(text: string, start: number): Content | undefined {
  cdata.lastIndex = start;
  if (cdata.test(text)) {
    const close = text.indexOf(']]', cdata.lastIndex);
    const end = close < 0 ? text.length : close;
    return { start: cdata.lastIndex, end, next: end };
  }
  nextTag.lastIndex = start;
  const found = nextTag.exec(text);
  if (found === null) return undefined;
  endTag.lastIndex = found.index;
  return endTag.test(text) ? { start, end: found.index, next: found.index } : undefined;
}

/** False for the lines of a section of Fluentd: `<auth>`, `method basic`, `</auth>`. Line breaks may be escaped, as in JSON. */
function isOneValue(content: string): boolean {
  const lines = content.replaceAll(/\\{1,4}[nrt]/g, '\n');
  const value = lines.trim();
  return !/[\r\n]/.test(lines.slice(0, lines.indexOf(value))) || !/\s/.test(value);
}
