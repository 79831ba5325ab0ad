import { basename } from 'node:path';
import { fleetConfigFormatNames, fleetConfigFormatOf } from '@muster/contract';
import type { FluentBitSchema } from '@muster/fleet-config';
import type { Command } from 'commander';
import { addJsonFlag, addLocalCommand, collect } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { findingLine } from '../../output/fleet-view.ts';
import { Printer } from '../../output/printer.ts';
import { readTextFile } from '../../read-text-file.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { formatOfFile } from './format-of-file.ts';

interface ValidateFlags {
  readonly json?: boolean;
  readonly format?: string;
  readonly file?: readonly string[];
  readonly skipValidation?: boolean;
  readonly schema?: string;
}

/** `muster fleet validate`: it needs no server. */
export function addFleetValidateCommand(noun: Command, terminal: Terminal): void {
  const command = addLocalCommand(noun, 'validate <file>', {
    summary: 'Check a configuration of Fluent Bit.',
    description:
      'Checks a configuration of Fluent Bit as it is checked when a fleet gets it: what agents would refuse or ignore, each with its line and what to do. It needs no server. Plugins and properties are those of Fluent Bit 5.1.1; for another version or build, give what its fluent-bit -J prints. With an error, it ends with 1.',
    examples: [
      'muster fleet validate fluent-bit.yaml',
      'muster fleet validate fluent-bit.conf --file parsers.conf --json',
      'fluent-bit -J | muster fleet validate fluent-bit.yaml --schema -',
    ],
  });
  addJsonFlag(command)
    .option('--format <format>', 'classic, yaml or json. Default: as the name of the file ends, or classic.')
    .option('--file <file>', 'A file that agents get beside it; may be repeated.', collect)
    .option('--schema <file>', "What 'fluent-bit -J' has printed; - for standard input.")
    .option('--skip-validation', 'Accept plugins and properties that are not known.')
    .action(async (file: string, flags: ValidateFlags) => {
      const { fluentBitSchema, validateFleetConfig } = await import('@muster/fleet-config');
      const { schema } = flags;
      const printer = new Printer(terminal, flags);
      const findings = validateFleetConfig(
        {
          rawConfig: await readTextFile(terminal, file),
          configFormat: flags.format === undefined ? formatOfFile(file) : readFormat(flags.format),
          files: await Promise.all(
            (flags.file ?? []).map(async (name) => ({
              name: basename(name),
              bytes: Buffer.from(await readTextFile(terminal, name)),
            })),
          ),
          minFluentBitVersion: '',
          skipNames: flags.skipValidation ?? false,
        },
        schema === undefined ? fluentBitSchema : await readSchema(terminal, schema),
      );
      const errors = findings.filter(({ severity }) => severity === 'error');
      if (flags.json === true) printer.json({ isValid: errors.length === 0, findings });
      else printer.raw(findings.map((finding) => `${findingLine(finding, file)}\n`).join(''));
      if (errors.length > 0) {
        throw new CommandError(
          'failed',
          errors.length === 1
            ? 'The configuration has an error.'
            : `The configuration has ${errors.length} errors.`,
        );
      }
      printer.note('Agents accept this configuration.');
    });
}

async function readSchema(terminal: Terminal, file: string): Promise<FluentBitSchema> {
  const { FluentBitSchema, recordSchema } = await import('@muster/fleet-config');
  const printed = await readTextFile(terminal, file);
  try {
    return new FluentBitSchema(recordSchema(printed));
  } catch {
    throw new CommandError(
      'usage',
      `${file === '-' ? 'Standard input' : file} is not what 'fluent-bit -J' prints.`,
      'Run: fluent-bit -J > schema.json',
    );
  }
}

function readFormat(name: string) {
  const format = fleetConfigFormatOf(name);
  if (format !== undefined) return format;
  throw new CommandError(
    'usage',
    `'${name}' is no format of a configuration.`,
    `It must be one of ${fleetConfigFormatNames.join(', ')}.`,
  );
}
