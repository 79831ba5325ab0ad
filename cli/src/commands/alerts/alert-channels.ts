import {
  type AlertChannelKind,
  type AlertRuleKind,
  alertChannelKinds,
  alertRuleKinds,
  quoteForShell,
} from '@muster/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  addClientCommand,
  addNoun,
  addOutputFlags,
  addProjectFlag,
  addYesFlag,
  type ClientFlags,
  openContext,
  repeatedFlags,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import { readSeconds } from '../../duration.ts';
import { addGetCommand, addListCommand } from '../../read-commands.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import {
  addTargetFlags,
  readTarget,
  readWholeTarget,
  type TargetFlags,
  withKeyOfAddress,
} from './alert-channel-flags.ts';
import { alertChannelView, alertDeliveryView } from './alert-views.ts';
import { findAlertChannelID } from './find-alert-resources.ts';

interface CreateFlags extends TargetFlags {
  readonly kind: AlertChannelKind;
  readonly rule?: readonly AlertRuleKind[];
}

/** `muster alert channel`: where alerts of a project are sent. */
export function addAlertChannelCommands(alert: Command, terminal: Terminal): void {
  const channel = addNoun(alert, 'channel', 'Channels: where alerts of a project are sent.');
  addList(channel, terminal);
  addCreate(channel, terminal);
  addGet(channel, terminal);
  addUpdate(channel, terminal);
  addSwitch(channel, terminal, true);
  addSwitch(channel, terminal, false);
  addRotate(channel, terminal);
  addTest(channel, terminal);
  addDelete(channel, terminal);
}

function addList(channel: Command, terminal: Terminal): void {
  addListCommand(channel, terminal, {
    summary: 'List alert channels of a project, newest first.',
    examples: ['muster alert channel list', 'muster alert channel list --json | jq -r ".[].status"'],
    view: alertChannelView,
    things: 'alert channels',
    none: 'No alert channels. To create one, run: muster alert channel create NAME --kind slack --url-file FILE',
    list: async ({ client }, query) =>
      (await import('@muster/client')).listAlertChannels(client, query).pages(),
  });
}

function addCreate(channel: Command, terminal: Terminal): void {
  const command = addClientCommand(channel, 'create <name>', {
    summary: 'Create an alert channel.',
    description:
      'Creates an alert channel. webhook and the chats need an address, pagerduty and opsgenie a key, mail recipients, dashboard nothing: its messages are only listed. At a terminal, the command asks for an address or key that is missing. A channel is told nothing without a rule: --rule creates one for it, with the usual conditions. The secret with which messages to a webhook are signed is shown once.',
    examples: [
      'muster alert channel create on-call --kind slack --url-file slack-url.txt --rule new_group --rule regression',
      'SECRET=$(muster alert channel create tickets --kind webhook --url https://tickets.example.com/muster --quiet)',
      'muster alert channel create night --kind pagerduty --key-file -',
      'muster alert channel create list --kind dashboard',
      'muster alert channel create team --kind mail --to ada@example.com --to bob@example.com',
    ],
  });
  const outputCommand = addOutputFlags(
    addProjectFlag(command),
    'Print only the secret of a webhook, else the id.',
  );
  addTargetFlags(outputCommand)
    .addOption(
      new Option('--kind <kind>', 'What it sends to.').choices(alertChannelKinds).makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--rule <kind>',
        `Also create a rule that tells this channel; may be repeated: ${alertRuleKinds.join(', ')}.`,
      ).argParser(collectRuleKind),
    )
    .action(async (name: string, flags: CreateFlags) => {
      const target = await readWholeTarget(terminal, flags.kind, flags);
      const { connection, printer } = await openContext(terminal, flags);
      const { createAlertChannel, createAlertRule, listAlertRules } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const body = { name, kind: flags.kind, ...target };
      const created = await createAlertChannel(connection.client, { projectID, body });
      const rules: string[] = [];
      for (const kind of flags.rule ?? []) {
        const rule = { kind, channelIDs: [created.id] };
        rules.push((await createAlertRule(connection.client, { projectID, body: rule })).name);
      }
      const { secret } = created;
      printer.one(created, {
        ...alertChannelView,
        id: ({ id }) => secret ?? id,
        details: (one, format) => [...alertChannelView.details(one, format), ['secret', secret]],
      });
      if (secret !== undefined) printer.shownOnce('secret');
      if (printer.isForScript) return;
      const repeated = repeatedFlags(flags);
      for (const rule of rules) printer.note(`It is told by the rule '${rule}'.`);
      printer.note(`To try it, run: muster alert channel test ${quoteForShell(name)}${repeated}`);
      if (rules.length > 0) return;
      const { items } = await listAlertRules(connection.client, { projectID, last: 1_000 }).first();
      if (items.some(({ enabled, channelIDs }) => enabled && channelIDs === null)) return;
      printer.note(
        `No rule tells this channel of anything. To create one, run: muster alert rule create --kind new_group --channel ${quoteForShell(name)}${repeated}`,
      );
    });
}

