import type { Command } from 'commander';
import {
  addClientCommand,
  addJsonFlag,
  addListFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { findFleetID } from '../../connection/find-resources.ts';
import { fleetVersionView } from '../../output/fleet-view.ts';
import { formatDiff } from '../../output/format-diff.ts';
import { printList } from '../../output/print-list.ts';
import { type LastFlags, pageSizeFor } from '../../output/take-last.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { findVersion } from './find-version.ts';

/** `muster fleet versions` and `muster fleet diff` */
export function addFleetVersionCommands(noun: Command, terminal: Terminal): void {
  addVersions(noun, terminal);
  addDiff(noun, terminal);
}

function addVersions(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'versions <name|id>', {
    summary: 'List the versions of a fleet, newest first.',
    examples: ['muster fleet versions edge', 'muster fleet versions edge --all --json'],
  });
  addListFlags(addProjectFlag(command)).action(async (nameOrID: string, flags: ClientFlags & LastFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { listFleetVersions } = await import('@muster/client');
    const fleetID = await findFleetID(connection, nameOrID, flags.project);
    const pages = listFleetVersions(connection.client, { fleetID, last: pageSizeFor(flags) }).pages();
    await printList(printer, {
      pages,
      flags,
      view: fleetVersionView,
      things: 'versions',
      none: 'No versions. To create one, run: muster fleet update NAME --config FILE',
    });
  });
}

interface DiffFlags extends ClientFlags {
  readonly from?: string;
  readonly to?: string;
}

function addDiff(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'diff <name|id>', {
    summary: 'Compare two versions of a fleet.',
    description:
      'Shows the difference between two versions of a fleet, in the unified format, and the files that differ. Without flags: between the newest version and the one before.',
    examples: ['muster fleet diff edge', 'muster fleet diff edge --from 3 --to 5'],
  });
  addJsonFlag(addProjectFlag(command))
    .option('--from <number>', 'The older version. Default: the one before the newer one.')
    .option('--to <number>', 'The newer version. Default: the newest one.')
    .action(async (nameOrID: string, flags: DiffFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { getFleetVersionDiff } = await import('@muster/client');
      const fleetID = await findFleetID(connection, nameOrID, flags.project);
      const to = await findVersion(connection, fleetID, flags.to);
      const answer = await getFleetVersionDiff(connection.client, {
        fleetVersionID: to.id,
        ...(flags.from === undefined
          ? {}
          : { against: (await findVersion(connection, fleetID, flags.from)).id }),
      });
      if (flags.json === true) return printer.json(answer);
      printer.raw(await formatDiff(answer.diff, terminal));
      for (const [change, names] of [
        ['added', answer.addedFiles],
        ['changed', answer.changedFiles],
        ['removed', answer.removedFiles],
      ] as const) {
        if (names.length > 0) printer.note(`Files ${change}: ${names.join(', ')}`);
      }
      if (answer.diff === '') printer.note('The configurations are equal.');
    });
}
