import { readFileSync } from 'node:fs';
import { ConfigError } from '@muster/server/config';
import { Command, CommanderError } from 'commander';
import { addCopyCommand } from './commands/copy.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addServeCommand } from './commands/serve.ts';
import { exitCodes } from './exit-codes.ts';

/** Runs the command line that follows `muster`. Sets the exit code on a failure, and never exits by itself. */
export async function runMuster(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    report(error);
  }
}

function createProgram(): Command {
  const program = new Command('muster')
    .description('A self-hosted control plane for fleets of telemetry agents.')
    .version(readVersion(), '-v, --version', 'Print the version.')
    .helpOption('-h, --help', 'Print this help.')
    .helpCommand('help [command]', 'Print the help of a command.')
    .configureHelp({ showGlobalOptions: false })
    .showHelpAfterError('Run it with --help for what it takes.')
    .showSuggestionAfterError()
    // Before the commands are added, which inherit it.
    .exitOverride();
  addServeCommand(program);
  addMigrateCommand(program);
  addCopyCommand(program);
  return program;
}

/** The package.json lies one folder up from the source, as it does from the bundle. */
function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion ? String(manifest.version) : 'unknown';
}

function report(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has written its message already; help and version arrive here too, with 0.
    if (error.exitCode !== 0) process.exitCode = exitCodes.usage;
  } else if (error instanceof ConfigError) {
    process.stderr.write(`${error.faults.join('\n')}\n`);
    process.exitCode = exitCodes.usage;
  } else {
    process.stderr.write(`muster: ${explain(error)}\n`);
    process.exitCode = exitCodes.failed;
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isBug = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  const message = (isBug ? error.stack : undefined) ?? error.message;
  return error.cause === undefined ? message : `${message}\n  because: ${explain(error.cause)}`;
}
