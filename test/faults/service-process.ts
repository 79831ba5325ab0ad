import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../../scripts/workspace.mjs';
import { musterCommand } from '../../server/src/testing/calls/muster-command.ts';

/** No limit on what a fault run reports. */
export const faultSettings = {
  MUSTER_MAX_OPEN_ERRORS_PER_AGENT: '0',
  MUSTER_NEW_ERRORS_PER_AGENT_PER_MINUTE: '0',
};

interface ServiceProcessOptions {
  /** Added to the default settings of fault runs. */
  readonly env: Readonly<Record<string, string>>;
  /** The command prefix, such as `strace -o file`; it must exec the command. */
  readonly wrapper?: readonly string[];
  /** The program for Node to run; absent: the built `muster`. */
  readonly command?: readonly string[];
}

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const readyTimeoutMilliseconds = 300_000;

/** `muster serve` in a separate process. */
export class ServiceProcess {
  readonly #process: ChildProcess;
  /** With the end of its output. */
  readonly ended: Promise<ProcessEnd>;
  #output = '';
  #hasEnded = false;

  constructor({ env, wrapper = [], command = musterCommand }: ServiceProcessOptions) {
    const [file = process.execPath, ...args] = [...wrapper, process.execPath, ...command, 'serve'];
    this.#process = spawn(file, args, {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        MUSTER_LOG_LEVEL: 'warn',
        ...faultSettings,
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

  /** Everything that it has printed and logged so far. */
  get output(): string {
    return this.#output;
  }

  /** Resolves when the service has printed or logged a text. It writes log lines after the answers that they describe. */
  async untilOutput(text: string): Promise<void> {
    while (!this.#output.includes(text)) {
      if (this.#hasEnded)
        throw new Error(`the service ended without "${text}" in its output:\n${this.#output}`);
      await pause(5);
    }
  }

  /** Returns its URL; undefined if it ended before it was ready. */
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
