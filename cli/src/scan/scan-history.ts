import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { CredentialScan } from './credential-scan.ts';
import type { Scanned } from './scan-paths.ts';

/** An object of a repository: a version of a file, or the text of a commit or of a tag. */
interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  /** The path of a version of a file; otherwise empty. */
  readonly path: string;
}

type Git = ChildProcessByStdio<Writable, Readable, Readable>;

const lineBreak = 0x0a;
/** `tree 1234 a path`: an id has 40 or 64 digits, and a path at most 4,096 bytes. */
const maxHeaderBytes = 16 * 1024;

/**
 * Scans every version of every file, and the texts of commits and tags, of the repository in a directory: all branches, tags, stashes and what the
 * reflog still has. Each version is read once, however many commits contain it.
 */
export async function* scanHistory(directory: string): AsyncGenerator<Scanned, void, undefined> {
  const list = spawnGit(directory, ['rev-list', '--objects', '--all', '--reflog'], undefined);
  const format = '--batch=%(objectname) %(objecttype) %(objectsize) %(rest)';
  const read = spawnGit(directory, ['cat-file', '--buffer', format], list.stdout);
  const ends = [endOf(list), endOf(read)];
  try {
    yield* scanObjects(read.stdout);
    const faults = (await Promise.all(ends)).flatMap((fault) => fault ?? []);
    if (faults[0] !== undefined) yield { file: directory, failure: faults[0] };
  } catch (error) {
    yield { file: directory, failure: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const one of [list, read]) one.kill();
  }
}

function spawnGit(directory: string, args: readonly string[], input: Readable | undefined): Git {
  const child = spawn('git', ['-C', directory, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // A repository that was copied here may name a command with which git would fetch what is missing.
    env: { ...process.env, GIT_NO_LAZY_FETCH: '1' },
  });
  // Its end is told by the output and the exit code.
  child.stdin.on('error', () => undefined);
  if (input === undefined) child.stdin.end();
  else input.pipe(child.stdin);
  return child;
}

/** Why the program failed; undefined if it did not. */
function endOf(child: Git): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (said.length < maxHeaderBytes) said += chunk.toString();
    });
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? 'git is not installed' : error.message),
    );
    child.once('close', (code) => {
      const [line = ''] = said.trim().split('\n', 1);
      resolve(code === 0 ? undefined : line === '' ? `git ended with ${code}` : line);
    });
  });
}

/** Reads `ID TYPE SIZE PATH`, a line break, the content and a line break, for each object. */
async function* scanObjects(output: Readable): AsyncGenerator<Scanned, void, undefined> {
  let header: Buffer = Buffer.alloc(0);
  let object: (GitObject & { readonly scan: CredentialScan | undefined }) | undefined;
  let left = 0;
  for await (const piece of output) {
    let chunk = piece as Buffer; // a pipe without an encoding
    while (chunk.length > 0) {
      if (object === undefined) {
        const end = chunk.indexOf(lineBreak);
        header = Buffer.concat([header, end === -1 ? chunk : chunk.subarray(0, end)]);
        if (header.length > maxHeaderBytes) throw new Error('git printed something unexpected');
        if (end === -1) break;
        chunk = chunk.subarray(end + 1);
        const begun = readHeader(header.toString());
        header = Buffer.alloc(0);
        if (begun === undefined) continue;
        object = { ...begun, scan: begun.type === 'tree' ? undefined : new CredentialScan() };
        left = begun.size + 1;
        continue;
      }
      const part = chunk.subarray(0, left);
      const findings = object.scan?.read(part) ?? [];
      if (findings.length > 0) yield { file: nameOf(object), findings };
      chunk = chunk.subarray(part.length);
      left -= part.length;
      if (left === 0) object = undefined;
    }
  }
}

/** Undefined for an object that this clone does not have. */
function readHeader(line: string): GitObject | undefined {
  const [, id = '', type = '', size = '', path = ''] =
    /^([0-9a-f]+) (blob|tree|commit|tag) (\d+) ?(.*)$/s.exec(line) ?? [];
  return id === '' ? undefined : { id, type, size: Number(size), path };
}

/** The name by which git knows it: `git show` and `git log --find-object` take the id. */
function nameOf({ id, type, path }: GitObject): string {
  return type === 'blob' ? `${id.slice(0, 12)}:${path}` : `${type} ${id.slice(0, 12)}`;
}
