import { constants } from 'node:os';

/** How an agent ended. */
export type AgentEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals };

/** Signals that leave a core file. The agent has left one; this process must not leave another. */
const dumpsCore: ReadonlySet<NodeJS.Signals> = new Set([
  ...(['SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const),
  ...(['SIGXCPU', 'SIGXFSZ', 'SIGSYS'] as const),
]);

/**
 * Ends this process as the agent ended: with its exit code or by its signal. When the signal would leave a core file, or
 * cannot end this process (the first one of a container), the exit code is 128 and the number of the signal, as in
 * shells.
 */
export function endAs(end: AgentEnd): void {
  if (end.kind === 'exit') process.exit(end.code);
  const { signal } = end;
  const code = 128 + constants.signals[signal];
  if (dumpsCore.has(signal)) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Runs only if the signal, which arrives a moment later, does not end this process.
  setTimeout(() => process.exit(code), 50);
}

/**
 * The same while a write waits for its reader. An exit of Node waits for that too, so only a signal ends this process: that
 * of the agent, otherwise SIGTERM.
 */
export function endStalled(end: AgentEnd): void {
  const isEnough = end.kind === 'signal' && !dumpsCore.has(end.signal);
  endAs(isEnough ? end : { kind: 'signal', signal: 'SIGTERM' });
}
