import type { Command } from 'commander';
import { addClientCommand, type ClientFlags } from '../../client-command.ts';
import { Printer } from '../../output/printer.ts';
import { defaultProfileName, ProfileStore } from '../../profiles/profile-store.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** `muster logout`: removes the token of a profile from this machine. */
export function addLogoutCommand(program: Command, terminal: Terminal): void {
  addClientCommand(program, 'logout', {
    summary: 'Remove the token of a server from this machine.',
    description:
      "Removes the token of a profile from this machine. The token stays valid; to revoke it, first run 'muster access-token revoke' or 'muster token revoke'.",
    examples: ['muster logout', 'muster logout --profile staging'],
  }).action(async ({ profile }: ClientFlags) => {
    const store = new ProfileStore(terminal);
    const { MUSTER_PROFILE: given = '', MUSTER_TOKEN: token = '' } = terminal.env;
    const name =
      profile ?? (given === '' ? undefined : given) ?? (await store.readCurrentName()) ?? defaultProfileName;
    const printer = new Printer(terminal, {});
    const hadToken = await store.deleteToken(name);
    printer.note(
      hadToken ? `Signed out: the token of '${name}' is removed.` : `There was no token of '${name}'.`,
    );
    if (token !== '') printer.note('MUSTER_TOKEN is set and still used: unset it.');
  });
}
