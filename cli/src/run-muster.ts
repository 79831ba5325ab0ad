import { ConfigError } from '@muster/server/config';
import { Command, CommanderError } from 'commander';
import { addAgentCommands } from './commands/agents/agents.ts';
import { addAlertCommands } from './commands/alerts/alerts.ts';
import { addApplyCommand } from './commands/apply.ts';
import { addAuditCommands } from './commands/audit/audit.ts';
import { addCompleteCommand } from './commands/complete.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addCoreInstanceCommands } from './commands/core-instances/core-instances.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDismissalCommands } from './commands/errors/dismissals.ts';
import { addErrorCommands } from './commands/errors/errors.ts';
import { addFleetCommands } from './commands/fleets.ts';
import { addAccessTokenCommands } from './commands/people/access-tokens.ts';
import { addInvitationCommands } from './commands/people/invitations.ts';
import { addMemberCommands } from './commands/people/members.ts';
import { addSessionCommands } from './commands/people/sessions.ts';
import { addUserCommands } from './commands/people/users.ts';
import { addProjectCommands } from './commands/projects.ts';
import { addReportCommand } from './commands/report.ts';
import { addAdminCommand } from './commands/service/admin.ts';
import { addBackupCommand } from './commands/service/backup.ts';
import { addCopyCommand } from './commands/service/copy.ts';
import { addDoctorCommand } from './commands/service/doctor.ts';
import { addMigrateCommand } from './commands/service/migrate.ts';
import { addRestoreCommand } from './commands/service/restore.ts';
import { addServeCommand } from './commands/service/serve.ts';
import { addLoginCommand } from './commands/sign-in/login.ts';
import { addLogoutCommand } from './commands/sign-in/logout.ts';
import { addProfileCommands } from './commands/sign-in/profiles.ts';
import { addStatusCommand } from './commands/sign-in/status.ts';
import { addWhoamiCommand } from './commands/sign-in/whoami.ts';
import { addTokenCommands } from './commands/tokens/tokens.ts';
import { exitCodes } from './exit-codes.ts';
import { explainError } from './explain-error.ts';
import { formatHelpItem } from './output/format-help-item.ts';
import { printable } from './output/printable.ts';
import { type Terminal, wantsColor, widthOf } from './terminal/terminal.ts';
import { readVersion } from './version.ts';

