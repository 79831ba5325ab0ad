import { constants } from 'node:os';

/** How an agent has ended. */
export type AgentEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals };

/** Signals that leave a core file: one of the agent is enough. */
const dumpsCore: ReadonlySet<NodeJS.Signals> = new Set([
  ...(['SIGQUIT', 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const),
  ...(['SIGXCPU', 'SIGXFSZ', 'SIGSYS'] as const),
]);

/**
 * Ends this process as the agent has ended: with its exit code or by its signal; with 128 and the number of the
 * signal, as shells do, where the signal would leave a core file or cannot end this process (as the first one of a
 * container).
 */
export function endAs(end: AgentEnd): void {
  if (end.kind === 'exit') process.exit(end.code);
  const { signal } = end;
  const code = 128 + constants.signals[signal];
  if (dumpsCore.has(signal)) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Reached by whom the signal does not end; it comes a moment after it was sent.
  setTimeout(() => process.exit(code), 50);
}
