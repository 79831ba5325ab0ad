import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const muster = new URL('../../cli/dist/muster.mjs', import.meta.url).pathname;

/** `muster serve` in a separate process. */
export interface Replica {
  readonly url: string;
  readonly process: ChildProcess;
  /** Its stdout so far. */
  output(): string;
  /** Its log so far. */
  log(): string;
  /** Stops it as a supervisor does; returns its exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

const readyTimeoutMilliseconds = 300_000;

/** Starts a replica on a free port and waits until it is ready. */
export async function startReplica(env: Readonly<Record<string, string>>): Promise<Replica> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-replica-'));
  const child = spawn(process.execPath, [muster, 'serve'], {
    env: { PATH: process.env.PATH, PORT: '0', MUSTER_DATA_DIR: dataDirectory, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let log = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    log = `${log}${String(chunk)}`.slice(-1_000_000);
  });
  // With the end of its output, which its exit may overtake.
  const exited = once(child, 'close').then(() => {
    rmSync(dataDirectory, { recursive: true, force: true });
    return child.exitCode;
  });
  const url = await waitForUrl(
    child,
    () => output,
    () => log,
  );
  return {
    url,
    process: child,
    output: () => output,
    log: () => log,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function waitForUrl(child: ChildProcess, output: () => string, log: () => string): Promise<string> {
  const deadline = Date.now() + readyTimeoutMilliseconds;
  while (Date.now() < deadline) {
    const url = /ready at (http\S+)/.exec(output())?.[1];
    if (url !== undefined) return url;
    if (child.exitCode !== null || child.signalCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`the replica did not become ready:\n${output()}\n${log()}`);
}

/** Sends JSON and returns status, headers and the parsed body. */
export async function send<Body = unknown>(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<{ status: number; headers: Headers; body: Body }> {
  const response = await fetch(url, {
    method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? undefined : JSON.parse(text)) as Body, // the test says what it expects
  };
}
