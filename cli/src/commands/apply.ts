import { type AppliedProvisioning, countOf, type ProvisioningChange } from '@muster/contract';
import type { Command } from 'commander';
import { addClientCommand, addJsonFlag, type ClientFlags, openContext } from '../client-command.ts';
import { CommandError } from '../command-error.ts';
import { printable } from '../output/printable.ts';
import { describeLength } from '../output/relative-time.ts';
import { createTones, type Tone } from '../output/tones.ts';
import { spellCommands } from '../own-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface ApplyFlags extends ClientFlags {
  readonly file: string;
  readonly dryRun?: boolean;
}

/** `muster apply`: makes projects, members, tokens and fleets as a file says. */
export function addApplyCommand(program: Command, terminal: Terminal): void {
  const command = addClientCommand(program, 'apply', {
    summary: 'Create and change projects, members, tokens and fleets as a file says.',
    description:
      'Creates and changes projects, members, tokens and fleets as a file says, all or nothing, and prints what it changes. What the file does not name stays as it is, and what a person has removed or revoked since does not come back. Values of tokens are never printed.',
    examples: [
      'muster apply -f provisioning.yaml --dry-run',
      'muster apply -f provisioning.yaml',
      'muster apply -f provisioning.yaml --dry-run --json | jq -r ".changes[].action"',
    ],
  });
  addJsonFlag(command)
    .requiredOption('-f, --file <file>', 'The file, in YAML or JSON.')
    .option('--dry-run', 'Change nothing, and print what would change. Exits with 7 if something would.')
    .action(async (flags: ApplyFlags) => {
      const { readProvisionFile } = await import('@muster/server/provision-file');
      const file = readProvisionFile(flags.file, terminal.env);
      const { connection, printer } = await openContext(terminal, flags);
      const { applyProvisioning } = await import('@muster/client');
      const body = { ...file.request, ...(flags.dryRun && { dryRun: true }) };
      const applied = await applyProvisioning(connection.client, { body }).catch(async (error: unknown) => {
        const { failureOf, isRefusal } = await import('../explain-error.ts');
        if (!isRefusal(error) || error.problem.fields === undefined) throw error;
        throw new CommandError(failureOf(error.status), file.explain(error.problem.fields).join('\n'));
      });
      if (printer.isForScript) printer.json(applied);
      else printer.raw(describe(applied, terminal));
      const count = applied.changes.filter(({ action }) => action !== 'skip').length;
      if (flags.dryRun && count > 0) {
        throw new CommandError('differs', `${countOf(count, 'change')} would be made. Nothing was changed.`);
      }
    });
}

const signs: Readonly<Record<ProvisioningChange['action'], readonly [sign: string, tone: Tone]>> = {
  create: ['+', 'good'],
  update: ['~', 'warning'],
  rotate: ['~', 'warning'],
  skip: ['!', 'bad'],
};

function describe({ changes, dryRun }: AppliedProvisioning, terminal: Terminal): string {
  const tones = createTones(terminal);
  const lines = changes.flatMap((change) => {
    const [sign, tone] = signs[change.action];
    const title = `${sign} ${change.resource} ${change.name}${change.resource === 'project' ? '' : ` in ${change.project}`}`;
    return [
      tones[tone](printable(title)),
      ...detailsOf(change, terminal).map((detail) => `    ${printable(detail)}`),
    ];
  });
  const done = changes.filter(({ action }) => action !== 'skip').length;
  if (done === 0) lines.push(`Everything ${changes.length === 0 ? '' : 'else '}is as the file says.`);
  else if (!dryRun) lines.push(`Made ${countOf(done, 'change')}.`);
  return `${lines.join('\n')}\n`;
}

function detailsOf({ action, fields, reason }: ProvisioningChange, terminal: Terminal): string[] {
  if (reason !== null) return [spellCommands(reason, terminal)];
  if (action === 'rotate') {
    const [grace] = fields;
    const left = describeLength(Number(grace?.after ?? 0) * 1_000);
    return [`new value; the one before it ends ${left === undefined ? 'at once' : `in ${left}`}`];
  }
  return fields
    .filter(({ field, after }) => action !== 'create' || (field !== 'name' && after !== null))
    .map(({ field, before, after }) =>
      action === 'create' ? `${field}: ${after}` : `${field}: ${before ?? 'none'} -> ${after ?? 'none'}`,
    );
}
