import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  addYesFlag,
  type ClientFlags,
  type CommandContext,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { findErrorIDs } from '../../connection/find-agent-errors.ts';
import { exitCodes, type Failure } from '../../exit-codes.ts';
import { spellCommands } from '../../own-command.ts';
import { readStandardInput } from '../../read-text-file.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { type DismissMatchingFlags, dismissMatching, selectsByFlags } from './error-dismiss-matching.ts';

/** Ids of some 400,000 errors. */
const maxIDsBytes = 16 * 1_048_576;

/** `muster error dismiss` */
export function addErrorDismissCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'dismiss [id...]', {
    summary: 'Dismiss errors that need no more attention.',
    description:
      "Dismisses errors. If an error is reported again, it is stored as a new error. Errors are given by their ids, or selected by flags: then all open errors of the project that match are counted and, after a confirmation, dismissed. 'muster dismissal undo' reopens those. An error that is already dismissed keeps its first reason; this is not a failure. With - as the id, ids are read from standard input.",
    examples: [
      "muster error dismiss --group 3f1e8a6b --reason 'Rolled back'",
      "muster error dismiss --match 'connection refused' --reason 'Firewall opened'",
      "muster error dismiss --fleet eu --match 'HTTP status=401' --reason 'Password changed' --dry-run",
      "muster error dismiss 8a6b4c2d --reason 'Password changed'",
    ],
  });
  addYesFlag(addOutputFlags(addProjectFlag(command)))
    .option('--reason <text>', 'The reason, in 1 to 100 characters. Needed unless --dry-run is given.')
    .option('--group <id>', 'Errors of this group.')
    .option('--match <text>', 'Errors with this text in them; the case of ASCII letters is ignored.')
    .option(
      '--agent <name|id>',
      'Errors of this agent: its name, machine id or id. Can be given several times.',
      (agent: string, before: readonly string[] = []) => [...before, agent],
    )
    .option('--fleet <name|id>', 'Errors of agents of this fleet.')
    .addOption(
      new Option('--all', 'All open errors of the project.').conflicts(['group', 'match', 'agent', 'fleet']),
    )
    .option('--dry-run', 'Only count the errors that would be dismissed.')
    .action(async (given: readonly string[], flags: DismissFlags) => {
      const selection = requireSelection(given, flags);
      const reason = requireReason(flags);
      if (selection === 'flags') return dismissMatching(terminal, { ...flags, reason });
      const texts = await readIDs(given, terminal);
      const context = await openContext(terminal, flags);
      const ids = await findErrorIDs(
        context.connection,
        texts,
        flags.project,
        'muster error dismiss --reason TEXT --group',
      );
      const { dismissAgentError } = await import('@muster/client');
      const body = { reason };
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

interface DismissFlags extends ClientFlags, DismissMatchingFlags {
  readonly reason?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** The API takes a reason for a dry run too, and does not store it. @throws CommandError without a reason */
function requireReason({ reason, dryRun }: DismissFlags): string {
  if (reason !== undefined) return reason;
  if (dryRun === true) return 'dry run';
  throw new CommandError('usage', 'The reason is missing.', 'Add --reason TEXT.');
}

/** @throws CommandError unless errors are selected in exactly one way */
function requireSelection(given: readonly string[], flags: DismissFlags): 'ids' | 'flags' {
  const hasFlags = selectsByFlags(flags);
  if (given.length > 0 && (hasFlags || flags.dryRun === true)) {
    throw new CommandError('usage', 'Give ids, or flags that select errors, not both.');
  }
  if (given.length > 0) return 'ids';
  if (hasFlags) return 'flags';
  throw new CommandError(
    'usage',
    'No errors are selected.',
    'Give ids, or --group, --match, --agent, --fleet or --all.',
  );
}

/** `muster error reopen` */
export function addErrorReopenCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'reopen <id...>', {
    summary: 'Reopen dismissed errors.',
    description: 'Reopens dismissed errors. With - as the id, ids are read from standard input.',
    examples: [
      'muster error reopen 8a6b4c2d',
      'muster error list --status dismissed --since 1h --quiet | muster error reopen -',
    ],
  });
  addOutputFlags(addProjectFlag(command)).action(async (given: readonly string[], flags: ClientFlags) => {
    const texts = await readIDs(given, terminal);
    const context = await openContext(terminal, flags);
    const ids = await findErrorIDs(
      context.connection,
      texts,
      flags.project,
      'muster error list --status dismissed --group',
    );
    const { reopenAgentError } = await import('@muster/client');
    await changeEach(context, flags, ids, {
      done: 'Reopened',
      unchanged: { code: 'agent_error_not_dismissed', text: 'is open already' },
      change: (agentErrorID) => reopenAgentError(context.connection.client, { agentErrorID }),
    });
  });
}

/** The given ids, or with `-` those on standard input, which may be none. */
async function readIDs(given: readonly string[], terminal: Terminal): Promise<readonly string[]> {
  if (!given.includes('-')) return given;
  const further = (await readStandardInput(terminal, maxIDsBytes)).split(/\s+/).filter((id) => id !== '');
  return [...given.filter((id) => id !== '-'), ...further];
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
  for (const id of new Set(ids)) {
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
        const { explainError } = await import('../../explain-error.ts');
        const { text, exitCode } = explainError(error);
        terminal.stderr.write(spellCommands(text, terminal));
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
