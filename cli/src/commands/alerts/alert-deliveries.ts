import { type AlertDeliveryState, alertDeliveryStates } from '@muster/contract';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addListFlags,
  addNoun,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import { printList } from '../../output/print-list.ts';
import { type LastFlags, pageSizeFor } from '../../output/take-last.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { alertDeliveryView } from './alert-views.ts';
import { findAlertChannelID } from './find-alert-resources.ts';

interface DeliveryFlags extends ClientFlags, LastFlags {
  readonly channel?: string;
  readonly state?: AlertDeliveryState;
}

/** `muster alert delivery`: messages to channels, and what became of them. */
export function addAlertDeliveryCommands(alert: Command, terminal: Terminal): void {
  const delivery = addNoun(alert, 'delivery', 'Messages to alert channels, and what became of them.');
  const command = addClientCommand(delivery, 'list', {
    summary: 'List messages to alert channels, newest first.',
    examples: [
      'muster alert delivery list --channel on-call',
      'muster alert delivery list --state failed --json',
    ],
  });
  addListFlags(addProjectFlag(command))
    .option('--channel <name|id>', 'Only messages to this channel.')
    .addOption(new Option('--state <state>', 'Only messages in this state.').choices(alertDeliveryStates))
    .action(async (flags: DeliveryFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { listAlertDeliveries } = await import('@muster/client');
      const { channel, state } = flags;
      const projectID = await chooseProjectID(connection, flags.project);
      const channelID =
        channel === undefined ? undefined : await findAlertChannelID(connection, channel, projectID);
      const pages = listAlertDeliveries(connection.client, {
        projectID,
        last: pageSizeFor(flags),
        ...(channelID === undefined ? {} : { channel_id: channelID }),
        ...(state === undefined ? {} : { state }),
      }).pages();
      await printList(printer, {
        pages,
        flags,
        view: alertDeliveryView,
        things: 'messages',
        none: 'No messages.',
        filters: { '--channel': channel, '--state': state },
      });
    });
}
