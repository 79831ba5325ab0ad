import { countOf } from '@muster/contract';
import { type Command, Option } from 'commander';
import {
  addClientCommand,
  addListFlags,
  addProjectFlag,
  type ClientFlags,
  collect,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import type { Connection } from '../../connection/connect.ts';
import { findAgentID, findFleetID } from '../../connection/find-resources.ts';
import { fleetSecretView, fleetVariableView } from '../../output/fleet-value-view.ts';
import { printList } from '../../output/print-list.ts';
import { type LastFlags, pageSizeFor } from '../../output/take-last.ts';
import { readTextFile } from '../../read-text-file.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { requireNoAgents } from './fleet-change.ts';

interface ChangeFlags extends ClientFlags, LastFlags {
  readonly allAtOnce?: true;
  readonly despiteFreeze?: true;
}

interface VariableFlags extends ChangeFlags {
  readonly set?: readonly string[];
  readonly unset?: readonly string[];
  readonly tag?: string;
  readonly agent?: string;
}

/** `muster fleet vars` and `muster fleet secrets`: what configurations of a fleet name instead of writing it out. */
export function addFleetValueCommands(noun: Command, terminal: Terminal): void {
  addVariables(noun, terminal);
  addSecrets(noun, terminal);
}

function addVariables(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'vars <name|id>', {
    summary: 'List, set and remove variables of a fleet.',
    description:
      'Lists what {{vars.NAME}} stands for in the configurations of a fleet, or changes it. A value for an agent goes before one for a tag, and that before one for the fleet. Agents whose configuration has another content by this get it at once; where that is all agents of the fleet, it takes --all-at-once.',
    examples: [
      'muster fleet vars edge',
      'muster fleet vars edge --set region=eu --set port=24224',
      'muster fleet vars edge --set region=eu-2 --tag canary',
      'muster fleet vars edge --unset region --agent web-01',
    ],
  });
  addReachFlags(addListFlags(addProjectFlag(command)))
    .option('--set <name=value>', 'Sets a variable; may be repeated.', collect)
    .option('--unset <name>', 'Removes a variable; may be repeated.', collect)
    .option('--tag <tag>', 'Change it for agents with this tag only.')
    .addOption(new Option('--agent <name|id>', 'Change it for this agent only.').conflicts('tag'))
    .action(async (nameOrID: string, flags: VariableFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { listFleetVariables, updateFleetVariables } = await import('@muster/client');
      const fleetID = await findFleetID(connection, nameOrID, flags.project);
      if (flags.set !== undefined || flags.unset !== undefined) {
        const set = flags.set?.map(readAssignment);
        const names = [...(set ?? []).map(({ name }) => name), ...(flags.unset ?? [])];
        if (!flags.allAtOnce && flags.tag === undefined && flags.agent === undefined)
          for (const name of names) {
            const { items } = await listFleetVariables(connection.client, { fleetID, name, last: 1 }).first();
            await requireNotUsed(connection, fleetID, items);
          }
        const body = {
          ...(set && { set }),
          ...(flags.unset && { unset: [...flags.unset] }),
          ...(await subjectOf(connection, flags)),
          ...(flags.despiteFreeze && { despiteFreeze: true }),
        };
        const { changedCount } = await updateFleetVariables(connection.client, { fleetID, body });
        printer.note(`Changed ${countOf(changedCount, 'value')}.`);
        return;
      }
      if (flags.tag !== undefined || flags.agent !== undefined)
        throw new CommandError(
          'usage',
          'There is nothing to change.',
          'Add --set NAME=VALUE or --unset NAME.',
        );
      const pages = listFleetVariables(connection.client, { fleetID, last: pageSizeFor(flags) }).pages();
      const none = 'No variables. To set one, run: muster fleet vars NAME --set NAME=VALUE';
      await printList(printer, { pages, flags, view: fleetVariableView, things: 'variables', none });
    });
}

interface SecretFlags extends ChangeFlags {
  readonly set?: string;
  readonly file?: string;
  readonly unset?: readonly string[];
}

