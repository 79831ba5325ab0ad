import { homedir } from 'node:os';
import type { Terminal } from './terminal.ts';

/** The terminal of this process. Leaves the process as it is until something of it is used. */
export function processTerminal(): Terminal {
  let isWatched = false;
  let isOutputClosed = false;
  const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    isOutputClosed = true;
  };
  /** Writes to a pipe that nobody reads are dropped: what changes something is still done to its end. */
  const watchPipes = (): void => {
    if (isWatched) return;
    isWatched = true;
    process.stdout.on('error', ignoreClosedPipe);
    process.stderr.on('error', ignoreClosedPipe);
  };
  return {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      watchPipes();
      return process.stdout;
    },
    get stderr() {
      watchPipes();
      return process.stderr;
    },
    env: process.env,
    workingDirectory: process.cwd(),
    homeDirectory: homedir(),
    now: Date.now,
    isOutputClosed: () => isOutputClosed,
    onInterrupt() {
      const controller = new AbortController();
      const abort = (): void => controller.abort();
      process.once('SIGINT', abort).once('SIGTERM', abort);
      return controller.signal;
    },
  };
}
