import type { Command } from 'commander';
import { type AddCommands, createProgramOf, runProgram } from './run-program.ts';
import type { Terminal } from './terminal/terminal.ts';

/**
 * Runs the command line after `muster` and returns the exit code. Never exits the process. Loads only the command that is asked for:
 * to load all of them takes longer than most of them run.
 */
export async function runMuster(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = ''] = args;
  const load = new Map(groups.flatMap(({ commands }) => Object.entries(commands))).get(name);
  return runProgram(load === undefined ? await loadAll() : await load(), args, terminal);
}

/** Every command, its flags and its help. */
export async function createProgram(terminal: Terminal): Promise<Command> {
  return createProgramOf(await loadAll(), terminal);
}

interface CommandGroup {
  readonly heading: string;
  /** By their names, in the order of the help. */
  readonly commands: Readonly<Record<string, () => Promise<AddCommands>>>;
}

const groups: readonly CommandGroup[] = [
  {
    heading: 'Sign in:',
    commands: {
      login: async () => (await import('./commands/sign-in/login.ts')).addLoginCommand,
      logout: async () => (await import('./commands/sign-in/logout.ts')).addLogoutCommand,
      whoami: async () => (await import('./commands/sign-in/whoami.ts')).addWhoamiCommand,
      status: async () => (await import('./commands/sign-in/status.ts')).addStatusCommand,
      profile: async () => (await import('./commands/sign-in/profiles.ts')).addProfileCommands,
    },
  },
  {
    heading: 'Work with a server:',
    commands: {
      project: async () => (await import('./commands/projects.ts')).addProjectCommands,
      token: async () => (await import('./commands/tokens/tokens.ts')).addTokenCommands,
      agent: async () => (await import('./commands/agents/agents.ts')).addAgentCommands,
      fleet: async () => (await import('./commands/fleets/fleets.ts')).addFleetCommands,
      rollout: async () => (await import('./commands/rollouts/rollouts.ts')).addRolloutCommands,
      error: async () => (await import('./commands/errors/errors.ts')).addErrorCommands,
      dismissal: async () => (await import('./commands/errors/dismissals.ts')).addDismissalCommands,
      alert: async () => (await import('./commands/alerts/alerts.ts')).addAlertCommands,
      member: async () => (await import('./commands/people/members.ts')).addMemberCommands,
      invite: async () => (await import('./commands/people/invitations.ts')).addInviteCommand,
      invitation: async () => (await import('./commands/people/invitations.ts')).addInvitationCommands,
      user: async () => (await import('./commands/people/users.ts')).addUserCommands,
      'access-token': async () => (await import('./commands/people/access-tokens.ts')).addAccessTokenCommands,
      session: async () => (await import('./commands/people/sessions.ts')).addSessionCommands,
      audit: async () => (await import('./commands/audit/audit.ts')).addAuditCommands,
      apply: async () => (await import('./commands/apply.ts')).addApplyCommand,
    },
  },
  {
    heading: 'Run an agent:',
    commands: { report: async () => (await import('./commands/report.ts')).addReportCommand },
  },
  {
    heading: 'Run Muster at a site:',
    commands: {
      'core-instance': async () =>
        (await import('./commands/core-instances/core-instances.ts')).addCoreInstanceCommands,
    },
  },
  {
    heading: 'Run a server:',
    commands: {
      serve: async () => (await import('./commands/service/serve.ts')).addServeCommand,
      demo: async () => (await import('./commands/demo.ts')).addDemoCommand,
      migrate: async () => (await import('./commands/service/migrate.ts')).addMigrateCommand,
      copy: async () => (await import('./commands/service/copy.ts')).addCopyCommand,
      backup: async () => (await import('./commands/service/backup.ts')).addBackupCommand,
      restore: async () => (await import('./commands/service/restore.ts')).addRestoreCommand,
      doctor: async () => (await import('./commands/service/doctor.ts')).addDoctorCommand,
      admin: async () => (await import('./commands/service/admin.ts')).addAdminCommand,
    },
  },
  {
    heading: 'Further:',
    commands: { completion: async () => (await import('./commands/completion.ts')).addCompletionCommand },
  },
];

async function loadAll(): Promise<AddCommands> {
  // It completes the names and flags of all others.
  const { addCompleteCommand } = await import('./commands/complete.ts');
  const loaded = await Promise.all(
    groups.map(async ({ heading, commands }) => ({
      heading,
      commands: await Promise.all(Object.values(commands).map((load) => load())),
    })),
  );
  return (program, terminal) => {
    for (const { heading, commands } of loaded) {
      program.commandsGroup(heading);
      for (const addCommands of commands) addCommands(program, terminal);
    }
    addCompleteCommand(program, terminal);
  };
}
