import { mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { runMuster } from '../../cli/src/run-muster.ts';
import { root } from '../../scripts/workspace.mjs';

/**
 * What shells find as `muster`. Whoever knows the number of its process can read its arguments, its variables and its working directory (proc(5)). It sends its input
 * when it is asked for, because the input of a shell is its next commands. Commands that open a database, run a program or wait for a signal get a process as always.
 */
const programOf = (port: number) => `#!/usr/bin/env bash
case "\${1-} \${2-}" in
  "serve "*|"migrate "*|"copy "*|"backup "*|"restore "*|"doctor "*|"admin "*|"report "*|"core-instance start") exec '${process.execPath}' '${join(root, 'cli/bin/muster.mjs')}' "$@" ;;
esac
exec 3<>/dev/tcp/127.0.0.1/${port}
echo $$ >&3
while IFS= read -rd '' code <&3 && [ "$code" = input ]; do
  base64 --wrap=0 >&3
  echo >&3
done
IFS= read -rd '' out <&3 && IFS= read -rd '' err <&3 || exit 70
printf %s "$out"
printf %s "$err" >&2
exit "$code"
`;

/** The command `muster` of many shells in one process: this one. A process of its own takes a quarter of a second of the processor to load it, each time. */
export class ResidentMuster {
  /** Belongs into the PATH of a shell. */
  readonly folder: string;
  readonly #server: Server;
  readonly #before = process.cwd();

  private constructor(folder: string, server: Server) {
    this.folder = folder;
    this.#server = server;
  }

  /** @param folder gets the program */
  static async start(folder: string): Promise<ResidentMuster> {
    const server = createServer(
      (socket) => void answer(socket).catch((error: unknown) => socket.end(`70\0\0${error}\n\0`)),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'muster'), programOf(port), { mode: 0o755 });
    return new ResidentMuster(folder, server);
  }

  close(): void {
    this.#server.close();
    process.chdir(this.#before);
  }
}

async function answer(socket: Socket): Promise<void> {
  socket.on('error', () => undefined);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const { value: pid } = await lines.next();
  const printed = { stdout: '', stderr: '' };
  const output = (name: keyof typeof printed) => ({
    write(text: string) {
      printed[name] += text;
    },
  });
  async function* readInput(): AsyncGenerator<Uint8Array> {
    socket.write('input\0');
    yield Buffer.from((await lines.next()).value ?? '', 'base64');
  }
  const [, , ...args] = listOf(`/proc/${pid}/cmdline`);
  const env = Object.fromEntries(listOf(`/proc/${pid}/environ`).map((line) => line.split(/=(.*)/s, 2)));
  const workingDirectory = readlinkSync(`/proc/${pid}/cwd`);
  // Names of files are relative to it. Commands that run at once are parts of a line, and have the same.
  process.chdir(workingDirectory);
  const code = await runMuster(args, {
    stdin: Readable.from(readInput()),
    stdout: output('stdout'),
    stderr: output('stderr'),
    env,
    workingDirectory,
    homeDirectory: env.HOME ?? '/',
    ownCommand: () => 'muster',
    now: Date.now,
    every(milliseconds, work) {
      const timer = setInterval(work, milliseconds);
      return () => clearInterval(timer);
    },
    isOutputClosed: () => false,
    onInterrupt: () => new AbortController().signal,
  });
  socket.end([code, printed.stdout, printed.stderr, ''].join('\0'));
}

/** The texts of a file that ends each with a zero. */
function listOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\0').slice(0, -1);
}
