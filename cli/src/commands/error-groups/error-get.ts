import type { AgentError } from '@muster/client';
import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  type CommandContext,
  openContext,
  repeatedFlags,
} from '../../client-command.ts';
import { AgentNames } from '../../connection/agent-names.ts';
import { findErrorOrGroup } from '../../connection/find-agent-errors.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import { formatExplanation, ofError } from '../../output/explanation-text.ts';
import { shortID } from '../../output/short-id.ts';
import { createTones } from '../../output/tones.ts';
import { agentErrorView } from '../../output/views.ts';
import { type Terminal, widthOf } from '../../terminal/terminal.ts';

/** `muster error get`: a group, or one error. */
export function addErrorGetCommand(error: Command, terminal: Terminal): void {
  const command = addClientCommand(error, 'get <id>', {
    summary: 'Show a cause with what to do about it, or one error.',
    description:
      "Shows a group of errors: its cause, what it means and what to do if the error is known, how many agents have it, since when, since which configuration, and the agents. With the id of an error, it shows that error. It takes ids of 'muster error groups' and 'muster error list': whole, or six or more characters of their end, which the lists show, or of their beginning.",
    examples: ['muster error get 8a6b4c2d', 'muster error get 8a6b4c2d --json | jq .explanation.actions'],
  });
  addOutputFlags(addProjectFlag(command)).action(async (id: string, flags: ClientFlags) => {
    const context = await openContext(terminal, flags);
    const found = await findErrorOrGroup(context.connection, id, flags.project);
    if (found.kind === 'error') {
      await printError(context, found.error, flags);
      return;
    }
    const { printGroup } = await import('./group-report.ts');
    await printGroup(context, found.group, flags);
  });
}

async function printError(
  { connection, printer, terminal }: CommandContext,
  error: AgentError,
  flags: ClientFlags,
): Promise<void> {
  const names = new AgentNames(connection, await chooseProjectID(connection, flags.project));
  if (!printer.isForScript) await names.learn([error.agentID]);
  printer.one(error, agentErrorView({ agentName: (id) => names.of(id), hasStatus: true }));
  if (printer.isForScript) return;
  const { explainError } = await import('@muster/faults/explain');
  const explanation = explainError(error.error);
  if (explanation !== undefined) {
    const { strong } = createTones(terminal);
    printer.raw(
      `\n${formatExplanation(ofError(explanation, error.error), widthOf(terminal.stdout), strong)}`,
    );
  }
  if (error.groupID !== null) {
    printer.note(
      `To see all errors with this cause, run: muster error get ${shortID(error.groupID)}${repeatedFlags(flags)}`,
    );
  }
}
