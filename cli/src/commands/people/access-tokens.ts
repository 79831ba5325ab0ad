import type { Permission } from '@muster/client';
import type { Command } from 'commander';
import {
  addClientCommand,
  addNoun,
  addOutputFlags,
  addYesFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { findAccessTokenID, findProjectID } from '../../connection/find-resources.ts';
import { type Expiry, readExpiry, toExpiresAt } from '../../expiry.ts';
import { accessTokenView } from '../../output/views.ts';
import { addInstallationListCommand } from '../../read-commands.ts';
import { collectPermissions } from '../../read-permissions.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addAccessTokenRotate } from './access-token-rotate.ts';

/** `muster access-token`: the user's own credentials. */
export function addAccessTokenCommands(program: Command, terminal: Terminal): void {
  const accessToken = addNoun(
    program,
    'access-token',
    'Access tokens: your own credentials, for all projects.',
  );
  addList(accessToken, terminal);
  addCreate(accessToken, terminal);
  addAccessTokenRotate(accessToken, terminal);
  addRevoke(accessToken, terminal);
}

function addList(accessToken: Command, terminal: Terminal): void {
  addInstallationListCommand(accessToken, terminal, {
    summary: 'List your access tokens, newest first.',
    examples: ['muster access-token list', 'muster access-token list --json | jq length'],
    view: accessTokenView,
    things: 'access tokens',
    none: 'No access tokens.',
    list: async ({ client }, query) =>
      (await import('@muster/client')).listAccessTokens(client, query).pages(),
  });
}

interface CreateFlags extends ClientFlags {
  readonly expires?: Expiry;
  readonly permission?: readonly Permission[];
  readonly onlyProject?: string;
}

function addCreate(accessToken: Command, terminal: Terminal): void {
  const command = addClientCommand(accessToken, 'create <name>', {
    summary: 'Create an access token for yourself; its value is shown once.',
    description:
      'Creates an access token with your own permissions. Its value is shown only once and is not stored.',
    examples: [
      'muster access-token create laptop',
      'muster access-token create nightly-script --expires 30d --quiet > token',
      'muster access-token create dashboard --permission read:* --only-project edge',
    ],
  });
  addOutputFlags(command, 'Print only the token.')
    .option(
      '--expires <when>',
      'Expires after this time (90d, 12h), on this date (2027-03-31), or never.',
      readExpiry,
    )
    .option(
      '--permission <permission>',
      'Narrow the token to a permission, such as read:*; may be repeated or hold several separated by commas.',
      collectPermissions,
    )
    .option('--only-project <name|id>', 'Narrow the token to this project.')
    .action(async (name: string, flags: CreateFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { createAccessToken } = await import('@muster/client');
      const { expires, permission, onlyProject } = flags;
      const body = {
        name,
        ...(expires === undefined ? {} : { expiresAt: toExpiresAt(expires, terminal.now()) }),
        ...(permission === undefined ? {} : { permissions: [...permission] }),
        ...(onlyProject === undefined ? {} : { projects: [await findProjectID(connection, onlyProject)] }),
      };
      const created = await createAccessToken(connection.client, { body });
      printer.one(created, { ...accessTokenView, id: ({ token }) => token });
      printer.shownOnce('token');
    });
}

function addRevoke(accessToken: Command, terminal: Terminal): void {
  const command = addClientCommand(accessToken, 'revoke <name|id>', {
    summary: 'Revoke one of your access tokens.',
    description:
      'Revokes one of your access tokens permanently. It stops working at once, even if it is the one that you use now.',
    examples: ['muster access-token revoke laptop'],
  }).alias('delete');
  addYesFlag(command).action(async (nameOrID: string, flags: ClientFlags & { yes?: boolean }) => {
    const { connection, printer } = await openContext(terminal, flags);
    const { revokeAccessToken } = await import('@muster/client');
    const accessTokenID = await findAccessTokenID(connection, nameOrID);
    await confirm(terminal, `Revoke the access token '${nameOrID}'?`, flags.yes);
    await revokeAccessToken(connection.client, { accessTokenID });
    printer.note(`Revoked the access token '${nameOrID}'.`);
  });
}
