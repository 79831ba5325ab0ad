import { resolve } from 'node:path';
import { countOf, type LeakKind } from '@muster/contract';
import { type Command, Option } from 'commander';
import { addLocalCommand, addOutputFlags, collect } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { chooseServer } from '../../connection/choose-server.ts';
import { createConnectedClient } from '../../connection/connect.ts';
import { printable, printableJson } from '../../output/printable.ts';
import { type OutputFlags, Printer } from '../../output/printer.ts';
import type { Finding } from '../../scan/credential-scan.ts';
import { LeakReport } from '../../scan/leak-report.ts';
import { scanHistory } from '../../scan/scan-history.ts';
import { type Scanned, scanPaths } from '../../scan/scan-paths.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface ScanFlags extends OutputFlags {
  readonly git?: boolean;
  readonly exclude?: readonly string[];
  readonly report?: boolean;
  readonly foundAt?: string;
  readonly profile?: string;
}

/** A finding as it is printed: without the value. */
interface ShownFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly kind: LeakKind;
  readonly token: string;
  readonly projectID: string | null;
  readonly tokenID: string | null;
}

/** `muster token scan`: finds credentials of Muster in files. Needs no server. */
export function addTokenScan(token: Command, terminal: Terminal): void {
  const command = addLocalCommand(token, 'scan <file...>', {
    summary: 'Find credentials of Muster in files, without a server.',
    description:
      'Finds project tokens, access tokens, agent tokens, codes of invitations, sessions and sign-in links in files and directories, by their form and their checksum; - is standard input. Values are never printed whole. It needs no server, unless you add --report. It exits with 0 if nothing was found, with 1 if something was found, and with 2 if nothing was found but something could not be read.',
    examples: [
      'muster token scan .',
      'muster token scan --git .',
      'kubectl get configmaps -A -o yaml | muster token scan -',
      `muster token scan --json . | jq -r '.[] | .tokenID'`,
    ],
  });
  addOutputFlags(command, 'Print only the places.')
    .option(
      '--git',
      'Scan every version of every file in the history of the git repository in each directory, and the messages of commits, instead of files.',
    )
    .option(
      '--exclude <file>',
      'Leave out this file, or this directory with everything in it; may be repeated.',
      collect,
    )
    .option(
      '--report',
      'Send what was found to the server, without a credential. It revokes what is valid, unless its MUSTER_LEAKED_TOKENS says otherwise.',
    )
    .option('--found-at <url>', 'With --report: where it was found, for the people of the project.')
    .addOption(new Option('--profile <name>', 'With --report: the server. (MUSTER_PROFILE, MUSTER_URL)'))
    .action(async (paths: string[], flags: ScanFlags) => {
      const printer = new Printer(terminal, flags);
      const outcome: Outcome = { found: 0, failed: 0 };
      const scanned = openScan(paths, flags, terminal);
      const report = await openReport(flags, terminal);
      await print(printer, findAll(scanned, { printer, outcome, report }), flags);
      await report?.finish(printer);
      judge(outcome, flags);
    });
}

interface Outcome {
  found: number;
  failed: number;
}

function openScan(paths: readonly string[], flags: ScanFlags, terminal: Terminal): AsyncIterable<Scanned> {
  const { stdin, workingDirectory } = terminal;
  const excluded = new Set((flags.exclude ?? []).map((path) => resolve(workingDirectory, path)));
  if (flags.git !== true) return scanPaths(paths, { stdin, workingDirectory, excluded });
  if (flags.exclude !== undefined || paths.includes('-')) {
    throw new CommandError('usage', '--git takes directories of repositories, and no --exclude.');
  }
  return scanHistories(paths.map((path) => resolve(workingDirectory, path)));
}

async function* scanHistories(directories: readonly string[]): AsyncGenerator<Scanned, void, undefined> {
  for (const directory of directories) yield* scanHistory(directory);
}

interface Told {
  readonly printer: Printer;
  readonly outcome: Outcome;
  readonly report: LeakReport | undefined;
}

async function openReport(
  { report, foundAt, profile }: ScanFlags,
  terminal: Terminal,
): Promise<LeakReport | undefined> {
  if (report !== true) {
    if (foundAt === undefined && profile === undefined) return undefined;
    throw new CommandError('usage', '--found-at and --profile need --report.');
  }
  const { url } = await chooseServer(terminal, profile);
  return new LeakReport({ client: await createConnectedClient(terminal, url, undefined), url, foundAt });
}

async function* findAll(
  scanned: AsyncIterable<Scanned>,
  { printer, outcome, report }: Told,
): AsyncGenerator<readonly ShownFinding[], void, undefined> {
  for await (const one of scanned) {
    if ('failure' in one) {
      outcome.failed += 1;
      printer.note(`${one.file} could not be read: ${one.failure}.`);
    } else if ('leftOut' in one) {
      printer.note(`${one.file}: ${one.leftOut}.`);
    } else {
      outcome.found += one.findings.length;
      for (const { value, line } of one.findings) await report?.add(value, `${one.file}:${line}`);
      yield one.findings.map((finding) => show(one.file, finding));
    }
  }
}

function show(file: string, { kind, value, line, column, payload }: Finding): ShownFinding {
  const lastFour = value.slice(-4);
  const prefix = /mst_\w_/.exec(value)?.[0] ?? '';
  return {
    ...{ file, line, column, kind, token: `${prefix}…${lastFour}` },
    projectID: payload?.projectID ?? null,
    tokenID: payload?.tokenID ?? null,
  };
}

async function print(
  printer: Printer,
  found: AsyncIterable<readonly ShownFinding[]>,
  { json, quiet }: OutputFlags,
): Promise<void> {
  let count = 0;
  for await (const findings of found) {
    for (const finding of findings) {
      if (json) printer.raw(`${count === 0 ? '[' : ','}\n  ${printableJson(finding)}`);
      else printer.raw(`${printable(quiet ? placeOf(finding) : describe(finding))}\n`);
      count += 1;
    }
  }
  if (json) printer.raw(count === 0 ? '[]\n' : '\n]\n');
}

function placeOf({ file, line, column }: ShownFinding): string {
  return `${file}:${line}:${column}`;
}

const kindNames: Readonly<Record<LeakKind, string>> = {
  project: 'project token',
  access: 'access token',
  agent: 'agent token',
  core_instance: 'token of a core instance',
  invitation: 'invitation',
  session: 'session of a browser',
  signInLink: 'sign-in link',
};

function describe(finding: ShownFinding): string {
  const id = finding.tokenID === null ? '' : ` (id ${finding.tokenID})`;
  return `${placeOf(finding)}: ${kindNames[finding.kind]} ${finding.token}${id}`;
}

/** @throws CommandError unless nothing was found and everything was read */
function judge({ found, failed }: Outcome, { git }: ScanFlags): void {
  if (found > 0) {
    const history = git === true ? ' To see the commits of a version: git log --all --find-object=ID' : '';
    throw new CommandError(
      'failed',
      `Found ${countOf(found, 'credential')}.`,
      `Revoke each: whoever could read the file may have the value. Run: muster token revoke ID${history}`,
    );
  }
  if (failed > 0) throw new CommandError('usage', `${countOf(failed, 'path')} could not be read.`);
}
