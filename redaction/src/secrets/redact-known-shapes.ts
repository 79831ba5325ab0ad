import { type KnownShape, knownShapes } from './known-shapes.ts';
import { marker } from './marker.ts';

/** Replaces secrets of known form in any context. In URLs whose path is a credential, only that part is replaced. */
export function redactKnownShapes(text: string): string {
  let redacted = '';
  let copied = 0;
  prefixes.lastIndex = 0;
  for (let found = prefixes.exec(text); found !== null; found = prefixes.exec(text)) {
    const [prefix] = found;
    const shape = shapesByPrefix.get(prefix);
    const bodyStart = found.index + prefix.length;
    if (shape === undefined || (shape.needsBoundary && continuesWord(text, found.index))) continue;
    const leadEnd = shape.lead === undefined ? bodyStart : endOfMatch(shape.lead, text, bodyStart);
    const end = leadEnd === undefined ? undefined : endOfMatch(shape.body, text, leadEnd);
    if (end === undefined) {
      prefixes.lastIndex = leadEnd ?? bodyStart;
      continue;
    }
    redacted += text.slice(copied, shape.keepsPrefix ? bodyStart : found.index) + marker;
    copied = end;
    prefixes.lastIndex = end;
  }
  return copied === 0 ? text : redacted + text.slice(copied);
}

const shapesByPrefix: ReadonlyMap<string, KnownShape> = new Map(
  knownShapes.map((shape) => [shape.prefix, shape]),
);

const prefixes = new RegExp(
  knownShapes.map(({ prefix }) => prefix.replaceAll(/[.\\/]/g, String.raw`\$&`)).join('|'),
  'g',
);

/** True after a letter or digit that does not belong to an escape, as in `\nsk-…` or `%20sk-…`. */
function continuesWord(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 3), start);
  return /[A-Za-z0-9]$/.test(before) && !/\\[nrt]$|%[0-9A-Fa-f]{2}$/.test(before);
}

function endOfMatch(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
