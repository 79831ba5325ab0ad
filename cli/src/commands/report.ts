import { hostname } from 'node:os';
import type { ReportOptions } from '@muster/report';
import { ConfigError } from '@muster/server/config';
import { type Command, Option } from 'commander';
import { findService, type ServiceChoice } from '../connection/find-service.ts';
import { printable } from '../output/printable.ts';
import { spellCommands } from '../own-command.ts';
import { requireProfileName } from '../profiles/profile-store.ts';
import type { Terminal } from '../terminal/terminal.ts';

interface ReportFlags {
  readonly url?: string;
  readonly profile?: string;
  readonly tokenFile?: string;
  readonly stateDir?: string;
  readonly name?: string;
  readonly type?: string;
  readonly instance?: string;
  readonly machineId?: string;
  readonly configFile?: string[];
  readonly pattern?: string;
  readonly level: string;
  readonly logFile?: string[];
  readonly watch?: string;
  readonly repeatSeconds: string;
  readonly exitWait: string;
  readonly dryRun?: boolean;
  readonly tee?: boolean;
}

const examples = `
Examples:
  muster report -- fluent-bit -c /etc/fluent-bit/fluent-bit.conf
  journalctl -fu fluent-bit -o cat | muster report --type fluentbit -
  muster report --dry-run - < fluent-bit.log
  muster report --level warn -- fluent-bit -c /etc/fluent-bit/fluent-bit.conf

The agent starts at once. Its signals, exit code, stdin and output are the same as without muster report. Its output is
passed on first and read afterwards: stderr, stdout if the agent logs there, and the file that it logs to. Messages of
muster report are lines of stderr that begin with 'muster: '. No failure of Muster affects the agent: while Muster is
away, errors are kept in the state directory and sent later, no later than by the next run. In Muster, they then have
the time at which they arrived.

Exit code: that of the agent. 126: it cannot be run. 127: it does not exist. 2: a flag is wrong.`;

/** `muster report`: runs an agent or reads its output, and reports its errors. */
export function addReportCommand(program: Command, terminal: Terminal): void {
  program
    .command('report')
    .usage('[options] -- <agent> [arguments...]\n       muster report [options] -')
    .summary('Run an agent and report its errors.')
    .description(
      'Runs an agent and reports its error messages to Muster; with - it reads them from stdin. Knows Fluent Bit, the OpenTelemetry Collector, syslog-ng, rsyslog and collectd, and the documented formats of Fluentd and Vector (not tried); others by their level, or by --pattern.',
    )
    .argument('<agent...>', 'The command line of the agent, after --, or - for stdin.')
    .addOption(
      new Option(
        '--url <url>',
        'Address of Muster. (else MUSTER_URL, else that of the profile in use)',
      ).conflicts('profile'),
    )
    .option('--profile <name>', 'Profile whose server to report to. (MUSTER_PROFILE)')
    .option(
      '--token-file <file>',
      'File that holds the project token, which needs create:agent and create:agent_error. (else the token in MUSTER_TOKEN, else that of the profile, if it is a project token)',
    )
    .option(
      '--name <name>',
      'Name of the agent in Muster; another one renames it. (default: the name of the host)',
    )
    .option('--type <type>', 'Type of the agent, such as fluentbit. (default: from its command line)')
    .option('--instance <name>', 'Distinguishes agents of one type on one host. (default: the type)')
    .option(
      '--machine-id <id>',
      'Identifies host and agent. (default: made from /etc/machine-id and --instance)',
    )
    .option(
      '--config-file <file>',
      'Configuration to send; may be given again. (default: from its command line)',
      (file: string, before: string[] = []) => [...before, file],
    )
    .option(
      '--log-file <file>',
      'File that the agent logs to, read from its end on; may be given again. (default: from its command line and configuration)',
      (file: string, before: string[] = []) => [...before, file],
    )
    .option(
      '--pattern <regex>',
      'Report the lines that match this regular expression (JavaScript, case-sensitive), or its first group, instead of the known formats.',
    )
    .option(
      '--level <level>',
      'error, or warn: report warnings too, as [warn] and their text. Warnings of Fluent Bit that data is lost are errors.',
      'error',
    )
    .option(
      '--watch <streams>',
      'stderr, stdout or both. (default: where the agent is known to log, else both; on a terminal only stderr)',
    )
    .option('--repeat-seconds <seconds>', 'Report an equal error again after this many seconds.', '60')
    .option('--exit-wait <seconds>', 'How long to send the last errors after the agent has ended.', '5')
    .option(
      '--state-dir <directory>',
      'Directory for the registration and unsent errors. (default: muster in STATE_DIRECTORY or XDG_STATE_HOME)',
    )
    .option('--tee', 'With -: also write the input to stdout.')
    .option('--dry-run', 'Report nothing: print each text that would be reported, once.')
    .addHelpText('after', examples)
    .action(async ([first = '', ...args]: string[], flags: ReportFlags) => {
      const options = readOptions(flags, terminal, program.version() ?? '');
      if (first === '-' && flags.logFile !== undefined) throw new ConfigError([logFileOfNobody]);
      const { defaultStateDirectory, runReport, runReportOfPipe } = await import('@muster/report');
      const stateDirectory = flags.stateDir ?? defaultStateDirectory(terminal.env);
      if (first === '-') await runReportOfPipe({ ...options, stateDirectory });
      else await runReport({ ...options, stateDirectory }, first, args);
    });
}

