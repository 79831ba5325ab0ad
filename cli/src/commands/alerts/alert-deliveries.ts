import type { AlertDelivery, Client } from '@muster/client';
import { type AlertDeliveryState, alertDeliveryStates, largestPageSize } from '@muster/contract';
import { type Command, Option } from 'commander';
import { addNoun } from '../../client-command.ts';
import { addListCommand, type ListFlags } from '../../read-commands.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { alertDeliveryView } from './alert-views.ts';
import { findAlertChannelID } from './find-alert-resources.ts';

interface DeliveryFlags extends ListFlags {
  readonly channel?: string;
  readonly state?: AlertDeliveryState;
}

/** `muster alert delivery`: messages to channels, and what became of them. */
export function addAlertDeliveryCommands(alert: Command, terminal: Terminal): void {
  const delivery = addNoun(alert, 'delivery', 'Messages to alert channels, and what became of them.');
  addListCommand<AlertDelivery, DeliveryFlags>(delivery, terminal, {
    summary: 'List messages to alert channels, newest first.',
    examples: [
      'muster alert delivery list --channel on-call',
      'muster alert delivery list --state failed --json',
    ],
    view: alertDeliveryView(),
    viewOf: async ({ client }, projectID) => alertDeliveryView(await readChannelNames(client, projectID)),
    things: 'messages',
    none: 'No messages.',
    addFlags: (command) =>
      command
        .option('--channel <name|id>', 'Only messages to this channel.')
        .addOption(
          new Option('--state <state>', 'Only messages in this state.').choices(alertDeliveryStates),
        ),
    filters: ({ channel, state }) => ({ '--channel': channel, '--state': state }),
    list: async (connection, query, { channel, state }) => {
      const channelID =
        channel === undefined ? undefined : await findAlertChannelID(connection, channel, query.projectID);
      return (await import('@muster/client'))
        .listAlertDeliveries(connection.client, {
          ...query,
          ...(channelID === undefined ? {} : { channel_id: channelID }),
          ...(state === undefined ? {} : { state }),
        })
        .pages();
    },
  });
}

async function readChannelNames(client: Client, projectID: string): Promise<ReadonlyMap<string, string>> {
  const { listAlertChannels } = await import('@muster/client');
  const names = new Map<string, string>();
  for await (const { id, name } of listAlertChannels(client, { projectID, last: largestPageSize }))
    names.set(id, name);
  return names;
}
