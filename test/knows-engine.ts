import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The variables that tell a test which engine it runs on. */
const readsEngine = /\bMUSTER_TEST_(?:ENGINE|SUPPLIES)\b/;

/** Of code in this repository, static or dynamic. */
const importPattern = /\b(?:from|import\(?)\s*'(\.[^']+\.ts)'/g;

const sources = new Map<string, { readonly knows: boolean; readonly imports: readonly string[] }>();

/** False if neither a test file nor anything that it imports reads the engine: it would do the same on both. */
export function knowsEngine(test: string): boolean {
  const seen = new Set([test]);
  for (const file of seen) {
    const source = sources.get(file) ?? read(file);
    sources.set(file, source);
    if (source.knows) return true;
    for (const imported of source.imports) seen.add(imported);
  }
  return false;
}

function read(file: string) {
  const text = readFileSync(file, 'utf8');
  const imports = [...text.matchAll(importPattern)].map(([, to = '']) => join(dirname(file), to));
  return { knows: readsEngine.test(text), imports: imports.filter((path) => existsSync(path)) };
}