/** @throws InvalidArgumentError */
function collectRuleKind(text: string, before: readonly AlertRuleKind[] = []): readonly AlertRuleKind[] {
  const kind = alertRuleKinds.find((one) => one === text);
  if (kind === undefined) throw new InvalidArgumentError(`It is one of: ${alertRuleKinds.join(', ')}.`);
  return before.includes(kind) ? before : [...before, kind];
}

function addGet(channel: Command, terminal: Terminal): void {
  addGetCommand(channel, terminal, {
    argument: '<name|id>',
    summary: 'Show an alert channel: what it sends to, and whether it works.',
    examples: ['muster alert channel get on-call'],
    view: alertChannelView,
    find: findAlertChannelID,
    get: async (client, alertChannelID) =>
      (await import('@muster/client')).getAlertChannel(client, { alertChannelID }),
  });
}

function addUpdate(channel: Command, terminal: Terminal): void {
  const command = addClientCommand(channel, 'update <name|id>', {
    summary: 'Change the name, the target or the quiet hours of an alert channel.',
    description:
      'Changes the name, the target or the quiet hours of an alert channel. Another address for pagerduty or opsgenie needs the key too, because the stored key is not sent to another address; at a terminal, the command asks for it.',
    examples: [
      'muster alert channel update on-call --url-file new-url.txt',
      'muster alert channel update night --url https://events.eu.pagerduty.com/v2/enqueue --key-file -',
      'muster alert channel update team --quiet-hours "22:00-06:00 Europe/Berlin"',
    ],
  });
  addTargetFlags(addOutputFlags(addProjectFlag(command)))
    .option('--name <name>', 'The new name.')
    .action(async (nameOrID: string, flags: TargetFlags & { name?: string }) => {
      const target = await readTarget(terminal, flags);
      const body = { ...target, ...(flags.name === undefined ? {} : { name: flags.name }) };
      if (Object.keys(body).length === 0) {
        throw new CommandError(
          'usage',
          'There is nothing to change.',
          'Add --name, a target or --quiet-hours.',
        );
      }
      const { connection, printer } = await openContext(terminal, flags);
      const { getAlertChannel, updateAlertChannel } = await import('@muster/client');
      const alertChannelID = await findAlertChannelID(connection, nameOrID, flags.project);
      // Without another address, no kind needs more than is given.
      const kind =
        body.url === undefined
          ? undefined
          : (await getAlertChannel(connection.client, { alertChannelID })).kind;
      const wholeBody = kind === undefined ? body : await withKeyOfAddress(terminal, kind, body);
      const updated = await updateAlertChannel(connection.client, { alertChannelID, body: wholeBody });
      printer.one(updated, alertChannelView);
    });
}

