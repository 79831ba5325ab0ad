import type { Command } from 'commander';
import { addNoun } from '../../client-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addErrorAssignCommand } from '../error-groups/error-assign.ts';
import { addErrorGetCommand } from '../error-groups/error-get.ts';
import { addErrorGroupsCommand } from '../error-groups/error-groups.ts';
import { addErrorMuteCommand, addErrorUnmuteCommand } from '../error-groups/error-mute.ts';
import { addErrorCreateCommand } from './error-create.ts';
import { addErrorDismissCommand, addErrorReopenCommand } from './error-dismiss.ts';
import { addErrorExplainCommand } from './error-explain.ts';
import { addErrorHistoryCommand } from './error-history.ts';
import { addErrorListCommand } from './error-list.ts';
import { addErrorWatchCommand } from './error-watch.ts';

/** `muster error`: the errors that agents have reported. */
export function addErrorCommands(program: Command, terminal: Terminal): void {
  const error = addNoun(program, 'error', 'Agent errors: what agents have reported.');
  addErrorGroupsCommand(error, terminal);
  addErrorGetCommand(error, terminal);
  addErrorListCommand(error, terminal);
  addErrorHistoryCommand(error, terminal);
  addErrorWatchCommand(error, terminal);
  addErrorDismissCommand(error, terminal);
  addErrorReopenCommand(error, terminal);
  addErrorAssignCommand(error, terminal);
  addErrorMuteCommand(error, terminal);
  addErrorUnmuteCommand(error, terminal);
  addErrorCreateCommand(error, terminal);
  addErrorExplainCommand(error, terminal);
}
