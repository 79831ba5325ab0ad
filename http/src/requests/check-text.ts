import type { ProblemField } from '@muster/contract';

const deepest = 32;
/** Far more than any body of this API needs, and few enough to check without delaying other requests. */
const maxValues = 20_000;

/**
 * Searches a parsed body for content that no database can store: NUL, lone surrogates, and excessive nesting or numbers of values. Returns the first
 * finding. Iterates with its own stack, because the sender chooses the depth.
 */
export function findUnstorable(body: unknown): ProblemField | undefined {
  if (typeof body !== 'object' || body === null) return findInText(body, '');
  let values = 0;
  const open: { readonly value: object; readonly path: string; readonly depth: number }[] = [
    { value: body, path: '', depth: 1 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > deepest) return { path: next.path, message: `is nested deeper than ${deepest} levels` };
    values += Array.isArray(next.value) ? next.value.length : Object.keys(next.value).length;
    if (values > maxValues) return { path: '', message: `contains more than ${maxValues} values` };
    for (const [key, value] of Object.entries(next.value)) {
      const path = `${next.path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      if (typeof value === 'object' && value !== null) open.push({ value, path, depth: next.depth + 1 });
      const finding = findInText(key, path) ?? findInText(value, path);
      if (finding !== undefined) return finding;
    }
  }
  return undefined;
}

function findInText(value: unknown, path: string): ProblemField | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.includes('\0')) return { path: path.toWellFormed(), message: 'contains NUL (U+0000); remove it' };
  if (!value.isWellFormed()) {
    return { path: path.toWellFormed(), message: 'contains half of a surrogate pair; send whole characters' };
  }
  return undefined;
}
