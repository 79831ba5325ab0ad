import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, settings } from '@muster/server/config';
import type { Command } from 'commander';
import type { Terminal } from '../../terminal/terminal.ts';
import { CopyProgressLine } from './copy-progress-line.ts';

interface CopyFlags {
  readonly from?: string;
  readonly to?: string;
  readonly project?: string;
  readonly fromProfile?: string;
  readonly toProfile?: string;
  readonly insteadOf?: string;
  readonly quiet?: boolean;
}

interface CopyPlaces {
  /** Its data directory. */
  readonly source: string;
  /** A PostgreSQL URL. */
  readonly target: string;
}

const fromTakes =
  'sqlite: and the data directory of the installation, such as sqlite:./data or sqlite:/var/lib/muster';

/** `muster copy`: moves an installation from the embedded database to PostgreSQL, or one project to another installation. */
export function addCopyCommand(program: Command, terminal: Terminal): void {
  program
    .command('copy')
    .summary('Copy an installation to PostgreSQL, or move a project to another installation.')
    .description(
      'Copies a stopped installation from its embedded database to an empty PostgreSQL database, and verifies every row. If it is stopped, run it again and it continues where it stopped. It never changes the source.\n\nWith --project, it moves one project between two installations that run, each of which a profile names. Its tokens and agents go on with the same credentials. It takes nothing for some seconds, and the source then says where it has gone.',
    )
    .option('--from <sqlite:directory>', 'What is copied: sqlite: and the data directory.')
    .option(
      '--to <url>',
      'PostgreSQL database to copy to. Prefer the variable: flags are visible to every user of the machine. (DATABASE_URL)',
    )
    .option('--project <name|id>', 'Move this project instead.')
    .option('--from-profile <name>', 'With --project: the installation that it leaves.')
    .option('--to-profile <name>', 'With --project: the installation where it arrives.')
    .option(
      '--instead-of <url>',
      'With --project: it has left for this installation, which is lost and will never run again.',
    )
    .option('--quiet', 'Print nothing but faults.')
    .action(async (flags: CopyFlags) => {
      if (flags.project !== undefined || flags.fromProfile !== undefined || flags.toProfile !== undefined) {
        const { runMove } = await import('./run-move.ts');
        await runMove(terminal, flags);
        return;
      }
      const places = readPlaces(flags, process.env);
      // Loaded here, so that help and mistyped commands do not load it.
      const { copyInstallation } = await import('@muster/server');
      const { source, target } = places;
      const progress = new CopyProgressLine(flags.quiet ? undefined : process.stderr);
      progress.begin(source);
      try {
        const report = await copyInstallation({
          dataDirectory: source,
          databaseUrl: target,
          onProgress: (state) => progress.show(state),
        });
        progress.end();
        if (!flags.quiet) process.stdout.write(describeDone(report.tables, source));
      } finally {
        progress.end();
      }
    });
}

/** @throws ConfigError that names all faults together */
function readPlaces({ from = '', to = '' }: CopyFlags, env: NodeJS.ProcessEnv): CopyPlaces {
  const source = /^sqlite:(?:\/\/(?=\/))?((?!\/\/).+)$/s.exec(from)?.[1];
  const { variable, type } = settings.databaseUrl;
  const isFromFlag = to !== '';
  const given = isFromFlag ? to : (env[variable] ?? '');
  const target = type.parse(given);
  const faults: string[] = [];
  if (source === undefined) {
    faults.push(
      from === '' ? `--from is missing: it takes ${fromTakes}.` : `--from is wrong: it takes ${fromTakes}.`,
    );
  }
  if (given === '') faults.push(`--to is missing, and so is ${variable}: one of them takes ${type.takes}.`);
  else if (target === undefined) {
    faults.push(
      `${isFromFlag ? '--to' : variable} is not valid (its value is secret and not shown), but it takes ${type.takes}.`,
    );
  }
  if (source === undefined || target === undefined) throw new ConfigError(faults);
  return { source: resolve(source), target };
}

interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  readonly seconds: number;
}

function describeDone(tables: readonly CopiedTable[], source: string): string {
  return [
    'Done: every row is copied, and both databases were compared and are equal.',
    '',
    ...describeTables(tables),
    '',
    `Next: set DATABASE_URL to the new database and start Muster. All tokens stay valid, also the one in ${source}/admin-token.`,
    ...(existsSync(join(source, 'secret-key'))
      ? [
          `Set MUSTER_SECRET_KEY too, to the content of ${source}/secret-key: without it, alert channels get no messages, and agents no secrets of their fleets.`,
        ]
      : []),
    `Keep ${source} until you are satisfied. The copy did not change it; changes from now on are only in the new database.`,
    '',
  ].join('\n');
}

function describeTables(tables: readonly CopiedTable[]): string[] {
  const total = {
    table: 'total',
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    seconds: tables.reduce((sum, { seconds }) => sum + seconds, 0),
  };
  const lines = [...tables, total].map(({ table, rows, seconds }) => [
    table,
    rows.toLocaleString('en-US'),
    seconds.toFixed(1),
  ]);
  const cells = [['table', 'rows', 'seconds'], ...lines];
  const width = (column: number) => Math.max(...cells.map((line) => line[column]?.length ?? 0));
  const [name, rows, seconds] = [width(0), width(1), width(2)];
  return cells.map(
    ([first = '', second = '', third = '']) =>
      `  ${first.padEnd(name)}  ${second.padStart(rows)}  ${third.padStart(seconds)}`,
  );
}
