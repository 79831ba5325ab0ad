import type { Dismissal } from '@muster/client';
import { countOf, numberOf } from '@muster/contract';
import type { CommandContext } from '../client-command.ts';
import { CommandError } from '../command-error.ts';

const pollMilliseconds = 500;

/**
 * Waits until a dismissal or its undo is done, and shows the progress on a terminal. After Ctrl-C it goes on without
 * this command.
 *
 * @param total errors that are expected to change
 * @throws CommandError after Ctrl-C
 */
export async function waitForDismissal(
  { connection, terminal }: CommandContext,
  first: Dismissal,
  total: number,
): Promise<Dismissal> {
  if (!isUnderWay(first)) return first;
  const { getDismissal } = await import('@muster/client');
  const { client } = connection;
  const { stderr } = terminal;
  const interrupt = terminal.onInterrupt();
  let dismissal = first;
  while (isUnderWay(dismissal) && !interrupt.aborted) {
    await waitFor(pollMilliseconds, interrupt);
    dismissal = await getDismissal(client, { dismissalID: first.id });
    const { undo, errorsCount } = dismissal;
    const done = undo === null ? errorsCount : undo.reopenedCount + undo.notReopenedCount;
    if (stderr.isTTY === true) {
      stderr.write(`\r${numberOf(done)} of ${countOf(total, 'error')} …\x1b[K`);
    }
  }
  if (stderr.isTTY === true) stderr.write('\r\x1b[K');
  if (!isUnderWay(dismissal)) return dismissal;
  throw new CommandError(
    'failed',
    'Stopped waiting before it was done. The server goes on.',
    `To see how far it is, run: muster dismissal get ${dismissal.id}`,
  );
}

function isUnderWay({ state }: Dismissal): boolean {
  return state === 'running' || state === 'undoing';
}

/** Waits for a time, or until the signal aborts. */
function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
}
