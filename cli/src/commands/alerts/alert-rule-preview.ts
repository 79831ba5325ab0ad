import type { AlertRule, AlertRulePreview, CreateAlertRule } from '@muster/client';
import { type AlertRuleKind, alertRuleKinds, numberOf, previewDays } from '@muster/contract';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addJsonFlag,
  addProjectFlag,
  type CommandContext,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import type { View } from '../../output/printer.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addConditionFlags, type ConditionFlags, toConditionFields } from './alert-rule-flags.ts';
import { findAlertRuleID } from './find-alert-resources.ts';

interface PreviewFlags extends ConditionFlags {
  readonly kind?: AlertRuleKind;
}

/** `muster alert rule preview`: what a rule would have sent. */
export function addAlertRulePreviewCommand(rule: Command, terminal: Terminal): void {
  const command = addClientCommand(rule, 'preview [name|id]', {
    summary: `Show what an alert rule would have sent in the last ${previewDays} days.`,
    description: `Shows what an alert rule would have sent in the last ${previewDays} days, without storing or sending anything: a rule of the project, also with other conditions than it has, or with --kind a rule that does not exist yet. It needs the permission to create rules.`,
    examples: [
      "muster alert rule preview 'New errors'",
      "muster alert rule preview 'Widespread errors' --share 10%",
      'muster alert rule preview --kind widespread_group --agents 10 --window 30min',
    ],
  });
  addConditionFlags(addJsonFlag(addProjectFlag(command)))
    .addOption(
      new Option('--kind <kind>', 'Of a rule that does not exist yet: what it looks for.').choices(
        alertRuleKinds,
      ),
    )
    .action(async (nameOrID: string | undefined, flags: PreviewFlags) => {
      const context = await openContext(terminal, flags);
      const { client } = context.connection;
      const { previewAlertRule } = await import('@muster/client');
      const body = await toRule(context, nameOrID, flags);
      const projectID = await chooseProjectID(context.connection, flags.project);
      const preview = await previewAlertRule(client, { projectID, body });
      if (flags.json === true) context.printer.json(preview);
      else await printPreview(context, preview);
    });
}

/** @throws CommandError unless exactly one of a rule and a kind is given */
async function toRule(
  { connection }: CommandContext,
  nameOrID: string | undefined,
  flags: PreviewFlags,
): Promise<CreateAlertRule> {
  const { kind } = flags;
  if (nameOrID === undefined && kind !== undefined) return { kind, ...toConditionFields(flags) };
  if (nameOrID === undefined || kind !== undefined) {
    throw new CommandError(
      'usage',
      nameOrID === undefined
        ? 'Neither a rule nor --kind is given.'
        : 'A rule and --kind are given. The kind of a rule cannot be changed.',
      'Name a rule of the project, or give --kind for a rule that does not exist yet.',
    );
  }
  const { getAlertRule } = await import('@muster/client');
  const alertRuleID = await findAlertRuleID(connection, nameOrID, flags.project);
  const rule = await getAlertRule(connection.client, { alertRuleID });
  return { ...conditionOf(rule), ...toConditionFields(flags) };
}

/** Without what a rule of its kind does not have. */
function conditionOf({
  kind,
  agents,
  share,
  windowSeconds,
  days,
  cooldownSeconds,
}: AlertRule): CreateAlertRule {
  return {
    kind,
    cooldownSeconds,
    ...(agents === null ? {} : { agents }),
    ...(share === null ? {} : { share }),
    ...(windowSeconds === null ? {} : { windowSeconds }),
    ...(days === null ? {} : { days }),
  };
}

async function printPreview({ printer }: CommandContext, preview: AlertRulePreview): Promise<void> {
  const { alerts, alertsCount, limits } = preview;
  printer.one(preview, previewView);
  if (alerts.length > 0) printer.raw('\n');
  await printer.all(alerts, alertView);
  if (alertsCount !== null && alerts.length > 0 && alerts.length < alertsCount)
    printer.note(`These are the newest ${alerts.length} of ${numberOf(alertsCount)} alerts.`);
  for (const limit of limits) printer.note(limit);
}

const previewView: View<AlertRulePreview> = {
  id: () => '',
  columns: [],
  details: ({ since, until, alertsCount, messagesCount, appliesNow }, { time }) => [
    ['since', time(since)],
    ['until', time(until)],
    ['alerts', countOrUnknown(alertsCount)],
    ['messages to a channel', countOrUnknown(messagesCount)],
    ['applies now', appliesNow === null ? undefined : appliesNow ? 'yes' : 'no'],
  ],
};

function countOrUnknown(count: number | null): string {
  return count === null ? 'unknown' : numberOf(count);
}

const alertView: View<AlertRulePreview['alerts'][number]> = {
  id: ({ subject }) => subject,
  columns: [
    { title: 'AT', cell: ({ at }, { time }) => time(at) },
    { title: 'TITLE', isFlexible: true, cell: ({ title }) => title },
    { title: 'ERROR', isFlexible: true, isOptional: true, cell: ({ text }) => text ?? '' },
  ],
  details: ({ at, title }) => [[at, title]],
};
