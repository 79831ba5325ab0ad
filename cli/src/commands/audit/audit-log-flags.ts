import type { Command } from 'commander';
import type { ChosenLog } from '../../audit/export-lines.ts';
import { addProjectFlag, type ClientFlags, type CommandContext } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';

/** Of every command of `muster audit`. */
export interface LogFlags extends ClientFlags {
  readonly installation?: true;
}

export function addLogFlags(command: Command): Command {
  return addProjectFlag(command).option(
    '--installation',
    'All projects, and what belongs to none: users, access tokens, sessions. For administrators.',
  );
}

/** @throws CommandError for flags that exclude each other */
export async function chooseLog({ connection }: CommandContext, flags: LogFlags): Promise<ChosenLog> {
  if (flags.installation !== true) {
    return { projectID: await chooseProjectID(connection, flags.project) };
  }
  if (flags.project === undefined) return 'installation';
  throw new CommandError('usage', 'Give --project or --installation, not both.');
}
