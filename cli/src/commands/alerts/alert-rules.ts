import type { AlertRule, Client } from '@muster/client';
import { type AlertRuleKind, alertRuleKinds } from '@muster/contract';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addNoun,
  addOutputFlags,
  addProjectFlag,
  addYesFlag,
  type ClientFlags,
  type CommandContext,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import { unlessRefused } from '../../connection/unless-refused.ts';
import { addGetCommand, addListCommand } from '../../read-commands.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addRuleFlags, type RuleFlags, toRuleFields } from './alert-rule-flags.ts';
import { addAlertRulePreviewCommand } from './alert-rule-preview.ts';
import { alertRuleView } from './alert-views.ts';
import { findAlertRuleID } from './find-alert-resources.ts';

/** `muster alert rule`: what channels are told. */
export function addAlertRuleCommands(alert: Command, terminal: Terminal): void {
  const rule = addNoun(alert, 'rule', 'Rules: what channels of a project are told.');
  addList(rule, terminal);
  addCreate(rule, terminal);
  addGet(rule, terminal);
  addUpdate(rule, terminal);
  addSwitch(rule, terminal, true);
  addSwitch(rule, terminal, false);
  addAlertRulePreviewCommand(rule, terminal);
  addDelete(rule, terminal);
}

function addList(rule: Command, terminal: Terminal): void {
  addListCommand(rule, terminal, {
    summary: 'List alert rules of a project, newest first.',
    examples: ['muster alert rule list', 'muster alert rule list --wide'],
    view: alertRuleView(),
    things: 'alert rules',
    none: 'No alert rules. To create one, run: muster alert rule create --kind new_group',
    list: async ({ client }, query) => (await import('@muster/client')).listAlertRules(client, query).pages(),
  });
}

function addCreate(rule: Command, terminal: Terminal): void {
  const command = addClientCommand(rule, 'create', {
    summary: 'Create an alert rule.',
    description:
      'Creates an alert rule. new_group: a new error. regression: an error is back after all were dismissed. widespread_group: an error on many agents. agents_offline: many agents are offline. core_instance_unreachable: a site is not heard any more. rollout_stopped: a rollout stopped by itself, or waits for a person. token_expiring: a project token expires soon. wildcard_token: a token got a wildcard. member_added: a user became a member.',
    examples: [
      'muster alert rule create --kind new_group',
      'muster alert rule create --kind widespread_group --agents 10 --share 5% --window 30min',
      'muster alert rule create --kind agents_offline --share 10% --channel on-call',
      'muster alert rule create --kind token_expiring --days 14 --cooldown 7d',
    ],
  });
  addRuleFlags(addOutputFlags(addProjectFlag(command)))
    .addOption(
      new Option('--kind <kind>', 'What it looks for.').choices(alertRuleKinds).makeOptionMandatory(),
    )
    .action(async (flags: RuleFlags & { kind: AlertRuleKind }) => {
      const context = await openContext(terminal, flags);
      const { connection, printer } = context;
      const { createAlertRule, listAlertChannels } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const body = { kind: flags.kind, ...(await toRuleFields(connection, projectID, flags)) };
      const rule = await createAlertRule(connection.client, { projectID, body });
      await print(context, rule);
      if (rule.channelIDs !== null) return;
      const { items } = await listAlertChannels(connection.client, { projectID, last: 1 }).first();
      if (items.length > 0) return;
      printer.note(
        'The project has no channel, so that nobody is told. To create one, run: muster alert channel create ops --kind mail --to ops@example.com',
      );
    });
}

function addGet(rule: Command, terminal: Terminal): void {
  addGetCommand(rule, terminal, {
    argument: '<name|id>',
    summary: 'Show an alert rule.',
    examples: ["muster alert rule get 'New errors'"],
    view: alertRuleView(),
    find: findAlertRuleID,
    get: async (client, alertRuleID) =>
      (await import('@muster/client')).getAlertRule(client, { alertRuleID }),
    viewOf: namedView,
  });
}

