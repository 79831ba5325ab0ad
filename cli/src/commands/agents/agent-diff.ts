import type { Command } from 'commander';
import {
  addClientCommand,
  addJsonFlag,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { findAgentID, findConfigID } from '../../connection/find-resources.ts';
import { printable } from '../../output/printable.ts';
import { type Terminal, wantsColor } from '../../terminal/terminal.ts';

interface DiffFlags extends ClientFlags {
  readonly from?: string;
  readonly to?: string;
}

/** `muster agent diff`: what an agent's last change of its configuration has changed. */
export function addAgentDiffCommand(agent: Command, terminal: Terminal): void {
  const command = addClientCommand(agent, 'diff <name|id>', {
    summary: 'Compare two configurations of an agent.',
    description:
      'Shows the difference between two configurations that an agent has run, in the unified format. Without flags: between the previous and the current one. Ids of configurations are in muster agent history.',
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

/** Escapes what a terminal would interpret in each line, but keeps tabs, which configurations are indented with. */
async function formatDiff(diff: string, { stdout, env }: Terminal): Promise<string> {
  const { createColors } = (await import('picocolors')).default;
  const colors = createColors(wantsColor(stdout, env));
  const decorate = (line: string): string => {
    const text = line.split('\t').map(printable).join('\t');
    if (line.startsWith('@@')) return colors.cyan(text);
    if (line.startsWith('+')) return colors.green(text);
    return line.startsWith('-') ? colors.red(text) : text;
  };
  const [before, after, ...lines] = diff.split('\n').slice(0, -1);
  const head = [before, after].filter((line) => line !== undefined);
  return [...head.map(colors.bold), ...lines.map(decorate)].map((line) => `${line}\n`).join('');
}