function addSecrets(noun: Command, terminal: Terminal): void {
  const command = addClientCommand(noun, 'secrets <name|id>', {
    summary: 'List the names of secrets of a fleet, and set and remove them.',
    description:
      'Lists the names of what {{secrets.NAME}} stands for in the configurations of a fleet, or changes one. Its value is read from standard input or a file, without the line break at its end. Nobody can read it again; only agents get it. Where agents use it already, all of them get it at once, which takes --all-at-once.',
    examples: [
      'muster fleet secrets edge',
      'printenv DB_PASSWORD | muster fleet secrets edge --set db_password',
      'muster fleet secrets edge --set db_password --file /run/secrets/db',
      'muster fleet secrets edge --unset db_password',
    ],
  });
  addReachFlags(addListFlags(addProjectFlag(command)))
    .option('--set <name>', 'Sets a secret.')
    .option('--file <file>', 'The file with its value. Default: standard input.')
    .option('--unset <name>', 'Removes a secret; may be repeated.', collect)
    .action(async (nameOrID: string, flags: SecretFlags) => {
      const { set, file, unset } = flags;
      const { connection, printer } = await openContext(terminal, flags);
      const { listFleetSecrets, updateFleetSecrets } = await import('@muster/client');
      if (set?.includes('='))
        throw new CommandError(
          'usage',
          'The value of a secret is no argument, which other users of the host can read.',
          'Give it on standard input, or in a file: --set NAME --file FILE',
        );
      const fleetID = await findFleetID(connection, nameOrID, flags.project);
      if (set !== undefined || unset !== undefined) {
        const names = [...(set === undefined ? [] : [set]), ...(unset ?? [])];
        if (!flags.allAtOnce) {
          const { secrets } = await listFleetSecrets(connection.client, { fleetID });
          const changed = secrets.filter(({ name }) => names.includes(name));
          await requireNotUsed(connection, fleetID, changed);
        }
        const body = {
          ...(set !== undefined && { set: [{ name: set, value: await readValue(terminal, file ?? '-') }] }),
          ...(unset && { unset: [...unset] }),
          ...(flags.despiteFreeze && { despiteFreeze: true }),
        };
        const { changedCount } = await updateFleetSecrets(connection.client, { fleetID, body });
        printer.note(`Changed ${countOf(changedCount, 'secret')}.`);
        return;
      }
      const { secrets } = await listFleetSecrets(connection.client, { fleetID });
      await printer.all(secrets, fleetSecretView);
      if (secrets.length === 0)
        printer.note('No secrets. To set one, run: muster fleet secrets NAME --set NAME --file FILE');
    });
}

function addReachFlags(command: Command): Command {
  return command
    .option('--all-at-once', 'Let all agents of the fleet that use it get it at once.')
    .option('--despite-freeze', "Also during a freeze of the project. 'muster rollout freeze' lists them.");
}

/** A mistake would be on all agents of the fleet within seconds. @throws CommandError (usage) */
async function requireNotUsed(
  { client }: Connection,
  fleetID: string,
  values: readonly { readonly isUsed: boolean }[],
): Promise<void> {
  if (!values.some(({ isUsed }) => isUsed)) return;
  const { getFleet } = await import('@muster/client');
  requireNoAgents(await getFleet(client, { fleetID }), undefined);
}

async function readValue(terminal: Terminal, file: string): Promise<string> {
  return (await readTextFile(terminal, file)).replace(/\r?\n$/, '');
}

function readAssignment(text: string): { name: string; value: string } {
  const equals = text.indexOf('=');
  if (equals > 0) return { name: text.slice(0, equals), value: text.slice(equals + 1) };
  throw new CommandError('usage', `'${text}' sets nothing.`, 'Write NAME=VALUE.');
}

async function subjectOf(connection: Connection, { tag, agent, project }: VariableFlags) {
  return {
    ...(tag !== undefined && { tag }),
    ...(agent !== undefined && { agentID: await findAgentID(connection, agent, project) }),
  };
}