function addUpdate(rule: Command, terminal: Terminal): void {
  const command = addClientCommand(rule, 'update <name|id>', {
    summary: 'Change the condition, the channels or the cool-down of an alert rule.',
    description: 'Changes an alert rule. Its kind stays. What is not given stays as it is.',
    examples: [
      "muster alert rule update 'Agents offline' --share 2.5% --agents none",
      "muster alert rule update 'New errors' --all-channels --cooldown 6h",
    ],
  });
  addRuleFlags(addOutputFlags(addProjectFlag(command))).action(async (nameOrID: string, flags: RuleFlags) => {
    const context = await openContext(terminal, flags);
    const { connection } = context;
    const { updateAlertRule } = await import('@muster/client');
    const alertRuleID = await findAlertRuleID(connection, nameOrID, flags.project);
    const body = await toRuleFields(connection, flags.project, flags);
    if (Object.keys(body).length === 0) {
      throw new CommandError(
        'usage',
        'There is nothing to change.',
        'Add one of the flags that --help lists.',
      );
    }
    await print(context, await updateAlertRule(connection.client, { alertRuleID, body }));
  });
}

function addSwitch(rule: Command, terminal: Terminal, enabled: boolean): void {
  const verb = enabled ? 'enable' : 'disable';
  const command = addClientCommand(rule, `${verb} <name|id>`, {
    summary: enabled ? 'Let an alert rule look again.' : 'Mute an alert rule, until it is enabled.',
    description: enabled
      ? 'Lets an alert rule look again.'
      : 'Mutes an alert rule, until it is enabled again. What it has found counts as over. To silence a single error instead, run: muster error mute GROUP --for 12h --reason TEXT',
    examples: [`muster alert rule ${verb} 'New errors'`],
  }).alias(enabled ? 'unmute' : 'mute');
  addOutputFlags(addProjectFlag(command)).action(async (nameOrID: string, flags: ClientFlags) => {
    const context = await openContext(terminal, flags);
    const { connection } = context;
    const { updateAlertRule } = await import('@muster/client');
    const alertRuleID = await findAlertRuleID(connection, nameOrID, flags.project);
    await print(context, await updateAlertRule(connection.client, { alertRuleID, body: { enabled } }));
  });
}

async function print({ connection, printer }: CommandContext, rule: AlertRule): Promise<void> {
  // The rule is changed, whether or not the names can be read.
  const named = namedView(connection.client, rule).catch(() => alertRuleView());
  printer.one(rule, printer.isForScript ? alertRuleView() : await named);
}

/** With the names of its channels, if the credential may read them. */
async function namedView(client: Client, { channelIDs }: AlertRule) {
  const { getAlertChannel } = await import('@muster/client');
  const channels = await Promise.all(
    (channelIDs ?? []).map((alertChannelID) => unlessRefused(getAlertChannel(client, { alertChannelID }))),
  );
  return alertRuleView(new Map(channels.flatMap((one) => (one === undefined ? [] : [[one.id, one.name]]))));
}

function addDelete(rule: Command, terminal: Terminal): void {
  const command = addClientCommand(rule, 'delete <name|id>', {
    summary: 'Delete an alert rule.',
    examples: ["muster alert rule delete 'New errors'"],
  });
  addYesFlag(addProjectFlag(command)).action(
    async (nameOrID: string, flags: ClientFlags & { yes?: boolean }) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { deleteAlertRule } = await import('@muster/client');
      const alertRuleID = await findAlertRuleID(connection, nameOrID, flags.project);
      await confirm(terminal, `Delete the alert rule '${nameOrID}'?`, flags.yes);
      await deleteAlertRule(connection.client, { alertRuleID });
      printer.note(`Deleted the alert rule '${nameOrID}'.`);
    },
  );
}
