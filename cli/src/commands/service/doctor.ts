import { resolve } from 'node:path';
import { countOf } from '@muster/contract';
import { type Config, ConfigError, readConfig, settings } from '@muster/server/config';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.ts';
import { printable } from '../../output/printable.ts';
import { spellCommands } from '../../own-command.ts';
import { addSettingFlags, readSettingFlags } from '../../setting-flags.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { readVersion } from '../../version.ts';

interface DoctorFlags {
  readonly json?: boolean;
  readonly bundle?: string;
}

interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'note' | 'warning' | 'failure';
  readonly message: string;
  readonly advice?: string;
}

const signs = { ok: 'ok', note: 'note', warning: 'WARNING', failure: 'FAILURE' } as const;

/** `muster doctor`: looks for what is wrong, or soon will be, on the machine of the service. */
export function addDoctorCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('doctor')
    .summary('Look for faults of an installation.')
    .description(
      'Checks settings, disk, permissions, clocks, database, backups, port, certificates, public URL, identity provider and alert channels on the machine of the service, and says what to do. It changes nothing. Give it the settings of the service, as variables or as the flags of `muster serve --help`. Exit codes: 0 nothing to do, 1 a failure, 6 only warnings.',
    )
    .option('--json', 'Print JSON.')
    .option('--bundle <file>', 'Also write a file for support: no secrets, and no rows of the database.')
    .action(async (flags: DoctorFlags) => {
      const given = readSettingFlags(command);
      const config = readOrExplain(() => readConfig({ env: terminal.env, flags: given }), flags, terminal);
      const { examine, systemMonotonicClock, writeSupportFile } = await import('@muster/server');
      const located = { ...config, dataDirectory: resolve(config.dataDirectory) };
      const { findings, database, metrics } = await examine(located, terminal.now, systemMonotonicClock);
      print(findings, flags, terminal);
      if (flags.bundle !== undefined) {
        const env = { ...terminal.env, ...byVariable(given) };
        const createdAt = new Date(terminal.now()).toISOString();
        const version = readVersion();
        writeSupportFile(flags.bundle, {
          createdAt,
          version,
          config: located,
          env,
          findings,
          database,
          metrics,
        });
        terminal.stderr.write(`The file for support is ${flags.bundle}. Read it before you send it.\n`);
      }
      failIfNeeded(findings);
    });
  addSettingFlags(command, Object.values(settings), { areHidden: true });
}

/** Faults of settings are findings too. Without settings, nothing else can be checked. */
function readOrExplain(read: () => Config, flags: DoctorFlags, terminal: Terminal): Config {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.faults.map(
      (message): Finding => ({
        check: 'settings',
        level: 'failure',
        message,
        advice: 'Correct the setting.',
      }),
    );
    print(findings, flags, terminal);
    throw new CommandError('failed', 'The settings are not valid, so nothing else was checked.');
  }
}

function print(findings: readonly Finding[], { json }: DoctorFlags, terminal: Terminal): void {
  const { stdout } = terminal;
  if (json === true) {
    stdout.write(`${JSON.stringify({ findings }, undefined, 2)}\n`);
    return;
  }
  for (const { check, level, message, advice } of findings) {
    stdout.write(`${signs[level].padEnd(8)}${check}: ${printable(spellCommands(message, terminal))}\n`);
    if (advice !== undefined) stdout.write(`        ${printable(spellCommands(advice, terminal))}\n`);
  }
}

function failIfNeeded(findings: readonly Finding[]): void {
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const [failures, warnings] = [count('failure'), count('warning')];
  const found = `doctor found ${countOf(failures, 'failure')} and ${countOf(warnings, 'warning')}.`;
  if (failures > 0) throw new CommandError('failed', found);
  if (warnings > 0) throw new CommandError('warnings', `doctor found ${countOf(warnings, 'warning')}.`);
}

function byVariable(flags: Readonly<Record<string, string>>): Record<string, string> {
  const all = Object.values(settings);
  return Object.fromEntries(
    all.flatMap(({ flag, variable }) => (flags[flag] === undefined ? [] : [[variable, flags[flag]]])),
  );
}
