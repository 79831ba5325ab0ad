import type { Project } from '@muster/client';
import type { Command } from 'commander';
import {
  addClientCommand,
  addNoun,
  addOutputFlags,
  addYesFlag,
  type ClientFlags,
  openContext,
} from '../client-command.ts';
import { CommandError } from '../command-error.ts';
import { chooseProjectID, findProjectID } from '../connection/find-resources.ts';
import { unlessRefused } from '../connection/unless-refused.ts';
import { projectView } from '../output/views.ts';
import { ProfileStore } from '../profiles/profile-store.ts';
import { addInstallationListCommand, type ListFlags } from '../read-commands.ts';
import { confirm } from '../terminal/prompts.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `muster project`: projects, which contain tokens, agents and their errors. */
export function addProjectCommands(program: Command, terminal: Terminal): void {
  const project = addNoun(program, 'project', 'Projects: each contains tokens, agents and their errors.');
  addList(project, terminal);
  addGet(project, terminal);
  addCreate(project, terminal);
  addUpdate(project, terminal);
  addDelete(project, terminal);
  addUse(project, terminal);
}

function addList(project: Command, terminal: Terminal): void {
  addInstallationListCommand<Project, ListFlags & { readonly name?: string }>(project, terminal, {
    summary: 'List projects, newest first.',
    examples: ['muster project list', "muster project list --name 'edge-*' --quiet"],
    view: projectView,
    things: 'projects',
    none: 'No projects. To make one, run: muster project create NAME',
    addFlags: (command) =>
      command.option('--name <pattern>', 'Only with this name; * matches any run of characters.'),
    filters: ({ name }) => ({ '--name': name }),
    list: async ({ client }, query, { name }) =>
      (await import('@muster/client'))
        .listProjects(client, { ...query, ...(name === undefined ? {} : { name }) })
        .pages(),
  });
}

function addGet(project: Command, terminal: Terminal): void {
  const command = addClientCommand(project, 'get [name|id]', {
    summary: 'Show a project.',
    description: 'Shows a project: the named one, or the one that commands use.',
    examples: ['muster project get', 'muster project get edge --json'],
  });
  addOutputFlags(command).action(async (nameOrID: string | undefined, flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { getProject } = await import('@muster/client');
    const projectID = await chooseProjectID(connection, nameOrID);
    printer.one(await getProject(connection.client, { projectID }), projectView);
  });
}

function addCreate(project: Command, terminal: Terminal): void {
  const command = addClientCommand(project, 'create <name>', {
    summary: 'Create a project and its first token.',
    description:
      "Creates a project. Its first token, named 'default', has the permissions that agents need; its value is shown only once.",
    examples: ['muster project create edge', 'PROJECT_TOKEN=$(muster project create edge --quiet)'],
  });
  addOutputFlags(command, 'Print only the token.').action(async (name: string, flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { createProject } = await import('@muster/client');
    const created = await createProject(connection.client, { body: { name } });
    printer.summary(created, created.token, [
      ['id', created.id],
      ['name', name],
      ['token', created.token],
    ]);
    printer.shownOnce('token');
  });
}

function addUpdate(project: Command, terminal: Terminal): void {
  const command = addClientCommand(project, 'update <name|id>', {
    summary: 'Rename a project.',
    examples: ['muster project update edge --name edge-eu'],
  });
  addOutputFlags(command)
    .requiredOption('--name <name>', 'Its new name.')
    .action(async (nameOrID: string, flags: ClientFlags & { name: string }) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { updateProject } = await import('@muster/client');
      const projectID = await findProjectID(connection, nameOrID);
      const updated = await updateProject(connection.client, { projectID, body: { name: flags.name } });
      printer.one(updated, projectView);
    });
}

function addDelete(project: Command, terminal: Terminal): void {
  const command = addClientCommand(project, 'delete <name|id>', {
    summary: 'Delete a project, with its tokens, agents and errors.',
    description: 'Deletes a project with its tokens, agents and errors. This cannot be undone.',
    examples: ['muster project delete edge', 'muster project delete edge --yes'],
  });
  addYesFlag(command).action(async (nameOrID: string, flags: ClientFlags & { yes?: boolean }) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { deleteProject, getProject, MusterError } = await import('@muster/client');
    const projectID = await findProjectID(connection, nameOrID);
    let hasLeft = false;
    const asked = getProject(connection.client, { projectID }).catch((error: unknown) => {
      hasLeft = error instanceof MusterError && error.code === 'project_moved';
      throw error;
    });
    const { name } = (await unlessRefused(asked)) ?? { name: nameOrID };
    const what = hasLeft
      ? `The project '${name}' has left for another installation. Delete its rows here? If it has not arrived there yet, muster copy cannot finish the move afterwards.`
      : `Delete the project '${name}' with its tokens, agents and errors?`;
    await confirm(terminal, `${what} This cannot be undone.`, flags.yes);
    await deleteProject(connection.client, { projectID });
    const { profile } = connection;
    if (profile?.project === projectID)
      await new ProfileStore(terminal).write({ ...profile, project: undefined });
    printer.note(`Deleted the project '${name}'.`);
  });
}

function addUse(project: Command, terminal: Terminal): void {
  const command = addClientCommand(project, 'use <name|id>', {
    summary: 'Choose the project that commands use.',
    description: 'Stores in the profile the project that commands use unless --project names another.',
    examples: ['muster project use edge'],
  });
  command.action(async (nameOrID: string, flags: ClientFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { profile } = connection;
    if (profile === undefined) {
      throw new CommandError(
        'usage',
        'MUSTER_TOKEN is set, so no profile is in use that could store the project.',
        'Set MUSTER_PROJECT instead, or unset MUSTER_TOKEN.',
      );
    }
    const { getProject } = await import('@muster/client');
    const projectID = await findProjectID(connection, nameOrID);
    const { name } = await getProject(connection.client, { projectID });
    await new ProfileStore(terminal).write({ ...profile, project: projectID });
    printer.note(`Commands of the profile '${profile.name}' now use the project '${name}'.`);
  });
}
