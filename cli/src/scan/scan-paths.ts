import { createReadStream, type Dirent, type Stats } from 'node:fs';
import { readdir, stat, statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { countOf } from '@muster/contract';
import { CredentialScan, type Finding } from './credential-scan.ts';

/** Something that was read, and the credentials in it; or why it could not be read; or what was left out of a directory. */
export type Scanned =
  | { readonly file: string; readonly findings: readonly Finding[] }
  | { readonly file: string; readonly failure: string }
  | { readonly file: string; readonly leftOut: string };

interface ScanOptions {
  readonly stdin: Readable;
  readonly workingDirectory: string;
  /** Absolute paths of files and directories that are left out. */
  readonly excluded: ReadonlySet<string>;
}

const chunkBytes = 256 * 1024;

/**
 * Scans files, directories with everything in them, and `-` for standard input. Symbolic links in directories are not followed, so that no loop
 * is possible. Devices, sockets and named pipes are not opened, because reading one may never end. Yields what has findings, what cannot be read, and
 * what is left out.
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

/** A path of the command line: it may be a link. */
async function* scanNamed(path: string, options: ScanOptions): AsyncGenerator<Scanned, void, undefined> {
  const absolute = resolve(options.workingDirectory, path);
  if (options.excluded.has(absolute)) return;
  let stats: Stats;
  try {
    stats = await stat(absolute);
  } catch (error) {
    yield { file: path, failure: reasonOf(error) };
    return;
  }
  if (stats.isDirectory()) {
    yield* scanDirectory(path, options);
  } else if (stats.isFile() || (stats.isFIFO() && openPipe.test(absolute))) {
    yield* scanFile(path, absolute);
  } else {
    const failure = `it is a ${kindOf(stats)}, which may have no end. To scan what it sends, pass that to standard input: 'muster token scan -'`;
    yield { file: path, failure };
  }
}

/** The pipe of `muster token scan <(command)`. It has a writer, and ends with it. */
const openPipe = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

async function* scanDirectory(path: string, options: ScanOptions): AsyncGenerator<Scanned, void, undefined> {
  let entries: Dirent[];
  try {
    const directory = resolve(options.workingDirectory, path);
    if (kernelFileSystems.has((await statfs(directory)).type)) {
      yield {
        file: path,
        leftOut: 'left out, because its files are made by the kernel, and some have no end',
      };
      return;
    }
    entries = await readdir(directory, { withFileTypes: true });
  } catch (error) {
    yield { file: path, failure: reasonOf(error) };
    return;
  }
  const special: Dirent[] = [];
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const inner = join(path, entry.name);
    const absolute = resolve(options.workingDirectory, inner);
    if (options.excluded.has(absolute)) continue;
    if (entry.isDirectory()) yield* scanDirectory(inner, options);
    else if (entry.isFile()) yield* scanFile(inner, absolute);
    else if (!entry.isSymbolicLink()) special.push(entry);
  }
  if (special.length > 0) yield { file: path, leftOut: `left out ${countKinds(special)}` };
}

/** proc and sysfs (linux/magic.h) */
const kernelFileSystems: ReadonlySet<number> = new Set([0x9fa0, 0x62656572]);

type Kind = 'device' | 'named pipe' | 'socket';

function kindOf(file: Dirent | Stats): Kind {
  if (file.isFIFO()) return 'named pipe';
  return file.isSocket() ? 'socket' : 'device';
}

/** `2 devices, 1 socket` */
function countKinds(files: readonly Dirent[]): string {
  const kinds = files.map(kindOf);
  return [...new Set(kinds)]
    .sort()
    .map((kind) => countOf(kinds.filter((one) => one === kind).length, kind))
    .join(', ');
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
