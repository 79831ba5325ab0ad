import type { UpdateAlertChannel } from '@muster/client';
import { type AlertChannelKind, alertChannelNeeds } from '@muster/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type ClientFlags, collect } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { readTextFile } from '../../read-text-file.ts';
import { askForToken } from '../../terminal/prompts.ts';
import { canPrompt, type Terminal } from '../../terminal/terminal.ts';

type QuietHours = NonNullable<UpdateAlertChannel['quietHours']>;

/** Flags that say where a channel sends to. */
export interface TargetFlags extends ClientFlags {
  readonly url?: string;
  readonly urlFile?: string;
  readonly keyFile?: string;
  readonly to?: readonly string[];
  readonly quietHours?: QuietHours | 'never';
}

export function addTargetFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--url <url>',
        'The address. Whoever sees the processes of this machine sees it: for the secret address of a chat, use --url-file.',
      ).conflicts('urlFile'),
    )
    .option('--url-file <file>', 'A file with the address; - is standard input.')
    .option('--key-file <file>', 'A file with the key of PagerDuty or Opsgenie; - is standard input.')
    .option('--to <address>', 'A recipient of mail; may be repeated.', collect)
    .option(
      '--quiet-hours <times>',
      'Messages wait between these times every day: "22:00-06:00 Europe/Berlin"; never: they do not.',
      readQuietHours,
    );
}

/** What the flags give. Reads the files that they name. @throws CommandError */
export async function readTarget(
  terminal: Terminal,
  { url, urlFile, keyFile, to, quietHours }: TargetFlags,
): Promise<Pick<UpdateAlertChannel, 'url' | 'key' | 'recipients' | 'quietHours'>> {
  if (urlFile === '-' && keyFile === '-') {
    throw new CommandError('usage', 'Only one of --url-file and --key-file can be standard input.');
  }
  const readUrl = urlFile === undefined ? url : await readSecret(terminal, urlFile, 'The address?');
  const key = keyFile === undefined ? undefined : await readSecret(terminal, keyFile, 'The key?');
  return {
    ...(readUrl === undefined ? {} : { url: readUrl }),
    ...(key === undefined ? {} : { key }),
    ...(to === undefined ? {} : { recipients: [...to] }),
    ...(quietHours === undefined ? {} : { quietHours: quietHours === 'never' ? null : quietHours }),
  };
}

/** The same, and asks for the address or the key that the kind needs if no flag gives it. @throws CommandError */
export async function readWholeTarget(
  terminal: Terminal,
  kind: AlertChannelKind,
  flags: TargetFlags,
): Promise<Awaited<ReturnType<typeof readTarget>>> {
  const target = await readTarget(terminal, flags);
  const needed = alertChannelNeeds[kind];
  if (needed === null || target[needed] !== undefined) return target;
  if (needed === 'recipients') {
    throw new CommandError('usage', 'A mail channel needs recipients.', 'Add --to ADDRESS.');
  }
  const why = `A channel of the kind '${kind}' needs ${needed === 'url' ? 'an address' : 'a key'}.`;
  return { ...target, [needed]: await askForSecret(terminal, kind, needed, why) };
}

/** Asks for the key that a channel of the kind needs with another address. @throws CommandError */
export async function withKeyOfAddress<Target extends Pick<UpdateAlertChannel, 'url' | 'key'>>(
  terminal: Terminal,
  kind: AlertChannelKind,
  target: Target,
): Promise<Target> {
  if (alertChannelNeeds[kind] !== 'key' || target.url === undefined || target.key !== undefined)
    return target;
  const why = `Another address of a channel of the kind '${kind}' needs the key too: the stored key is not sent to it.`;
  return { ...target, key: await askForSecret(terminal, kind, 'key', why) };
}

async function askForSecret(
  terminal: Terminal,
  kind: AlertChannelKind,
  needed: 'url' | 'key',
  why: string,
): Promise<string> {
  const noun = needed === 'url' ? 'address' : 'key';
  if (canPrompt(terminal)) return (await askForToken(terminal, `The ${noun} for ${kind}?`)).trim();
  throw new CommandError(
    'usage',
    why,
    `Add --${needed}-file FILE, or --${needed}-file - and write it to standard input.`,
  );
}

/** At a terminal, `-` asks for the text without showing it. */
async function readSecret(terminal: Terminal, file: string, question: string): Promise<string> {
  const text =
    file === '-' && canPrompt(terminal)
      ? await askForToken(terminal, question)
      : await readTextFile(terminal, file);
  const value = text.trim();
  if (value === '') {
    throw new CommandError('usage', `${file === '-' ? 'Standard input' : file} is empty.`);
  }
  return value;
}

/** @throws InvalidArgumentError */
function readQuietHours(text: string): QuietHours | 'never' {
  if (text === 'never') return 'never';
  const [, from, until, timeZone] = /^(\d\d:\d\d)-(\d\d:\d\d) (\S+)$/.exec(text.trim()) ?? [];
  if (from !== undefined && until !== undefined && timeZone !== undefined) return { from, until, timeZone };
  throw new InvalidArgumentError(
    'It takes two times and a time zone: "22:00-06:00 Europe/Berlin", or never.',
  );
}
