import { ConfigError } from '@muster/server/config-error';
import { Command, CommanderError } from 'commander';
import { exitCodes } from './exit-codes.ts';
import { formatHelpItem } from './output/format-help-item.ts';
import { printable } from './output/printable.ts';
import { spellCommands } from './own-command.ts';
import { type Terminal, wantsColor, widthOf } from './terminal/terminal.ts';
import { readVersion } from './version.ts';

export type AddCommands = (program: Command, terminal: Terminal) => void;

/** Runs the command line after `muster` with some of its commands and returns the exit code. Never exits the process. */
export async function runProgram(
  addCommands: AddCommands,
  args: readonly string[],
  given: Terminal,
): Promise<number> {
  let isPlain = false;
  const terminal = withEnv(given, () => (isPlain ? { ...given.env, NO_COLOR: '1' } : given.env));
  const program = createProgramOf(addCommands, terminal);
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

/** The program with its commands, their flags and their help. */
export function createProgramOf(addCommands: AddCommands, terminal: Terminal): Command {
  const program = new Command('muster')
    .description('A self-hosted control plane for fleets of telemetry agents.')
    .version(readVersion(), '-v, --version', 'Print the version.')
    .helpOption('-h, --help', 'Print this help.')
    .option('--no-color', 'Print without colour. Any command takes it. (NO_COLOR)')
    .helpCommand('help [command]', 'Print the help of a command.')
    .addHelpText('after', environmentHelp)
    .configureHelp({ showGlobalOptions: false, minWidthToWrap: 20, formatItem: formatHelpItem })
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(spellCommands(text, terminal)),
      writeErr: (text) => void terminal.stderr.write(spellCommands(text, terminal)),
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
  addCommands(program, terminal);
  return program;
}

const environmentHelp = `
Environment:
  MUSTER_URL, MUSTER_TOKEN  Server and token, for scripts; used before the profile.
  MUSTER_PROJECT            The project that commands use; --project overrides it.
  MUSTER_PROFILE            The profile; --profile overrides it and both above.
  NO_COLOR                  Disables colour.

Exit codes: ${exitCodes.ok} done, ${exitCodes.failed} failed, ${exitCodes.usage} wrong usage, ${exitCodes.notSignedIn} not signed in, ${exitCodes.forbidden} forbidden,
${exitCodes.notFound} not found, ${exitCodes.warnings} warnings, ${exitCodes.differs} would change.`;

async function report(error: unknown, terminal: Terminal, command: Command | undefined): Promise<number> {
  if (error instanceof CommanderError) {
    // Commander has already written its message. Help and version also arrive here, with code 0.
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  if (error instanceof ConfigError) {
    terminal.stderr.write(
      spellCommands(error.faults.map((fault) => `muster: ${fault}\n`).join(''), terminal),
    );
    return exitCodes.usage;
  }
  const { explainError } = await import('./explain-error.ts');
  const { exitCode, text } = explainError(error, {
    command,
    tokenVariable: tokenVariableOf(command, terminal),
    projectSource: projectSourceOf(command, terminal),
  });
  terminal.stderr.write(spellCommands(text, terminal));
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