function addSwitch(channel: Command, terminal: Terminal, enabled: boolean): void {
  const verb = enabled ? 'enable' : 'disable';
  const command = addClientCommand(channel, `${verb} <name|id>`, {
    summary: enabled
      ? 'Send to an alert channel again, from now on.'
      : 'Send nothing more to an alert channel; its waiting messages are dropped.',
    examples: [`muster alert channel ${verb} on-call`],
  });
  addOutputFlags(addProjectFlag(command)).action(async (nameOrID: string, flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { updateAlertChannel } = await import('@muster/client');
    const alertChannelID = await findAlertChannelID(connection, nameOrID, flags.project);
    const updated = await updateAlertChannel(connection.client, { alertChannelID, body: { enabled } });
    printer.one(updated, alertChannelView);
  });
}

function addRotate(channel: Command, terminal: Terminal): void {
  const command = addClientCommand(channel, 'rotate <name|id>', {
    summary: 'Give a webhook a new secret; it is shown once.',
    description:
      'Gives a webhook a new secret. Until the grace ends, messages are signed with the new and the earlier secret, so that the receiver can change it without losing a message.',
    examples: [
      'muster alert channel rotate tickets',
      'muster alert channel rotate tickets --grace 0s --quiet',
    ],
  });
  addOutputFlags(addProjectFlag(command), 'Print only the new secret.')
    .option(
      '--grace <time>',
      'How long messages are signed with the earlier secret too: 24h, 7d, 30min, 90s; at most 7d. Default: 24h.',
      readSeconds,
    )
    .action(async (nameOrID: string, flags: ClientFlags & { grace?: number }) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { rotateAlertChannel } = await import('@muster/client');
      const alertChannelID = await findAlertChannelID(connection, nameOrID, flags.project);
      const body = flags.grace === undefined ? {} : { graceSeconds: flags.grace };
      const rotated = await rotateAlertChannel(connection.client, { alertChannelID, body });
      printer.summary(rotated, rotated.secret, [
        ['secret', rotated.secret],
        ['earlier secret ends', printer.time(rotated.earlierSecretEndsAt)],
      ]);
      printer.shownOnce('new secret');
    });
}

function addTest(channel: Command, terminal: Terminal): void {
  const command = addClientCommand(channel, 'test <name|id>', {
    summary: 'Send a test message, and show the answer.',
    description:
      'Sends a test message at once, whatever the quiet hours, and shows the answer. Exits with 1 if it was not delivered.',
    examples: ['muster alert channel test on-call'],
  });
  addOutputFlags(addProjectFlag(command)).action(async (nameOrID: string, flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { testAlertChannel } = await import('@muster/client');
    const alertChannelID = await findAlertChannelID(connection, nameOrID, flags.project);
    const tested = await testAlertChannel(connection.client, { alertChannelID });
    printer.one(tested, alertDeliveryView());
    if (tested.state === 'delivered') return;
    throw new CommandError(
      'failed',
      `The test message was not delivered: ${tested.failure ?? 'no reason is known.'}`,
      `To change the target, run: muster alert channel update ${quoteForShell(nameOrID)} --url-file FILE${repeatedFlags(flags)}`,
    );
  });
}

function addDelete(channel: Command, terminal: Terminal): void {
  const command = addClientCommand(channel, 'delete <name|id>', {
    summary: 'Delete an alert channel; its waiting messages are dropped.',
    examples: ['muster alert channel delete on-call'],
  });
  addYesFlag(addProjectFlag(command)).action(
    async (nameOrID: string, flags: ClientFlags & { yes?: boolean }) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { deleteAlertChannel } = await import('@muster/client');
      const alertChannelID = await findAlertChannelID(connection, nameOrID, flags.project);
      await confirm(terminal, `Delete the alert channel '${nameOrID}'?`, flags.yes);
      await deleteAlertChannel(connection.client, { alertChannelID });
      printer.note(`Deleted the alert channel '${nameOrID}'.`);
    },
  );
}
