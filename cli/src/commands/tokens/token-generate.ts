import { randomBytes } from 'node:crypto';
import { formatProjectToken, type ProjectTokenPayload, readProjectToken } from '@muster/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { v7 } from 'uuid';
import { addLocalCommand } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { readTextFile } from '../../read-text-file.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface GenerateFlags {
  readonly project?: string;
  readonly token?: string;
  readonly like?: string;
}

/** `muster token generate`: makes the value of a token that a provisioning file creates. It talks to no server. */
export function addTokenGenerate(token: Command, terminal: Terminal): void {
  const command = addLocalCommand(token, 'generate', {
    summary: 'Make the value of a token for a provisioning file.',
    description:
      'Prints a new value for a project token, and its ids on standard error. No server knows it until a provisioning file names it (muster apply, MUSTER_PROVISION_FILE). The value contains the ids of the project and of the token.',
    examples: [
      'muster token generate > agents-token',
      'muster token generate --like agents-token > new-agents-token',
      'muster token generate --project 0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d > ci-token',
    ],
  });
  command
    .option('--project <id>', 'The project of the token. Default: a project with a new id.', readID)
    .option('--token <id>', 'The token that gets the value as its next one. Default: a new token.', readID)
    .addOption(
      new Option(
        '--like <file>',
        'Take both ids from the value in this file: a new value for the same token.',
      ).conflicts(['project', 'token']),
    )
    .action(async (flags: GenerateFlags) => {
      const ids =
        flags.like === undefined
          ? { projectID: flags.project ?? newID(terminal), tokenID: flags.token ?? newID(terminal) }
          : await idsIn(terminal, flags.like);
      terminal.stdout.write(`${formatProjectToken(ids, randomBytes(32))}\n`);
      terminal.stderr.write(`project ${ids.projectID}\ntoken   ${ids.tokenID}\n`);
    });
}

function newID(terminal: Terminal): string {
  return v7({ msecs: terminal.now() });
}

/** The service makes UUIDv7 alone: lists are in their order. */
function readID(text: string): string {
  const id = text.toLowerCase();
  if (/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(id)) return id;
  throw new InvalidArgumentError('It takes a whole id (UUIDv7), such as muster project list --json shows.');
}

async function idsIn(terminal: Terminal, file: string): Promise<ProjectTokenPayload> {
  const ids = readProjectToken((await readTextFile(terminal, file)).trim());
  if (ids !== undefined) return ids;
  throw new CommandError('usage', `The file of --like, '${file}', does not contain a project token.`);
}
