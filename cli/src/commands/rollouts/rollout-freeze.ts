import type { FreezeWindow } from '@muster/client';
import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  collect,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import type { View } from '../../output/printer.ts';
import type { Terminal } from '../../terminal/terminal.ts';

type Weekday = Extract<FreezeWindow, { weekdays: unknown }>['weekdays'][number];

interface FreezeFlags extends ClientFlags {
  readonly set?: string;
  readonly remove?: string;
  readonly weekday?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly zone?: string;
}

/** `muster rollout freeze`: when no rollout starts. */
export function addRolloutFreeze(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'freeze', {
    summary: 'List, set and remove the hours in which no rollout starts.',
    description:
      'Lists the freeze windows of a project. In them, no rollout starts and no stage begins. Agents that have a version are still watched, and a rollout still stops and goes back. --despite-freeze of the other commands begins a stage nevertheless.',
    examples: [
      'muster rollout freeze',
      'muster rollout freeze --set nights --weekday mon --weekday tue --from 18:00 --to 08:00 --zone Europe/Berlin',
      'muster rollout freeze --set launch --from 2026-11-27T00:00:00Z --to 2026-11-30T00:00:00Z',
      'muster rollout freeze --remove launch',
    ],
  });
  addOutputFlags(addProjectFlag(command), 'Print only the names.')
    .option('--set <name>', 'Adds a window, or replaces the one with this name.')
    .option('--weekday <day>', 'mon, tue, wed, thu, fri, sat or sun, on which it begins. Repeat it.', collect)
    .option('--from <time>', 'When it begins: 18:00, or once: 2026-11-27T00:00:00Z.')
    .option('--to <time>', 'When it ends; on the next day if that is not later.')
    .option('--zone <name>', 'The zone of the hours, such as Europe/Berlin. Default: UTC.')
    .option('--remove <name>', 'Removes the window with this name.')
    .action(async (flags: FreezeFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const projectID = await chooseProjectID(connection, flags.project);
      const { getFreezeWindows, updateFreezeWindows } = await import('@muster/client');
      const present = await getFreezeWindows(connection.client, { projectID });
      const changed = change(present.freezeWindows, flags);
      const { freezeWindows, freeze, nextFreeze } =
        changed === undefined
          ? present
          : await updateFreezeWindows(connection.client, { projectID, body: { freezeWindows: changed } });
      await printer.all(freezeWindows, freezeView);
      if (freezeWindows.length === 0) printer.note('Rollouts start at any time.');
      if (freeze !== null)
        printer.note(
          `Rollouts are frozen by '${freeze.name}'${freeze.endsAt === null ? '' : ` until ${freeze.endsAt}`}.`,
        );
      if (nextFreeze !== null)
        printer.note(
          `${freeze === null ? 'The next freeze' : 'The one after it'}, '${nextFreeze.name}', begins at ${nextFreeze.startsAt}${nextFreeze.endsAt === null ? '' : ` and ends at ${nextFreeze.endsAt}`}.`,
        );
    });
}

/** Undefined: nothing is to be changed. @throws CommandError (usage, notFound) */
function change(present: readonly FreezeWindow[], flags: FreezeFlags): FreezeWindow[] | undefined {
  const { set, remove } = flags;
  if (remove !== undefined && !present.some(({ name }) => name === remove))
    throw new CommandError(
      'notFound',
      `There is no freeze window '${remove}'.`,
      'To list the existing ones, run: muster rollout freeze',
    );
  if (set === undefined && remove === undefined) return undefined;
  const kept = present.filter(({ name }) => name !== set && name !== remove);
  return set === undefined ? kept : [...kept, windowOf(set, flags)];
}

/** @throws CommandError (usage) */
function windowOf(name: string, { weekday, from, to, zone = 'UTC' }: FreezeFlags): FreezeWindow {
  if (from === undefined || to === undefined)
    throw new CommandError(
      'usage',
      'A window needs --from and --to.',
      'Give hours with --weekday, or two timestamps.',
    );
  if (weekday === undefined) return { name, startsAt: from, endsAt: to };
  // The service refuses what is no weekday.
  return { name, weekdays: weekday.map((day) => day as Weekday), from, to, zone };
}

const freezeView: View<FreezeWindow> = {
  id: ({ name }) => name,
  columns: [
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'FROM', cell: (window) => ('startsAt' in window ? window.startsAt : window.from) },
    { title: 'TO', cell: (window) => ('endsAt' in window ? window.endsAt : window.to) },
    { title: 'ON', cell: (window) => ('weekdays' in window ? window.weekdays.join(', ') : 'once') },
    { title: 'ZONE', isOptional: true, cell: (window) => ('zone' in window ? window.zone : '') },
  ],
  details: () => [],
};
