import { readFileSync } from 'node:fs';
import { isatty } from 'node:tty';

/** A terminal sends these to every process in its foreground. If they were forwarded, the agent would get them twice. */
const sentByTerminal: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGCONT', 'SIGWINCH'];
const sentByOthers: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'];

export interface SignalOptions {
  /** Called with each signal to send to the agent. */
  readonly forward: (signal: NodeJS.Signals) => void;
}

/** Handles the signals that are sent to this process. Returns a function that stops this. */
export function takeSignals({ forward }: SignalOptions): () => void {
  const handlers = [...sentByTerminal, ...sentByOthers].map((signal) => {
    const handler = () => {
      if (!sentByTerminal.includes(signal) || !isInForegroundOfTerminal()) forward(signal);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  return () => {
    for (const { signal, handler } of handlers) process.off(signal, handler);
  };
}

/** Compares fields 5 and 8 of /proc/self/stat: the group of this process, and the foreground group of its terminal. */
function isInForegroundOfTerminal(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[2] === fields[5];
  } catch {
    return isatty(0);
  }
}
