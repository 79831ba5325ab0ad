import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { numberOf } from '@muster/contract';
import { type Command, InvalidArgumentError } from 'commander';
import type { KeptHead } from '../../audit/chain-check.ts';
import { type CheckedLog, checkLines, InvalidExport } from '../../audit/check-lines.ts';
import { exportLines } from '../../audit/export-lines.ts';
import { addClientCommand, addJsonFlag, openContext } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { printable, printableJson } from '../../output/printable.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addLogFlags, chooseLog, type LogFlags } from './audit-log-flags.ts';

interface VerifyFlags extends LogFlags {
  readonly head?: KeptHead;
}

/** `muster audit verify`: of the service, or of an export. */
export function addAuditVerify(audit: Command, terminal: Terminal): void {
  const command = addClientCommand(audit, 'verify [file]', {
    summary: 'Check that no entry of the audit log was changed, removed or inserted.',
    description:
      "Checks that no entry of the audit log was changed, removed or inserted: of the service, or of a file from 'muster audit export' ('-' is standard input), without a connection. Exit code 1 if there is a fault; it names the first entry. Keep the printed head in another place, and give it as --head later: it proves that the log still has that entry.",
    examples: [
      'muster audit verify',
      'muster audit verify audit.jsonl',
      'muster audit verify --installation',
      'muster audit verify --head $(cat head.txt)',
    ],
  });
  addJsonFlag(addLogFlags(command))
    .option('--head <n:digest>', 'A head from an earlier check, which must still be there.', readHead)
    .action(async (file: string | undefined, flags: VerifyFlags) => {
      const lines = file === undefined ? await linesOfService(terminal, flags) : linesOfFile(terminal, file);
      if (flags.installation === true && flags.head !== undefined)
        throw new CommandError('usage', '--head is of one log. Give --project instead of --installation.');
      await report(terminal, flags, checkLines(lines, flags.head), file);
    });
}

async function linesOfService(terminal: Terminal, flags: VerifyFlags): Promise<AsyncIterable<string>> {
  const context = await openContext(terminal, flags);
  return exportLines(context.connection.client, await chooseLog(context, flags));
}

function linesOfFile(terminal: Terminal, file: string): AsyncIterable<string> {
  const input = file === '-' ? terminal.stdin : createReadStream(file);
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

/** @throws CommandError for a fault, and for a file that cannot be read */
async function report(
  { stdout }: Terminal,
  { json }: VerifyFlags,
  logs: AsyncIterable<CheckedLog>,
  file: string | undefined,
): Promise<void> {
  let count = 0;
  try {
    for await (const log of logs) {
      count += 1;
      if (json === true) stdout.write(`${printableJson(toJson(log))}\n`);
      if (log.fault !== undefined) throw new CommandError('failed', `${nameOf(log)}: ${log.fault}`);
      if (json !== true) stdout.write(`${printable(describe(log))}\n`);
    }
  } catch (error) {
    if (error instanceof InvalidExport)
      throw new CommandError('failed', `${file} cannot be verified: ${error.message}.`);
    if (file !== undefined && error instanceof Error && 'syscall' in error)
      throw new CommandError('usage', `${file} cannot be read: ${error.message.replace(/, .*$/s, '')}.`);
    throw error;
  }
  if (count === 0) throw new CommandError('failed', `${file} cannot be verified: it is empty.`);
}

function toJson({ chain, count, last, fault }: CheckedLog) {
  return {
    projectID: chain.projectID,
    entriesCount: count,
    anchor: chain.anchor,
    head: last,
    fault: fault ?? null,
  };
}

function describe(log: CheckedLog): string {
  const { chain, count, last } = log;
  const removed =
    chain.anchor.sequence === 0
      ? ''
      : ` The first ${entriesOf(chain.anchor.sequence)} ${chain.anchor.sequence === 1 ? 'is' : 'are'} not in it any more.`;
  return `${nameOf(log)}: ${entriesOf(count)}, none changed, removed or inserted.${removed} Head: ${last.sequence}:${last.digest}`;
}

function entriesOf(count: number): string {
  return `${numberOf(count)} ${count === 1 ? 'entry' : 'entries'}`;
}

function nameOf({ chain }: CheckedLog): string {
  return chain.projectID === null ? 'Installation' : `Project ${chain.projectID}`;
}

/** @throws InvalidArgumentError */
function readHead(text: string): KeptHead {
  const [, sequence, digest] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (sequence !== undefined && digest !== undefined) return { sequence: Number(sequence), digest };
  throw new InvalidArgumentError(
    'It takes a head as this command prints it: the number, a colon, and the digest.',
  );
}
