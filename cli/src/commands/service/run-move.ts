import { CommandError } from '../../command-error.ts';
import { connect } from '../../connection/connect.ts';
import { findProjectID } from '../../connection/find-resources.ts';
import { readServerUrl } from '../../connection/server-url.ts';
import { printable } from '../../output/printable.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { CopyProgressLine } from './copy-progress-line.ts';
import { type MoveReport, moveProject } from './move-project.ts';

interface MoveFlags {
  readonly from?: string;
  readonly to?: string;
  readonly project?: string;
  readonly fromProfile?: string;
  readonly toProfile?: string;
  readonly insteadOf?: string;
  readonly quiet?: boolean;
}

/** `muster copy --project`: moves a project between two running installations. @throws CommandError */
export async function runMove(terminal: Terminal, flags: MoveFlags): Promise<void> {
  const { project, fromProfile, toProfile } = readFlags(flags);
  const source = await connect(terminal, fromProfile);
  const target = await connect(terminal, toProfile);
  if (source.url === target.url) {
    throw new CommandError(
      'usage',
      `Both profiles are for ${source.url}. A project moves to another installation.`,
      'Name its profile with --to-profile.',
    );
  }
  const projectID = await findProjectID(source, project);
  const say = (text: string) => (flags.quiet ? undefined : terminal.stderr.write(text));
  const progress = new CopyProgressLine(flags.quiet ? undefined : terminal.stderr, () => terminal.now());
  say(
    `Moving the project ${projectID} from ${source.url} to ${target.url}. You can stop it safely: run the same command again, with --project ${projectID}, to continue.\n`,
  );
  try {
    const report = await moveProject({
      source,
      target,
      projectID,
      insteadOf: flags.insteadOf === undefined ? undefined : readServerUrl(flags.insteadOf, '--instead-of'),
      onProgress: (state) => progress.showMove(state),
    });
    progress.end();
    if (!flags.quiet) terminal.stdout.write(describeMove(report, source.url, target.url));
  } finally {
    progress.end();
  }
}

/** @throws CommandError that says what is missing */
function readFlags({ project, fromProfile, toProfile, from, to }: MoveFlags) {
  if (from !== undefined || to !== undefined) {
    throw new CommandError(
      'usage',
      'With --project, --from and --to are not used: both installations run, and a profile names each.',
      'Run: muster copy --project NAME --from-profile NAME --to-profile NAME',
    );
  }
  if (project === undefined || fromProfile === undefined || toProfile === undefined) {
    const missing = Object.entries({
      '--project': project,
      '--from-profile': fromProfile,
      '--to-profile': toProfile,
    }).flatMap(([flag, value]) => (value === undefined ? [flag] : []));
    throw new CommandError(
      'usage',
      `To move a project, ${missing.join(' and ')} must be given too.`,
      'Run: muster copy --project NAME --from-profile NAME --to-profile NAME',
    );
  }
  return { project, fromProfile, toProfile };
}

function describeMove(report: MoveReport, from: string, to: string): string {
  const name = printable(report.name);
  if (!report.isMoved) return `The project ${name} has moved to ${to} already.\n`;
  const rows = report.tables.reduce((sum, table) => sum + table.rows, 0).toLocaleString('en-US');
  return [
    `Done: the project ${name} is at ${to}. ${rows} rows were compared and are equal. It took nothing for ${report.frozenSeconds.toFixed(1)} s.`,
    '',
    `Next: let its agents, core instances and people use ${to}. Until then, ${from} names that address in its answers, and agents keep what they have.`,
    'Those that still use the former address count as offline at the new one after a few minutes, and alert rules say so: mute these rules until the address is changed.',
    `Add its members at ${to}, because people belong to an installation. You are an owner there.`,
    `Its rows at ${from} are kept until the project is deleted there.`,
    '',
  ].join('\n');
}
