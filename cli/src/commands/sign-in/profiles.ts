import type { Command } from 'commander';
import { addLocalCommand, addNoun, addOutputFlags, addYesFlag } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { type OutputFlags, Printer, type View } from '../../output/printer.ts';
import {
  defaultProfileName,
  type Profile,
  ProfileStore,
  requireProfileName,
} from '../../profiles/profile-store.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** A profile in the form of `--json`. */
interface ShownProfile {
  readonly name: string;
  readonly url: string;
  readonly project: string | null;
  readonly isInUse: boolean;
  readonly isSignedIn: boolean;
}

/** `muster profile`: the servers that the user is signed in to. */
export function addProfileCommands(program: Command, terminal: Terminal): void {
  const profile = addNoun(program, 'profile', 'Profiles: the servers that you are signed in to.');
  addList(profile, terminal);
  addUse(profile, terminal);
  addDelete(profile, terminal);
}

function addList(profile: Command, terminal: Terminal): void {
  const command = addLocalCommand(profile, 'list', {
    summary: 'List profiles; the one in use is marked.',
    examples: ['muster profile list'],
  });
  addOutputFlags(command, 'Print names alone.').action(async (flags: OutputFlags) => {
    const printer = new Printer(terminal, flags);
    const store = new ProfileStore(terminal);
    const inUse = (await store.readCurrentName()) ?? defaultProfileName;
    const items = await Promise.all((await store.list()).map((one) => toShown(store, one, inUse)));
    await printer.all(items, profileView);
    if (items.length === 0 && !printer.isForScript)
      printer.note('No profiles. To make one, run: muster login');
  });
}

async function toShown(store: ProfileStore, profile: Profile, inUse: string): Promise<ShownProfile> {
  const { name, url, project = null } = profile;
  // Commands that need the file report that it is not private.
  const token = await store.findToken(profile).catch(() => undefined);
  return { name, url, project, isInUse: name === inUse, isSignedIn: token !== undefined };
}

const profileView: View<ShownProfile> = {
  id: ({ name }) => name,
  columns: [
    { title: '', cell: ({ isInUse }) => (isInUse ? '*' : '') },
    { title: 'NAME', cell: ({ name }) => name },
    { title: 'URL', isFlexible: true, cell: ({ url }) => url },
    { title: 'SIGNED IN', leaveOut: 1, cell: ({ isSignedIn }) => (isSignedIn ? 'yes' : 'no') },
    { title: 'PROJECT', leaveOut: 2, cell: ({ project }) => project ?? '' },
  ],
  details: () => [],
};

function addUse(profile: Command, terminal: Terminal): void {
  const command = addLocalCommand(profile, 'use <name>', {
    summary: 'Choose the profile that commands use.',
    examples: ['muster profile use production'],
  });
  command.action(async (name: string) => {
    const store = new ProfileStore(terminal);
    const { url } = await requireProfile(store, name);
    await store.writeCurrentName(name);
    new Printer(terminal, {}).note(`Commands talk to ${url} now.`);
  });
}

function addDelete(profile: Command, terminal: Terminal): void {
  const command = addLocalCommand(profile, 'delete <name>', {
    summary: 'Remove a profile and its token.',
    description:
      'Removes a profile and its token from this machine. The token itself stays valid until it is revoked.',
    examples: ['muster profile delete staging --yes'],
  });
  addYesFlag(command).action(async (name: string, flags: { yes?: boolean }) => {
    const store = new ProfileStore(terminal);
    await requireProfile(store, name);
    await confirm(terminal, `Forget the profile '${name}' and its token?`, flags.yes);
    await store.delete(name);
    if ((await store.readCurrentName()) === name) await store.writeCurrentName(undefined);
    new Printer(terminal, {}).note(`Forgot the profile '${name}'.`);
  });
}

async function requireProfile(store: ProfileStore, name: string): Promise<Profile> {
  const profile = await store.find(requireProfileName(name));
  if (profile !== undefined) return profile;
  throw new CommandError(
    'notFound',
    `There is no profile '${name}'.`,
    'To list the existing ones, run: muster profile list',
  );
}
