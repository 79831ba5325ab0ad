import type { CoreInstanceWithToken, CreateCoreInstance, Token } from '@muster/client';
import { maskToken } from '@muster/contract';
import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  type CommandContext,
  collect,
  openContext,
} from '../../client-command.ts';
import { createConnectedClient } from '../../connection/connect.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import { notesOfLoopback } from '../../connection/server-url.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { deploymentSteps } from './deployment-steps.ts';

interface CreateFlags extends ClientFlags {
  readonly tag?: readonly string[];
}

const maxTokenNameLength = 128;

const joinTokenMilliseconds = 3_600_000;

/** `muster core-instance create`: makes a core instance known, and says how to deploy it. */
export function addCoreInstanceCreate(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'create <name>', {
    summary: 'Create a core instance, and print how to deploy it.',
    description:
      'Creates a core instance that waits for its site, and prints the command that starts it on a Linux host (muster core-instance install, which is recommended), and those for Docker and Kubernetes. It joins with a project token: this command makes one that may do nothing else, is shown once, and expires in an hour. If a project token runs this command, the core instance joins with that one. From then on it has a token of its own.',
    examples: [
      'muster core-instance create plant-7',
      'muster core-instance create plant-7 --tag eu-west-1 --tag production',
      '(umask 077; muster core-instance create plant-7 --quiet > plant-7.token)',
    ],
  });
  addOutputFlags(
    addProjectFlag(command),
    'Print only the project token that was made, or the id if a project token runs this.',
  )
    .option('--tag <tag>', 'Tag; may be repeated.', collect)
    .action(async (name: string, flags: CreateFlags) => {
      const context = await openContext(terminal, flags);
      const { kind, client, url } = context.connection;
      const { createCoreInstance } = await import('@muster/client');
      const body = { name, ...(flags.tag === undefined ? {} : { tags: [...flags.tag] }) };
      const { coreInstance, joinToken } =
        kind === 'access'
          ? await createWithJoinToken(context, body, await chooseProjectID(context.connection, flags.project))
          : { coreInstance: await createCoreInstance(client, { body }), joinToken: null };
      // Its own token is made anew when it joins: nobody needs this one.
      const shown = { ...coreInstance, token: maskToken('core_instance', coreInstance.token.slice(-4)) };
      const { printer } = context;
      printer.summary({ coreInstance: shown, joinToken }, joinToken?.token ?? shown.id, [
        ['id', shown.id],
        ['name', shown.name],
        ['status', shown.status],
        ['tags', shown.tags.join(' ') || undefined],
        ['joins with', joinToken?.token ?? 'the project token of this command'],
        ['expires', joinToken === null ? undefined : printer.time(joinToken.expiresAt)],
      ]);
      if (printer.isForScript) return;
      const steps = deploymentSteps({ name, url, hasJoinToken: joinToken !== null });
      for (const line of [...steps, ...notesOfLoopback(url)]) printer.note(line);
    });
}

/** Only project tokens create core instances, so that one that is stolen from a site can do no more than that. */
async function createWithJoinToken(
  { connection: { client, url }, terminal }: CommandContext,
  body: CreateCoreInstance & { readonly name: string },
  projectID: string,
): Promise<{ coreInstance: CoreInstanceWithToken; joinToken: Token }> {
  const { createCoreInstance, createToken, revokeToken } = await import('@muster/client');
  const joinToken = await createToken(client, {
    projectID,
    body: {
      name: `join ${body.name}`.slice(0, maxTokenNameLength),
      permissions: ['create:core_instance'],
      expiresAt: new Date(terminal.now() + joinTokenMilliseconds).toISOString(),
    },
  });
  try {
    const joining = await createConnectedClient(terminal, url, joinToken.token);
    return { coreInstance: await createCoreInstance(joining, { body }), joinToken };
  } catch (error) {
    await revokeToken(client, { tokenID: joinToken.id });
    throw error;
  }
}
