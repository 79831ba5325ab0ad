import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isBuilt } from '../../scripts/build.mjs';

interface ServiceProcessOptions {
  /** Added to settings under which a fault run needs nothing more. */
  readonly env: Readonly<Record<string, string>>;
  /** What the command is started with, such as `strace -o file`; it has to become the command. */
  readonly wrapper?: readonly string[];
  /** What Node runs; absent: `muster` as it is built. */
  readonly command?: readonly string[];
}

/** How a process has ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const readyTimeoutMilliseconds = 90_000;

/** `muster serve` in a process of its own. */
export class ServiceProcess {
  readonly #process: ChildProcess;
  /** With the last of its output. */
  readonly ended: Promise<ProcessEnd>;
  #output = '';
  #hasEnded = false;

  constructor({ env, wrapper = [], command = musterCommand() }: ServiceProcessOptions) {
    const [file = process.execPath, ...args] = [...wrapper, process.execPath, ...command, 'serve'];
    this.#process = spawn(file, args, {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        MUSTER_LOG_LEVEL: 'warn',
        MUSTER_MAX_OPEN_ERRORS_PER_AGENT: '0',
        MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE: '0',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const keep = (chunk: unknown) => {
      this.#output = `${this.#output}${String(chunk)}`.slice(-100_000);
    };
    this.#process.stdout?.on('data', keep);
    this.#process.stderr?.on('data', keep);
    this.ended = once(this.#process, 'close').then(() => {
      this.#hasEnded = true;
      return { code: this.#process.exitCode, signal: this.#process.signalCode };
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** What it has printed and logged so far. */
  get output(): string {
    return this.#output;
  }

  /** Answers its URL; undefined when it has ended before it was ready. */
  async url(): Promise<string | undefined> {
    const deadline = Date.now() + readyTimeoutMilliseconds;
    while (Date.now() < deadline && !this.#hasEnded) {
      const url = /ready at (http\S+)/.exec(this.#output)?.[1];
      if (url !== undefined) return url;
      await pause(5);
    }
    if (!this.#hasEnded) throw await this.#notReady();
    return undefined;
  }

  /** @returns its URL */
  async ready(): Promise<string> {
    const url = await this.url();
    if (url === undefined) throw await this.#notReady();
    return url;
  }

  async end(signal: NodeJS.Signals): Promise<ProcessEnd> {
    this.#process.kill(signal);
    return this.ended;
  }

  async #notReady(): Promise<Error> {
    await this.end('SIGKILL');
    return new Error(`the service did not become ready:\n${this.#output}`);
  }
}

/** What Node runs as `muster`: what is built, or the source where the build is stale. */
function musterCommand(): string[] {
  const built = join(root, 'cli/dist/muster.mjs');
  return existsSync(built) && isBuilt() ? [built] : ['--import', 'tsx', join(root, 'cli/src/muster.ts')];
}
