import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  type ClientFlags,
  type CommandContext,
  openContext,
} from '../client-command.ts';
import { CommandError } from '../command-error.ts';
import { isID } from '../connection/find-by-name.ts';
import { exitCodes, type Failure } from '../exit-codes.ts';
import { explainError } from '../explain-error.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `muster error dismiss` */
export function addErrorDismissCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'dismiss <id...>', {
    summary: 'Dismiss errors that need no more attention.',
    description:
      'Dismisses errors. If an error is reported again, it is stored as a new error. An error that is already dismissed keeps its first reason; this is not a failure. With - as the id, ids are read from standard input.',
    examples: [
      "muster error dismiss 0192f0a0-0000-7000-8000-000000000000 --reason 'Password changed'",
      "muster error list --agent web-01 --quiet | muster error dismiss - --reason 'Host replaced'",
    ],
  });
  addOutputFlags(command)
    .requiredOption('--reason <text>', 'The reason, in 1 to 100 characters.')
    .action(async (given: readonly string[], flags: ClientFlags & { reason: string }) => {
      const ids = await readIDs(given, terminal);
      const context = await openContext(terminal, flags);
      const { dismissAgentError } = await import('@muster/client');
      const body = { reason: flags.reason };
      await changeEach(context, flags, ids, {
        done: 'Dismissed',
        unchanged: { code: 'agent_error_already_dismissed', text: 'is dismissed already' },
        change: async (agentErrorID) => ({
          id: agentErrorID,
          ...(await dismissAgentError(context.connection.client, { agentErrorID, body })),
        }),
      });
    });
}

/** `muster error reopen` */
export function addErrorReopenCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'reopen <id...>', {
    summary: 'Reopen dismissed errors.',
    description: 'Reopens dismissed errors. With - as the id, ids are read from standard input.',
    examples: [
      'muster error reopen 0192f0a0-0000-7000-8000-000000000000',
      'muster error list --status dismissed --since 1h --quiet | muster error reopen -',
    ],
  });
  addOutputFlags(command).action(async (given: readonly string[], flags: ClientFlags) => {
    const ids = await readIDs(given, terminal);
    const context = await openContext(terminal, flags);
    const { reopenAgentError } = await import('@muster/client');
    await changeEach(context, flags, ids, {
      done: 'Reopened',
      unchanged: { code: 'agent_error_not_dismissed', text: 'is open already' },
      change: (agentErrorID) => reopenAgentError(context.connection.client, { agentErrorID }),
    });
  });
}

/**
 * The given ids, or with `-` those on standard input, which may be none. Errors have no names, so only ids are
 * accepted.
 *
 * @throws CommandError for a text that is not an id
 */
async function readIDs(given: readonly string[], { stdin }: Terminal): Promise<readonly string[]> {
  const ids = given.includes('-')
    ? [...given.filter((id) => id !== '-'), ...(await text(stdin)).split(/\s+/).filter((id) => id !== '')]
    : given;
  const wrong = ids.find((id) => !isID(id));
  if (wrong === undefined) return ids;
  throw new CommandError(
    'usage',
    `'${wrong}' is not the id of an error.`,
    "'muster error list' shows the ids.",
  );
}

interface Change<Result extends { readonly id: string }> {
  readonly done: string;
  /** The refusal that means that nothing had to be done. */
  readonly unchanged: { readonly code: string; readonly text: string };
  readonly change: (id: string) => Promise<Result>;
}

/** Continues after a refusal; the first failure decides the exit code. */
async function changeEach<Result extends { readonly id: string }>(
  { printer, terminal }: CommandContext,
  { json, quiet }: ClientFlags,
  ids: readonly string[],
  { done, unchanged, change }: Change<Result>,
): Promise<void> {
  const { MusterError } = await import('@muster/client');
  const results: Result[] = [];
  let refused = 0;
  let failure: Failure | undefined;
  for (const id of new Set(ids.map((one) => one.toLowerCase()))) {
    try {
      const result = await change(id);
      results.push(result);
      if (quiet) printer.raw(`${result.id}\n`);
    } catch (error) {
      if (!(error instanceof MusterError) || [401, 403].includes(error.status) || error.status >= 500) {
        if (json) printer.json(results);
        throw error;
      }
      if (error.code === unchanged.code) printer.note(`${id} ${unchanged.text}.`);
      else {
        const { text, exitCode } = explainError(error);
        terminal.stderr.write(text);
        refused += 1;
        failure ??= exitCode === exitCodes.notFound ? 'notFound' : 'failed';
      }
    }
  }
  if (json) printer.json(results);
  if (!printer.isForScript) {
    printer.note(ids.length === 0 ? 'Nothing to do: no ids were given.' : `${done}: ${results.length}.`);
  }
  if (failure !== undefined) throw new CommandError(failure, `${refused} of ${ids.length} failed.`);
}
