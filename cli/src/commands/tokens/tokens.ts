import type { Token } from '@muster/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  addClientCommand,
  addNoun,
  addOutputFlags,
  addProjectFlag,
  addYesFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { chooseProjectID, findTokenID } from '../../connection/find-resources.ts';
import { unlessRefused } from '../../connection/unless-refused.ts';
import { type Expiry, readExpiry, toExpiresAt } from '../../expiry.ts';
import { tokenView } from '../../output/views.ts';
import { addGetCommand, addListCommand, type ListFlags } from '../../read-commands.ts';
import {
  collectPermissions,
  type PermissionFlags,
  permissionsOf,
  presetNames,
} from '../../read-permissions.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addTokenGenerate } from './token-generate.ts';
import { addTokenRotate } from './token-rotate.ts';
import { addTokenScan } from './token-scan.ts';
import { addTokenUsage } from './token-usage.ts';

const statuses = ['active', 'expiring', 'expired', 'revoked', 'all'] as const;

interface FilterFlags {
  readonly name?: string;
  readonly status?: (typeof statuses)[number];
}

interface ChangeFlags extends ClientFlags, PermissionFlags {
  readonly expires?: Expiry;
  readonly network?: readonly string[];
  readonly reportsPerSecond?: number | 'unlimited';
}

interface RevokeFlags extends ClientFlags {
  readonly yes?: boolean;
  readonly reason?: string;
  readonly revokeAgents?: boolean;
}

/** `muster token`: the credentials with which agents and other applications access a project. */
export function addTokenCommands(program: Command, terminal: Terminal): void {
  const token = addNoun(program, 'token', 'Project tokens: credentials of agents and other applications.');
  addList(token, terminal);
  addGet(token, terminal);
  addCreate(token, terminal);
  addTokenGenerate(token, terminal);
  addUpdate(token, terminal);
  addTokenUsage(token, terminal);
  addTokenRotate(token, terminal);
  addRevoke(token, terminal);
  addTokenScan(token, terminal);
}

function addList(token: Command, terminal: Terminal): void {
  addListCommand<Token, ListFlags & FilterFlags>(token, terminal, {
    summary: 'List tokens of a project, newest first.',
    description: 'Lists tokens of a project, newest first: only valid ones unless --status asks for others.',
    examples: [
      'muster token list',
      "muster token list --project edge --name 'ci-*'",
      `muster token list --all --json | jq -r '.[] | select(.lastUsedAt == null) | .name'`,
    ],
    view: tokenView,
    things: 'tokens',
    none: 'No tokens. To make one, run: muster token create NAME',
    addFlags: (command) =>
      command
        .option('--name <pattern>', 'Only with this name; * matches any run of characters.')
        .addOption(new Option('--status <status>', 'In this state.').choices(statuses)),
    filters: ({ name, status }) => ({ '--name': name, '--status': status === 'all' ? undefined : status }),
    list: async ({ client }, query, { name, status }) =>
      (await import('@muster/client'))
        .listTokens(client, {
          ...query,
          ...(name === undefined ? {} : { name }),
          ...(status === undefined ? {} : { status }),
        })
        .pages(),
  });
}

function addGet(token: Command, terminal: Terminal): void {
  addGetCommand(token, terminal, {
    argument: '<name|id>',
    summary: 'Show a token with its value masked.',
    examples: ['muster token get ci-deploy', 'muster token get ci-deploy --json | jq .permissions'],
    view: tokenView,
    find: findTokenID,
    get: async (client, tokenID) => (await import('@muster/client')).getToken(client, { tokenID }),
  });
}

function addCreate(token: Command, terminal: Terminal): void {
  const command = addClientCommand(token, 'create <name>', {
    summary: 'Create a token; its value is shown once.',
    description:
      'Creates a token. Its value is shown only once and is not stored. Without --preset and --permission it has the permissions that agents need.',
    examples: [
      'muster token create edge-agents',
      'muster token create ci --preset viewer --expires 90d',
      'muster token create reporter --permission create:agent --permission create:agent_error',
      'TOKEN=$(muster token create ci --quiet)',
    ],
  });
  addPermissionFlags(addOutputFlags(addProjectFlag(command), 'Print only the token.')).action(
    async (name: string, flags: ChangeFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { createToken } = await import('@muster/client');
      const projectID = await chooseProjectID(connection, flags.project);
      const body = { name, ...changesOf(flags, terminal) };
      const created = await createToken(connection.client, { projectID, body });
      printer.one(created, { ...tokenView, id: (one) => one.token });
      printer.shownOnce('token');
    },
  );
}

