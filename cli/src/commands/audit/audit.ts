import type { AuditEntry } from '@muster/client';
import { auditActions } from '@muster/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { exportLines } from '../../audit/export-lines.ts';
import { addClientCommand, addListFlags, addNoun, openContext, readCount } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { findActor } from '../../connection/find-actor.ts';
import { printList } from '../../output/print-list.ts';
import { escapeInJson } from '../../output/printable.ts';
import { type LastFlags, pageSizeFor } from '../../output/take-last.ts';
import { readSince, toTime } from '../../since.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addLogFlags, chooseLog, type LogFlags } from './audit-log-flags.ts';
import { addAuditVerify } from './audit-verify.ts';

interface FilterFlags {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly since?: string;
  readonly until?: string;
}

/** `muster audit`: who changed what. */
export function addAuditCommands(program: Command, terminal: Terminal): void {
  const audit = addNoun(program, 'audit', 'The audit log: who changed what, for owners and administrators.');
  addList(audit, terminal);
  addExport(audit, terminal);
  addAuditVerify(audit, terminal);
}

function addList(audit: Command, terminal: Terminal): void {
  const command = addClientCommand(audit, 'list', {
    summary: 'List who changed what in a project, newest first.',
    examples: [
      'muster audit list',
      'muster audit list --actor ci',
      "muster audit list --action 'token.*' --since 7d",
      'muster audit list --target 0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d',
      'muster audit list --installation --action request.denied',
    ],
  });
  addListFlags(addLogFlags(command))
    .option('--actor <name|id>', 'Only what this person, token or agent did.')
    .option(
      '--action <action>',
      "Only this action; 'token.*' means all that begin with 'token.'.",
      readAction,
    )
    .option('--target <id>', 'Only what was done to this.')
    .option('--since <when>', 'Only since then: a duration (2h, 7d) or a time.', readSince)
    .option('--until <when>', 'Before then.', readSince)
    .action(async (flags: LogFlags & LastFlags & FilterFlags) => {
      const context = await openContext(terminal, flags);
      const { client } = context.connection;
      const log = await chooseLog(context, flags);
      const { listAuditEntries, listInstallationAuditEntries } = await import('@muster/client');
      const { auditView } = await import('../../output/audit-view.ts');
      const actor =
        flags.actor === undefined ? undefined : await findActor(context.connection, flags.actor, log);
      const query = { last: pageSizeFor(flags), ...toQuery(flags, actor?.id, terminal.now()) };
      const list =
        log === 'installation'
          ? listInstallationAuditEntries(client, query)
          : listAuditEntries(client, { projectID: log.projectID, ...query });
      await printList<AuditEntry>(context.printer, {
        pages: list.pages(),
        flags,
        view: auditView,
        things: 'entries of the audit log',
        none: 'The audit log has no entries.',
        filters: {
          '--actor': flags.actor,
          '--action': flags.action,
          '--target': flags.target,
          '--since': flags.since,
          '--until': flags.until,
        },
      });
      if (actor !== undefined && actor.noun !== 'person' && !context.printer.isForScript)
        context.printer.note(
          'What agents register and report is not in the audit log. To see who uses a token, run: muster token usage NAME',
        );
    });
}

function toQuery({ action, target, since, until }: FilterFlags, actorID: string | undefined, now: number) {
  return {
    ...(actorID === undefined ? {} : { actor_id: actorID }),
    ...(action === undefined ? {} : { action }),
    ...(target === undefined ? {} : { target_id: target }),
    ...(since === undefined ? {} : { since: toTime(since, now) }),
    ...(until === undefined ? {} : { until: toTime(until, now) }),
  };
}

/** @throws InvalidArgumentError */
function readAction(text: string): string {
  const isKnown = auditActions.some((action) =>
    text.endsWith('.*') ? action.startsWith(text.slice(0, -1)) : action === text,
  );
  if (isKnown) return text;
  throw new InvalidArgumentError(`Actions are: ${auditActions.join(', ')}.`);
}

function addExport(audit: Command, terminal: Terminal): void {
  const command = addClientCommand(audit, 'export', {
    summary: 'Print the audit log as lines of JSON, oldest first.',
    description:
      "Prints the audit log as lines of JSON, oldest first, for an archive. 'muster audit verify FILE' checks it.",
    examples: [
      'muster audit export > audit.jsonl',
      'muster audit export --after 1200 >> audit-2.jsonl',
      'muster audit export --installation > all.jsonl',
    ],
  });
  addLogFlags(command)
    .option('--after <n>', 'Only what follows the entry with this number.', readCount)
    .action(async (flags: LogFlags & { readonly after?: number }) => {
      const context = await openContext(terminal, flags);
      const log = await chooseLog(context, flags);
      if (log === 'installation' && flags.after !== undefined)
        throw new CommandError('usage', '--after is of one log. Give --project instead of --installation.');
      for await (const line of exportLines(context.connection.client, log, flags.after)) {
        terminal.stdout.write(`${escapeInJson(line)}\n`);
      }
    });
}
