import { existsSync } from 'node:fs';

/** What a thread runs. In a build, a file beside this one. From source, the built file too, because a thread cannot load TypeScript. */
export function workerFile(name: string): URL {
  const beside = new URL(`./${name}.mjs`, import.meta.url);
  return existsSync(beside) ? beside : new URL(`../../dist/${name}.mjs`, import.meta.url);
}