function addUpdate(token: Command, terminal: Terminal): void {
  const command = addClientCommand(token, 'update <name|id>', {
    summary: 'Rename a token, or change its permissions or expiry.',
    examples: [
      'muster token update ci --expires never',
      'muster token update ci --preset viewer --name ci-read',
    ],
  });
  addPermissionFlags(addOutputFlags(addProjectFlag(command)))
    .option('--name <name>', 'Its new name.')
    .action(async (nameOrID: string, flags: ChangeFlags & { name?: string }) => {
      const { name } = flags;
      const body = { ...(name === undefined ? {} : { name }), ...changesOf(flags, terminal) };
      if (Object.keys(body).length === 0) {
        throw new CommandError(
          'usage',
          'There is nothing to change.',
          'Add --name, --permission, --preset, --expires, --network or --reports-per-second.',
        );
      }
      const { connection, printer } = await openContext(terminal, flags);
      const { updateToken } = await import('@muster/client');
      const tokenID = await findTokenID(connection, nameOrID, flags.project);
      printer.one(await updateToken(connection.client, { tokenID, body }), tokenView);
    });
}

function addRevoke(token: Command, terminal: Terminal): void {
  const command = addClientCommand(token, 'revoke <name|id>', {
    summary: 'Revoke a token and all tokens that it created.',
    description:
      'Revokes a token permanently, and every token that was created with it. They stop working at once.',
    examples: [
      'muster token revoke ci',
      "muster token revoke ci --yes --reason 'Found in a public repository'",
      'muster token revoke edge-agents --revoke-agents',
    ],
  }).alias('delete');
  addYesFlag(addProjectFlag(command))
    .option('--reason <text>', 'Why; shown with the revoked token.')
    .option(
      '--revoke-agents',
      'Also end the tokens of the agents that registered with it. Without this, they go on with their own tokens.',
    )
    .action(async (nameOrID: string, flags: RevokeFlags) => {
      const { reason, revokeAgents } = flags;
      const { connection, printer } = await openContext(terminal, flags);
      const { getToken, revokeTokenWithReason } = await import('@muster/client');
      const tokenID = await findTokenID(connection, nameOrID, flags.project);
      const { name } = (await unlessRefused(getToken(connection.client, { tokenID }))) ?? { name: nameOrID };
      const ended = revokeAgents
        ? 'all tokens that it created, and its agents'
        : 'all tokens that it created';
      await confirm(terminal, `Revoke the token '${name}' and ${ended}?`, flags.yes);
      const body = {
        ...(reason === undefined ? {} : { reason }),
        ...(revokeAgents === undefined ? {} : { revokeAgents }),
      };
      await revokeTokenWithReason(connection.client, { tokenID, body });
      printer.note(`Revoked the token '${name}'.`);
    });
}

function addPermissionFlags(command: Command): Command {
  return command
    .addOption(new Option('--preset <name>', 'A ready-made set of permissions.').choices(presetNames))
    .option(
      '--permission <permission>',
      'A permission, such as read:agent_error; may be repeated or hold several separated by commas.',
      collectPermissions,
    )
    .option(
      '--expires <when>',
      'Expires after this time (90d, 12h), on this date (2027-03-31), or never.',
      readExpiry,
    )
    .option(
      '--network <network>',
      'Usable only from this network, such as 10.0.0.0/8; may be repeated; any for all.',
      (text: string, before: readonly string[] = []) => [...before, ...text.split(',')],
    )
    .option(
      '--reports-per-second <number>',
      'At most that many reports of errors per second on each replica, or unlimited.',
      readReportsPerSecond,
    );
}

/** @throws InvalidArgumentError */
function readReportsPerSecond(text: string): number | 'unlimited' {
  if (text === 'unlimited') return text;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number from 1 to 1000000, or unlimited.');
}

function changesOf(flags: ChangeFlags, terminal: Terminal) {
  const permissions = permissionsOf(flags);
  return {
    ...(permissions === undefined ? {} : { permissions }),
    ...(flags.network === undefined
      ? {}
      : { allowedNetworks: flags.network.includes('any') ? null : flags.network }),
    ...(flags.reportsPerSecond === undefined
      ? {}
      : { reportsPerSecond: flags.reportsPerSecond === 'unlimited' ? null : flags.reportsPerSecond }),
    ...(flags.expires === undefined ? {} : { expiresAt: toExpiresAt(flags.expires, terminal.now()) }),
  };
}
