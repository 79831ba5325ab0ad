import type { Dirent } from 'node:fs';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { CredentialScan, type Finding } from './credential-scan.ts';

/** Something that was read, and the credentials in it; or why it could not be read. */
export type Scanned =
  | { readonly file: string; readonly findings: readonly Finding[] }
  | { readonly file: string; readonly failure: string };

interface ScanOptions {
  readonly stdin: Readable;
  readonly workingDirectory: string;
  /** Absolute paths of files and directories that are left out. */
  readonly excluded: ReadonlySet<string>;
}

const chunkBytes = 256 * 1024;

/**
 * Scans files, directories with everything in them, and `-` for standard input. Symbolic links in directories are not followed, so that no loop
 * is possible. Yields what has findings, and what cannot be read.
 */
export async function* scanPaths(
  paths: readonly string[],
  options: ScanOptions,
): AsyncGenerator<Scanned, void, undefined> {
  for (const path of paths) {
    if (path === '-') yield* scanStream('-', options.stdin);
    else yield* scanNamed(path, options);
  }
}

/** A path of the command line: it may be a link, a device or a pipe. */
async function* scanNamed(path: string, options: ScanOptions): AsyncGenerator<Scanned, void, undefined> {
  const absolute = resolve(options.workingDirectory, path);
  if (options.excluded.has(absolute)) return;
  let isDirectory: boolean;
  try {
    isDirectory = (await stat(absolute)).isDirectory();
  } catch (error) {
    yield { file: path, failure: reasonOf(error) };
    return;
  }
  yield* isDirectory ? scanDirectory(path, options) : scanFile(path, absolute);
}

async function* scanDirectory(path: string, options: ScanOptions): AsyncGenerator<Scanned, void, undefined> {
  let entries: Dirent[];
  try {
    entries = await readdir(resolve(options.workingDirectory, path), { withFileTypes: true });
  } catch (error) {
    yield { file: path, failure: reasonOf(error) };
    return;
  }
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const inner = join(path, entry.name);
    const absolute = resolve(options.workingDirectory, inner);
    if (options.excluded.has(absolute)) continue;
    if (entry.isDirectory()) yield* scanDirectory(inner, options);
    else if (entry.isFile()) yield* scanFile(inner, absolute);
  }
}

async function* scanFile(path: string, absolute: string): AsyncGenerator<Scanned, void, undefined> {
  yield* scanStream(path, createReadStream(absolute, { highWaterMark: chunkBytes }));
}

async function* scanStream(file: string, stream: Readable): AsyncGenerator<Scanned, void, undefined> {
  const scan = new CredentialScan();
  try {
    for await (const chunk of stream) {
      const findings = scan.read(Buffer.from(chunk as Uint8Array | string)); // a stream without object mode
      if (findings.length > 0) yield { file, findings };
    }
  } catch (error) {
    yield { file, failure: reasonOf(error) };
  }
}

/** The reason without the path, which may be absolute. */
function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ENOENT') return 'it does not exist';
  return code ?? String(error);
}
