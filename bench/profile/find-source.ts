import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Maps a position in the built product to its source; other positions stay as they are. */
export function createPositionFinder(): (url: string, line: number, column: number) => string {
  const maps = new Map<string, SourceMap | undefined>();
  return (url, line, column) => {
    if (!url.startsWith('file:')) return `${shorten(url)}:${line + 1}`;
    const file = fileURLToPath(url);
    if (!maps.has(file)) maps.set(file, readMap(file));
    const entry = maps.get(file)?.findEntry(line, column);
    if (entry === undefined || !('originalSource' in entry)) return `${shorten(file)}:${line + 1}`;
    const source = resolve(dirname(file), entry.originalSource.replace('file://', ''));
    return `${shorten(source)}:${entry.originalLine + 1}`;
  };
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}

function shorten(path: string): string {
  return path.startsWith(root) ? relative(root, path) : path;
}
