import type { AgentError } from '@muster/client';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  type CommandContext,
  openContext,
  readCount,
} from '../../client-command.ts';
import { AgentNames } from '../../connection/agent-names.ts';
import { chooseProjectID, findAgentID } from '../../connection/find-resources.ts';
import { printable, printableJson } from '../../output/printable.ts';
import { spellCommands } from '../../own-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { ErrorEvents } from '../../watch/error-events.ts';
import { NewErrors } from '../../watch/new-errors.ts';

interface WatchFlags extends ClientFlags {
  readonly agent?: string;
  readonly match?: string;
  readonly last: number;
  readonly interval: number;
}

/** `muster error watch`: prints new errors as they arrive. */
export function addErrorWatchCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'watch', {
    summary: 'Print new errors as they arrive.',
    description:
      'Prints new errors as they arrive, oldest first, until Ctrl-C. With --json each error is one line. If the server cannot be reached, it keeps trying.',
    examples: [
      'muster error watch',
      'muster error watch --last 10 --agent web-01',
      'muster error watch --json | jq -r .error',
    ],
  });
  addOutputFlags(addProjectFlag(command))
    .option('--agent <name|id>', 'Only of this agent: its name, machine id or id.')
    .option('--match <text>', 'Only with this text in them; the case of ASCII letters is ignored.')
    .addOption(
      new Option('--last <n>', 'Begin with the newest n existing errors.')
        .argParser(readCount)
        .default(0, 'none'),
    )
    .addOption(
      new Option('--interval <seconds>', 'How often to ask a server that sends no events.')
        .argParser(readCount)
        .default(3),
    )
    .action(async (flags: WatchFlags) => {
      const interrupted = terminal.onInterrupt();
      await endOnInterrupt(interrupted, async () => {
        const context = await openContext(terminal, flags);
        await watch(context, flags, interrupted);
      });
    });
}

/** Requests that the interrupt cancels are not failures. */
async function endOnInterrupt(interrupted: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!interrupted.aborted) throw error;
  }
}

async function watch(context: CommandContext, flags: WatchFlags, signal: AbortSignal): Promise<void> {
  const { connection, printer, terminal } = context;
  const projectID = await chooseProjectID(connection, flags.project);
  const agentID =
    flags.agent === undefined ? undefined : await findAgentID(connection, flags.agent, flags.project);
  const filter = {
    projectID,
    ...(agentID === undefined ? {} : { agent_id: agentID }),
    ...(flags.match === undefined ? {} : { q: flags.match }),
  };
  const errors = new NewErrors(connection.client, filter, signal);
  const events = new ErrorEvents(connection.client, projectID, signal);
  const names = new AgentNames(connection, projectID);
  if (!printer.isForScript) printer.note(`Watching the errors of ${connection.url}. Ctrl-C ends it.`);
  let isAway = false;
  for (let begin: number | undefined = flags.last; !signal.aborted && !terminal.isOutputClosed(); ) {
    try {
      const found: readonly AgentError[] =
        begin === undefined ? await errors.next() : await errors.begin(begin);
      begin = undefined;
      if (isAway) printer.note('The server answers again.');
      isAway = false;
      if (!printer.isForScript) await names.learn(found.map((one) => one.agentID));
      for (const one of found) printer.raw(formatLine(one, flags, names));
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      if (!isAway) {
        const { explainError } = await import('../../explain-error.ts');
        terminal.stderr.write(spellCommands(explainError(error).text, terminal));
        printer.note('Still watching.');
      }
      isAway = true;
    }
    await events.next(flags.interval * 1_000);
  }
}

function formatLine(error: AgentError, { json, quiet }: ClientFlags, names: AgentNames): string {
  if (json) return `${printableJson(error)}\n`;
  if (quiet) return `${error.id}\n`;
  return `${error.createdAt}  ${printable(names.of(error.agentID))}  ${printable(error.error)}\n`;
}

/** Failures that may pass: the server is away, busy or without its database. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('mayBeDone' in error) return true;
  const status = 'status' in error ? error.status : undefined;
  return typeof status === 'number' && (status === 429 || status >= 500);
}
