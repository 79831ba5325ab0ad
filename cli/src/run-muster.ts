import type { Command } from 'commander';
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
import { addFleetCommands } from './commands/fleets/fleets.ts';
import { addAccessTokenCommands } from './commands/people/access-tokens.ts';
import { addInvitationCommands } from './commands/people/invitations.ts';
import { addMemberCommands } from './commands/people/members.ts';
import { addSessionCommands } from './commands/people/sessions.ts';
import { addUserCommands } from './commands/people/users.ts';
import { addProjectCommands } from './commands/projects.ts';
import { addReportCommand } from './commands/report.ts';
import { addRolloutCommands } from './commands/rollouts/rollouts.ts';
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
import { createProgramOf, runProgram } from './run-program.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Runs the command line after `muster` and returns the exit code. Never exits the process. */
export function runMuster(args: readonly string[], terminal: Terminal): Promise<number> {
  return runProgram(addCommands, args, terminal);
}

/** Every command, its flags and its help. */
export function createProgram(terminal: Terminal): Command {
  return createProgramOf(addCommands, terminal);
}

function addCommands(program: Command, terminal: Terminal): void {
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
  addRolloutCommands(program, terminal);
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
}
