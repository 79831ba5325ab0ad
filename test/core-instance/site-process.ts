import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const muster = fileURLToPath(new URL('../../cli/dist/muster.mjs', import.meta.url));

interface SiteProcessOptions {
  readonly url: string;
  readonly stateDirectory: string;
  readonly token: string;
  readonly args?: readonly string[];
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The built `muster core-instance start` in a process of its own. */
export class SiteProcess {
  readonly logs: string[] = [];
  readonly #child: ChildProcess;
  readonly #port: Promise<number>;
  readonly #ended: Promise<unknown>;

  constructor({ url, stateDirectory, token, args = [], nodeFlags = [], env = {} }: SiteProcessOptions) {
    const all = ['core-instance', 'start', '--url', url, '--state-directory', stateDirectory];
    this.#child = spawn(
      process.execPath,
      [...nodeFlags, muster, ...all, '--listen', '127.0.0.1:0', '--name', 'plant-7', ...args],
      {
        env: { PATH: process.env.PATH ?? '', MUSTER_TOKEN: token, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#ended = once(this.#child, 'close');
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('its outputs are pipes');
    createInterface(stderr).on('line', (line) => this.logs.push(line));
    this.#port = new Promise((resolve, reject) => {
      createInterface(stdout).on('line', (line) => {
        this.logs.push(line);
        const port = /Agents are served at \w+:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
        if (port !== undefined) resolve(Number(port));
      });
      void this.#ended.then(() => reject(new Error(this.logs.join('\n'))));
    });
    this.#port.catch(() => undefined);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when agents are served. */
  async url(): Promise<string> {
    return `http://127.0.0.1:${await this.#port}`;
  }

  /** Resolves with its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.exit();
  }

  async exit(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }
}