const logFileOfNobody =
  '--log-file goes with an agent that is run. Read a file of another agent with: tail -F FILE | muster report -';

/** @throws ConfigError that names all faults together */
function readOptions(
  flags: ReportFlags,
  terminal: Terminal,
  version: string,
): Omit<ReportOptions, 'stateDirectory'> {
  const { env, homeDirectory } = terminal;
  const faults: string[] = [];
  const service: ServiceChoice = {
    url: given(flags.url),
    profile: readProfileName(flags.profile, faults),
    tokenFile: given(flags.tokenFile),
    env,
    homeDirectory,
  };
  const options = {
    findService: () => findService(service),
    name: (given(flags.name) ?? given(hostname()) ?? 'unknown').slice(0, 256),
    type: given(flags.type),
    instance: given(flags.instance),
    machineID: given(flags.machineId),
    configFiles: flags.configFile,
    logFiles: flags.logFile,
    pattern: readPattern(flags.pattern, faults),
    level: readLevel(flags.level, faults),
    streams: readStreams(flags.watch, faults),
    repeatSeconds: readSeconds('--repeat-seconds', flags.repeatSeconds, faults),
    exitWaitSeconds: readSeconds('--exit-wait', flags.exitWait, faults),
    dryRun: flags.dryRun ?? false,
    tee: flags.tee ?? false,
    userAgent: `muster-report/${version}`,
    printable: (text: string) => printable(spellCommands(text, terminal)),
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return options;
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function readProfileName(name: string | undefined, faults: string[]): string | undefined {
  try {
    return name === undefined ? undefined : requireProfileName(name);
  } catch (error) {
    faults.push(`--profile: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

function readPattern(text: string | undefined, faults: string[]): RegExp | undefined {
  if (text === undefined) return undefined;
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    faults.push(
      `--pattern is not a regular expression: ${error instanceof Error ? error.message : String(error)}.`,
    );
    return undefined;
  }
}

function readLevel(level: string, faults: string[]): ReportOptions['level'] {
  if (level === 'error' || level === 'warn') return level;
  faults.push(`--level is '${level}', but it takes error or warn.`);
  return 'error';
}

function readStreams(text: string | undefined, faults: string[]): ReportOptions['streams'] {
  switch (text) {
    case undefined:
      return undefined;
    case 'stdout':
    case 'stderr':
      return [text];
    case 'both':
      return ['stdout', 'stderr'];
    default:
      faults.push(`--watch is '${text}', but it takes stderr, stdout or both.`);
      return undefined;
  }
}

function readSeconds(flag: string, text: string, faults: string[]): number {
  const seconds = Number(text);
  if (text.trim() !== '' && seconds >= 0 && seconds <= 86_400) return seconds;
  faults.push(`${flag} is '${text}', but it takes a number of seconds from 0 to 86400.`);
  return 0;
}
