import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBuilt } from '../../../scripts/build.mjs';
import { root } from '../../../scripts/workspace.mjs';

export interface MusterOptions {
  /** The whole environment, apart from PATH. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Absent: the root of the repository. */
  readonly cwd?: string;
  /** What Node runs instead of `muster`. */
  readonly program?: readonly string[];
  /** Flags of Node. */
  readonly nodeFlags?: readonly string[];
  /** A command before that of Node, such as `strace -o file`. It must replace itself by it. */
  readonly wrapper?: readonly string[];
  /** On its standard input. */
  readonly input?: string | Uint8Array;
  /** The input stays open until the test ends it. */
  readonly keepInputOpen?: boolean;
  /** A descriptor for both outputs, which are then not kept. */
  readonly outputs?: number;
}

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const built = join(root, 'cli/dist/muster.mjs');

/**
 * What Node runs as `muster`: the built command, because the one from source takes seconds of the processor to load.
 * If the build is stale, as after an edit before a single test is run, the source.
 */
const musterCommand: readonly string[] =
  existsSync(built) && isBuilt()
    ? [built]
    : ['--import', join(root, 'node_modules/tsx/dist/loader.mjs'), join(root, 'cli/src/muster.ts')];

const readyTimeoutMilliseconds = 300_000;
/** A log can be of any length. */
const maxKeptBytes = 32 * 2 ** 20;

/** The latest that a process has written to one of its outputs. */
class Output {
  #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length > maxKeptBytes) this.#length -= this.#chunks.shift()?.length ?? 0;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString();
  }
}

/** `muster` in a process of its own. */
export class MusterProcess {
  readonly child: ChildProcess;
  readonly stdout = new Output();
  readonly stderr = new Output();
  /** With the end of its output, which its exit may overtake. */
  readonly ended: Promise<ProcessEnd>;
  readonly #waiting = new Set<() => void>();
  #hasEnded = false;

  constructor(args: readonly string[], options: MusterOptions = {}) {
    const {
      env,
      cwd = root,
      program = musterCommand,
      nodeFlags = [],
      wrapper = [],
      outputs = 'pipe',
    } = options;
    const [file = '', ...rest] = [...wrapper, process.execPath, ...nodeFlags, ...program, ...args];
    const { PATH } = process.env;
    this.child = spawn(file, rest, { cwd, env: { PATH, ...env }, stdio: ['pipe', outputs, outputs] });
    // A process that refuses its input, or has ended, does not read the rest.
    this.child.stdin?.on('error', () => undefined);
    if (options.keepInputOpen !== true) this.child.stdin?.end(options.input);
    for (const name of ['stdout', 'stderr'] as const)
      this.child[name]?.on('data', (chunk: Buffer) => {
        this[name].add(chunk);
        this.#look();
      });
    this.ended = once(this.child, 'close').then(() => {
      this.#hasEnded = true;
      this.#look();
      return { code: this.child.exitCode, signal: this.child.signalCode };
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Of both. */
  get output(): string {
    return this.stdout.text + this.stderr.text;
  }

  /** The address that it has printed. @throws Error before that */
  get url(): string {
    const url = this.#findUrl();
    if (url === undefined) throw new Error(`the service is not ready:\n${this.output}`);
    return url;
  }

  /** Resolves when a service has printed or logged a text. It writes log lines after the answers that they describe. */
  async untilOutput(text: string): Promise<void> {
    const isThere = await this.#until(() => this.output.includes(text) || undefined);
    if (isThere === undefined) throw new Error(`it ended without "${text}" in its output:\n${this.output}`);
  }

  /** Resolves with the address of a service when it is ready; undefined if it ended before. */
  async untilReady(): Promise<string | undefined> {
    const timer = setTimeout(() => this.child.kill('SIGKILL'), readyTimeoutMilliseconds);
    const url = await this.#until(() => this.#findUrl());
    clearTimeout(timer);
    return url;
  }

  /** The same. @throws Error if it ended */
  async ready(): Promise<string> {
    await this.untilReady();
    return this.url;
  }

  /** As a supervisor does, unless another signal is given. */
  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<ProcessEnd> {
    this.child.kill(signal);
    return this.ended;
  }

  #findUrl(): string | undefined {
    return /ready at (http\S+)/.exec(this.stdout.text)?.[1];
  }

  /** Resolves with what is found, as soon as it is; undefined if the process ended without. */
  #until<Found>(find: () => Found | undefined): Promise<Found | undefined> {
    return new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found === undefined && !this.#hasEnded) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  #look(): void {
    for (const look of this.#waiting) look();
  }
}

/** Runs `muster` with these arguments to its end. */
export async function runMusterProcess(
  args: readonly string[],
  options?: MusterOptions,
): Promise<ProcessEnd & { readonly stdout: string; readonly stderr: string }> {
  const muster = new MusterProcess(args, options);
  return { ...(await muster.ended), stdout: muster.stdout.text, stderr: muster.stderr.text };
}

/** Starts `muster serve` on a free port. Unless `env` has a data directory, it gets one that goes with it. */
export function serveMuster({ env = {}, ...options }: MusterOptions = {}): MusterProcess {
  if (env.MUSTER_DATA_DIR !== undefined)
    return new MusterProcess(['serve'], { ...options, env: { PORT: '0', ...env } });
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-service-'));
  const service = serveMuster({ ...options, env: { ...env, MUSTER_DATA_DIR: dataDirectory } });
  const remove = () => rmSync(dataDirectory, { recursive: true, force: true });
  service.ended.then(remove, remove);
  return service;
}

/** The same, when it is ready. */
export async function startMuster(options?: MusterOptions): Promise<MusterProcess> {
  const service = serveMuster(options);
  await service.ready();
  return service;
}
