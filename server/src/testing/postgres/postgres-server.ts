import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-binaries.ts';

/** A separate PostgreSQL server for a test. */
export interface PostgresServer {
  readonly port: number;
  readonly dataDirectory: string;
  /** The process id of the postmaster while it runs. */
  readonly pid: number | undefined;
  url(database?: string): string;
  start(): Promise<void>;
  /** Simulates a crash: SIGKILL to all of its processes. */
  kill(): Promise<void>;
  /** Suspends all of its processes, as on a machine that swaps. */
  freeze(): void;
  thaw(): void;
  /** Stops cleanly without waiting for clients. */
  stop(): Promise<void>;
  /** Stops the server if it runs, and removes its data. */
  remove(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Server settings by name, such as `fsync`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** An existing data directory; absent: a new one is created. */
  readonly dataDirectory?: string;
  /** Where a new data directory is created; absent: in the folder for temporary files. */
  readonly parentDirectory?: string | undefined;
  readonly port?: number;
}

/** Settings that make tests fast but would lose data in a crash. */
export const quickSettings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

const user = 'muster';
const startTimeoutMilliseconds = 300_000;

/** Creates a cluster and starts it. Its collation deliberately differs from byte order. */
export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const binaries = findPostgresBinaries();
  const dataDirectory = options.dataDirectory ?? createCluster(binaries, options.parentDirectory);
  const port = options.port ?? (await findFreePort());
  const server = new Server(binaries, dataDirectory, port, options.settings ?? {});
  await server.start();
  return server;
}

class Server implements PostgresServer {
  readonly port: number;
  readonly dataDirectory: string;
  readonly #binaries: PostgresBinaries;
  readonly #settings: Readonly<Record<string, string>>;
  #process: ChildProcess | undefined;
  #output = '';

  constructor(
    binaries: PostgresBinaries,
    dataDirectory: string,
    port: number,
    settings: Readonly<Record<string, string>>,
  ) {
    this.#binaries = binaries;
    this.dataDirectory = dataDirectory;
    this.port = port;
    this.#settings = settings;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  url(database = 'postgres'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...this.#settings };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(
      this.#binaries.postgres,
      ['-D', this.dataDirectory, '-p', String(this.port), ...flags],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        ...this.#binaries.account,
      },
    );
    this.#process = child;
    this.#output = '';
    child.stderr?.on('data', (chunk) => {
      this.#output = `${this.#output}${String(chunk)}`.slice(-10_000);
    });
    await this.#waitUntilReady(child);
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined) return;
    const exited = exitOf(child);
    for (const pid of this.#pids()) signal(pid, 'SIGKILL');
    await exited;
    this.#process = undefined;
  }

  freeze(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGCONT');
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    const exited = exitOf(child);
    // "Fast": ends sessions, then shuts down.
    child.kill('SIGINT');
    await exited;
    this.#process = undefined;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.dataDirectory, { recursive: true, force: true });
  }

  #pids(): number[] {
    const pid = this.#process?.pid;
    return pid === undefined ? [] : [pid, ...childrenOf(pid)];
  }

  async #waitUntilReady(child: ChildProcess): Promise<void> {
    const deadline = Date.now() + startTimeoutMilliseconds;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended at its start:\n${this.#output}`);
      const client = new pg.Client({ connectionString: this.url(), connectionTimeoutMillis: 2_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.query('select 1');
        return;
      } catch (error) {
        if (Date.now() > deadline)
          throw new Error(`PostgreSQL did not start:\n${this.#output}`, { cause: error });
        await new Promise((resolve) => setTimeout(resolve, 50));
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }
}

/** Creates an empty cluster in a new directory, whose only user needs no password. */
export function createCluster(
  { initdb, account }: PostgresBinaries = findPostgresBinaries(),
  parentDirectory = tmpdir(),
): string {
  const dataDirectory = mkdtempSync(join(parentDirectory, 'muster-postgres-'));
  if (account !== undefined) chownSync(dataDirectory, account.uid, account.gid);
  const locale = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US', '--encoding=UTF8'];
  execFileSync(initdb, ['-D', dataDirectory, '-U', user, '--auth=trust', '--no-sync', ...locale], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...account,
  });
  return dataDirectory;
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}
