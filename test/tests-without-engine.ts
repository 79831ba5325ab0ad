import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The variables that tell a test which engine it runs on. */
const readsEngine = /\bMUSTER_TEST_(?:ENGINE|DATABASE_URL|POSTGRES_TEMPLATE|SQLITE_TEMPLATE)\b/;

/** Of code in this repository, static or dynamic. */
const importPattern = /\b(?:from|import\(?)\s*'(\.[^']+\.ts)'/g;

/**
 * The test files below a folder that cannot know the engine, because neither they nor anything that they import reads it.
 * They would do the same on both, so they run once.
 */
export function testsWithoutEngine(folder: string): string[] {
  const sources = new Map<string, { readonly knows: boolean; readonly imports: readonly string[] }>();

  function read(file: string) {
    const text = readFileSync(file, 'utf8');
    const imports = [...text.matchAll(importPattern)].map(([, to = '']) => join(dirname(file), to));
    return { knows: readsEngine.test(text), imports: imports.filter((path) => existsSync(path)) };
  }

  function knowsEngine(test: string): boolean {
    const seen = new Set([test]);
    for (const file of seen) {
      const source = sources.get(file) ?? read(file);
      sources.set(file, source);
      if (source.knows) return true;
      for (const imported of source.imports) seen.add(imported);
    }
    return false;
  }

  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file))
    .filter((file) => !knowsEngine(file))
    .sort();
}
