import type { Command } from 'commander';
import {
  addClientCommand,
  addJsonFlag,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { findAgentID, findConfigID } from '../../connection/find-resources.ts';
import { formatDiff } from '../../output/format-diff.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface DiffFlags extends ClientFlags {
  readonly from?: string;
  readonly to?: string;
}

/** `muster agent diff`: what an agent's last change of its configuration has changed. */
export function addAgentDiffCommand(agent: Command, terminal: Terminal): void {
  const command = addClientCommand(agent, 'diff <name|id>', {
    summary: 'Compare two configurations of an agent.',
    description:
      "Shows the difference between two configurations that an agent has run, in the unified format. Without flags: between the previous and the current one. 'muster agent history' lists the ids of configurations.",
    examples: ['muster agent diff web-01', 'muster agent diff web-01 --from 8a6b4c2d'],
  });
  addJsonFlag(addProjectFlag(command))
    .option('--from <id>', 'The older configuration. Default: the one before the newer one.')
    .option('--to <id>', 'The newer configuration. Default: the current one.')
    .action(async (nameOrID: string, flags: DiffFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { getAgentConfigDiff } = await import('@muster/client');
      const { from, to } = flags;
      const agentID = await findAgentID(connection, nameOrID, flags.project);
      const answer = await getAgentConfigDiff(connection.client, {
        agentID,
        ...(from === undefined ? {} : { from: await findConfigID(connection, agentID, from) }),
        ...(to === undefined ? {} : { to: await findConfigID(connection, agentID, to) }),
      });
      if (flags.json === true) return printer.json(answer);
      printer.raw(await formatDiff(answer.diff, terminal));
      if (answer.diff === '')
        printer.note('No difference. Secrets are not stored, so they are not compared.');
      if (answer.isCoarse) {
        printer.note(
          'The configurations differ too much to be compared line by line: everything between the first and the last difference is shown as replaced.',
        );
      }
    });
}