/** Runs the command line after `muster` and returns the exit code. Never exits the process. */
export async function runMuster(args: readonly string[], given: Terminal): Promise<number> {
  let isPlain = false;
  const terminal = withEnv(given, () => (isPlain ? { ...given.env, NO_COLOR: '1' } : given.env));
  const program = createProgram(terminal);
  program.on('option:no-color', () => {
    isPlain = true;
  });
  let command: Command | undefined;
  program.hook('preAction', (_, started) => {
    command = started;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return report(error, terminal, command);
  }
}

/** The same terminal with another environment. Its streams are touched only when they are used. */
function withEnv(terminal: Terminal, env: () => Terminal['env']): Terminal {
  return Object.create(terminal, { env: { get: env } });
}

/** Every command, its flags and its help. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('muster')
    .description('A self-hosted control plane for fleets of telemetry agents.')
    .version(readVersion(), '-v, --version', 'Print the version.')
    .helpOption('-h, --help', 'Print this help.')
    .option('--no-color', 'Print without colour. Any command takes it. (NO_COLOR)')
    .helpCommand('help [command]', 'Print the help of a command.')
    .addHelpText('after', environmentHelp)
    .configureHelp({ showGlobalOptions: false, minWidthToWrap: 20, formatItem: formatHelpItem })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
      // The message repeats what the user typed, which may contain control characters.
      outputError: (text, write) =>
        write(
          text
            .replace(/^error: /, 'muster: ')
            .split('\n')
            .map(printable)
            .join('\n'),
        ),
      getOutHelpWidth: () => widthOf(terminal.stdout) ?? 80,
      getErrHelpWidth: () => widthOf(terminal.stderr) ?? 80,
      getOutHasColors: () => wantsColor(terminal.stdout, terminal.env),
      getErrHasColors: () => wantsColor(terminal.stderr, terminal.env),
    })
    .showHelpAfterError('Run it with --help for its flags and arguments.')
    .showSuggestionAfterError()
    // Before the commands are added, because they inherit this setting.
    .exitOverride();
  program.commandsGroup('Sign in:');
  addLoginCommand(program, terminal);
  addLogoutCommand(program, terminal);
  addWhoamiCommand(program, terminal);
  addStatusCommand(program, terminal);
  addProfileCommands(program, terminal);
  program.commandsGroup('Work with a server:');
  addProjectCommands(program, terminal);
  addTokenCommands(program, terminal);
  addAgentCommands(program, terminal);
  addFleetCommands(program, terminal);
  addErrorCommands(program, terminal);
  addDismissalCommands(program, terminal);
  addAlertCommands(program, terminal);
  addMemberCommands(program, terminal);
  addInvitationCommands(program, terminal);
  addUserCommands(program, terminal);
  addAccessTokenCommands(program, terminal);
  addSessionCommands(program, terminal);
  addAuditCommands(program, terminal);
  addApplyCommand(program, terminal);
  program.commandsGroup('Run an agent:');
  addReportCommand(program, terminal);
  program.commandsGroup('Run Muster at a site:');
  addCoreInstanceCommands(program, terminal);
  program.commandsGroup('Run a server:');
  addServeCommand(program, terminal);
  addDemoCommand(program, terminal);
  addMigrateCommand(program, terminal);
  addCopyCommand(program);
  addBackupCommand(program, terminal);
  addRestoreCommand(program, terminal);
  addDoctorCommand(program, terminal);
  addAdminCommand(program, terminal);
  program.commandsGroup('Further:');
  addCompletionCommand(program, terminal);
  addCompleteCommand(program, terminal);
  return program;
}

const environmentHelp = `
Environment:
  MUSTER_URL, MUSTER_TOKEN  Server and token, for scripts; used before the profile.
  MUSTER_PROJECT            The project that commands use; --project overrides it.
  MUSTER_PROFILE            The profile; --profile overrides it and both above.
  NO_COLOR                  Disables colour.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not signed in, 4 forbidden,
5 not found, 6 would change.`;

function report(error: unknown, terminal: Terminal, command: Command | undefined): number {
  if (error instanceof CommanderError) {
    // Commander has already written its message. Help and version also arrive here, with code 0.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  if (error instanceof ConfigError) {
    terminal.stderr.write(error.faults.map((fault) => `muster: ${fault}\n`).join(''));
    return exitCodes.usage;
  }
  const { exitCode, text } = explainError(error, {
    command,
    tokenVariable: tokenVariableOf(command, terminal),
    projectSource: projectSourceOf(command, terminal),
  });
  terminal.stderr.write(text);
  return exitCode;
}

/** Undefined for an argument, which the message repeats. Without a flag and a variable, it is the project of the profile. */
function projectSourceOf(command: Command | undefined, { env }: Terminal): string | undefined {
  if (command?.options.some(({ long }) => long === '--project') !== true) return undefined;
  if (command.opts().project !== undefined) return '--project';
  return (env.MUSTER_PROJECT ?? '') === ''
    ? 'the profile; to choose another one, run: muster project use NAME'
    : 'MUSTER_PROJECT';
}

/** MUSTER_TOKEN, if the command uses it: `login` and commands with --profile do not. */
function tokenVariableOf(command: Command | undefined, { env }: Terminal): string | undefined {
  const takesIt = command !== undefined && command.name() !== 'login' && command.opts().profile === undefined;
  return takesIt && (env.MUSTER_TOKEN ?? '') !== '' ? 'MUSTER_TOKEN' : undefined;
}
