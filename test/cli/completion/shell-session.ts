import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { maxWaitMilliseconds } from '../../../server/src/testing/max-wait.ts';

/** The reason why a shell cannot be tested on this machine; undefined if it can. */
export function whyNotTried(shell: string): string | undefined {
  if (spawnSync(shell, ['--version']).error !== undefined) return `${shell} is not installed`;
  const { error, stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
  if (error !== undefined || !stdout.includes('util-linux')) {
    return 'script of util-linux, which gives it a terminal, is not installed';
  }
  return undefined;
}

export interface SessionOptions {
  /** The command line that starts the terminal session. It writes `<ready>` when keys can be pressed. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
}

/** Moves the cursor back by one. */
export const left = '\u0002';
const [tab, all, show] = ['\t', '\u0014', '\u000e'];

/**
 * A shell in a terminal with simulated keys. Its startup file binds Ctrl-N to a function that prints the line between
 * `<<` and `>>` and clears it, and Ctrl-T to one that inserts every candidate at the cursor.
 */
export class ShellSession {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #ended = new AbortController();
  #screen = '';

  static async start({ command, env, workingDirectory }: SessionOptions): Promise<ShellSession> {
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: workingDirectory,
      env: { PATH: process.env.PATH ?? '', TERM: 'xterm', LC_ALL: 'C.UTF-8', ...env },
    });
    const session = new ShellSession(child);
    await session.#read(0, /<ready>()/);
    return session;
  }

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#process = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#screen += text;
    });
    child.on('close', () => this.#ended.abort());
  }

  /** The line after TAB was pressed at its end. */
  tab(line: string): Promise<string> {
    return this.#press(`${line}${tab}${show}`);
  }

  /** The line with every candidate inserted at its end. */
  all(line: string): Promise<string> {
    return this.#press(`${line}${all}${show}`);
  }

  /** Everything that was written to the terminal. */
  get screen(): string {
    return this.#screen;
  }

  async close(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }

  async #press(keys: string): Promise<string> {
    const from = this.#screen.length;
    this.#process.stdin.write(keys);
    return this.#read(from, /<<(.*?)>>/s);
  }

  async #read(from: number, pattern: RegExp): Promise<string> {
    const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(maxWaitMilliseconds)]);
    for (;;) {
      const [, found] = pattern.exec(this.#screen.slice(from)) ?? [];
      if (found !== undefined) return found;
      await once(this.#process.stdout, 'data', { signal }).catch((cause) => {
        throw new Error(`The shell has written only: ${JSON.stringify(this.#screen.slice(from))}`, { cause });
      });
    }
  }
}

/** The words that completion added to a line, sorted; without the flag that they are values of. */
export function wordsPutIn(typed: string, line: string): string[] {
  const start = typed.lastIndexOf(' ') + 1;
  const words = line.slice(start).match(/(?:\\.|[^\\ ])+/g) ?? [];
  const isValue = typed.slice(start).includes('=');
  return words
    .map((word) => word.replace(/\\(.)/g, '$1').replace(/\/$/, ''))
    .map((word) => (isValue ? word.replace(/^--[^=]*=/, '') : word.replace(/=$/, '')))
    .filter((word) => word !== typed.slice(start))
    .sort();
}
