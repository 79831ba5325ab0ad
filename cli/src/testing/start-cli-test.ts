import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import {
  startTestApp,
  type TestApp,
  type TestAppOptions,
} from '../../../server/src/testing/start-test-app.ts';
import { runMuster } from '../run-muster.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Options of one run. Default: no terminal and an empty environment. */
export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The content of standard input. */
  readonly stdin?: string;
  /** Makes standard output and error a terminal with this many columns. */
  readonly columns?: number;
  /** Called with each text on stdout, as it is written. */
  readonly onOutput?: (text: string) => void;
  readonly onNote?: (text: string) => void;
  readonly signal?: AbortSignal;
  /** Default: the program with every command. */
  readonly program?: typeof runMuster;
  /** Default: no interval ends, however long a busy machine takes for an answer. */
  readonly every?: Terminal['every'];
  /** Default: the program is installed. */
  readonly ownCommand?: string;
  /** Answers at the terminal: each is typed when the question on it matches. Needs `columns`. */
  readonly answer?: {
    readonly to: RegExp;
    readonly keys: string;
    /** What happens while the question waits. */
    readonly meanwhile?: () => Promise<unknown>;
  };
}

export interface RunResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real service on a port, and a temporary home directory for a user of the command. */
export interface CliTest {
  readonly app: TestApp;
  readonly url: string;
  /** The environment of an administrator's script. */
  readonly admin: Readonly<Record<string, string>>;
  readonly home: string;
  /** Runs the command in this process. */
  run(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Runs the command with the administrator's token in the environment. */
  runAsAdmin(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  close(): Promise<void>;
}

/** @param config settings of the service that differ from the defaults */
export async function startCliTest(config: TestAppOptions['config'] = {}): Promise<CliTest> {
  const app = await startTestApp({
    config,
    logLevel: 'info',
    groupIntervalMilliseconds: 5,
    eventPollMilliseconds: 5,
  });
  const url = await app.app.http.listen({ host: '127.0.0.1', port: 0 });
  const home = mkdtempSync(join(tmpdir(), 'muster-home-'));
  const admin = { MUSTER_URL: url, MUSTER_TOKEN: app.admin };
  const run: CliTest['run'] = (args, options = {}) =>
    runIn(home, args, { ...options, env: { ...options.env } }, app.clock.now);
  return {
    app,
    url,
    admin,
    home,
    run,
    runAsAdmin: (args, options = {}) => run(args, { ...options, env: { ...admin, ...options.env } }),
    async close() {
      await app.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Runs the command in this process; its home directory is also its working directory. */
export async function runIn(
  home: string,
  args: readonly string[],
  options: RunOptions,
  now: () => number = Date.now,
): Promise<RunResult> {
  const {
    columns,
    env = {},
    stdin = '',
    onOutput,
    onNote,
    signal,
    answer,
    program = runMuster,
    every = () => () => undefined,
    ownCommand = 'muster',
  } = options;
  let stdout = '';
  let stderr = '';
  const isTTY = columns !== undefined;
  const keyboard = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  let hasAnswered = false;
  const screen = new Writable({
    write(chunk, _encoding, done) {
      stderr += String(chunk);
      onNote?.(String(chunk));
      if (answer !== undefined && !hasAnswered && answer.to.test(stderr)) {
        hasAnswered = true;
        // The question appears on the screen a moment before its answer is awaited.
        setImmediate(async () => {
          await answer.meanwhile?.();
          keyboard.write(answer.keys);
        });
      }
      done();
    },
  });
  const terminal: Terminal = {
    stdin: answer === undefined ? Readable.from(stdin === '' ? [] : [stdin]) : keyboard,
    stdout: {
      isTTY,
      columns,
      write(text) {
        stdout += text;
        onOutput?.(text);
      },
    },
    stderr: Object.assign(screen, { isTTY, columns, rows: 24 }),
    env,
    workingDirectory: home,
    homeDirectory: home,
    ownCommand: () => ownCommand,
    now,
    every,
    isOutputClosed: () => false,
    onInterrupt: () => signal ?? new AbortController().signal,
  };
  const exitCode = await program(args, terminal);
  return { exitCode, stdout, stderr };
}
