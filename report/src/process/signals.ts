import { readFileSync } from 'node:fs';

/** What a terminal sends to every process of its foreground: forwarded, the agent would get it twice. */
const sentByTerminal: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGCONT', 'SIGWINCH'];
const sentByOthers: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGALRM'];

export interface SignalOptions {
  /** Called with each signal that is to reach the agent. */
  readonly forward: (signal: NodeJS.Signals) => void;
}

/** Takes the signals that are sent to this process; answers how to stop that. */
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

/** Fields 5 and 8 of /proc/self/stat: the group of this process, and the one that the terminal sends to. */
function isInForegroundOfTerminal(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[2] === fields[5];
  } catch {
    return process.stdin.isTTY === true;
  }
}
