import { homedir } from 'node:os';
import { findOwnCommand } from '../own-command.ts';
import type { Terminal } from './terminal.ts';

/** The terminal of this process. Changes nothing in the process until it is used. */
export function processTerminal(): Terminal {
  let isWatched = false;
  let isOutputClosed = false;
  const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    isOutputClosed = true;
  };
  /** Writes to a closed pipe are ignored, so that a command that changes something still completes. */
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
    // npm runs scripts in the folder of the package, and names that of the person.
    ownCommand: () =>
      findOwnCommand({ path: process.env.PATH, folder: process.env.INIT_CWD || process.cwd() }),
    now: Date.now,
    every(milliseconds, work) {
      const timer = setInterval(work, milliseconds);
      return () => clearInterval(timer);
    },
    isOutputClosed: () => isOutputClosed,
    onInterrupt() {
      const controller = new AbortController();
      const abort = (): void => controller.abort();
      process.once('SIGINT', abort).once('SIGTERM', abort);
      return controller.signal;
    },
  };
}
