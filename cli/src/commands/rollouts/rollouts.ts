import type { Rollout } from '@muster/client';
import { largestPageSize } from '@muster/contract';
import type { Command } from 'commander';
import {
  addClientCommand,
  addNoun,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
  readCount,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import type { Connection } from '../../connection/connect.ts';
import { isID } from '../../connection/find-by-name.ts';
import { chooseProjectID, findFleetID } from '../../connection/find-resources.ts';
import { findByShortIDs } from '../../connection/short-ids.ts';
import { unlessRefused } from '../../connection/unless-refused.ts';
import { explainedRolloutView, rolloutView } from '../../output/rollout-view.ts';
import { addGetCommand, addListCommand, type ListFlags } from '../../read-commands.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { explainStop } from './explain-stop.ts';
import { addRolloutFreeze } from './rollout-freeze.ts';
import { addRolloutStart } from './rollout-start.ts';
import { addRolloutWatch } from './rollout-watch.ts';

/** `muster rollout`: versions on their way to the agents of fleets. */
export function addRolloutCommands(program: Command, terminal: Terminal): void {
  const noun = addNoun(
    program,
    'rollout',
    'Rollouts: versions of configurations on their way to the agents of a fleet, stage by stage.',
  );
  addRolloutStart(noun, terminal);
  addList(noun, terminal);
  addGetCommand(noun, terminal, {
    argument: '<id>',
    summary: 'Show a rollout: its stage, who has the version, and why it is in its state.',
    description:
      'Shows a rollout: its stage, who has the version, and why it is in its state. If a cause has stopped it, that says what was wrong with the version, and on which line if a value of the error stands in a line that the version has added.',
    examples: ['muster rollout get 3f1e8a6b', 'muster rollout get 3f1e8a6b --json | jq .verdict'],
    view: rolloutView,
    find: findRolloutID,
    get: async (client, rolloutID) => (await import('@muster/client')).getRollout(client, { rolloutID }),
    viewOf: async (client, rollout) => explainedRolloutView(await explainStop(client, rollout)),
  });
  addRolloutWatch(noun, terminal, findRolloutID);
  addRolloutFreeze(noun, terminal);
  for (const action of actions) addAction(noun, terminal, action);
}

interface Action {
  readonly name: 'pause' | 'resume' | 'approve' | 'stop' | 'revert' | 'promote';
  readonly summary: string;
  readonly description: string;
}

const actions: readonly Action[] = [
  {
    name: 'pause',
    summary: 'Pause a rollout.',
    description: 'Pauses a rollout: nobody further gets the version. Agents that have it keep it.',
  },
  {
    name: 'resume',
    summary: 'Resume a rollout that is paused.',
    description:
      'Resumes a rollout that is paused. Its stage begins anew, so that its agents are watched for the whole time again.',
  },
  {
    name: 'approve',
    summary: 'Approve the next stage of a rollout that waits for it.',
    description:
      'Begins the next stage of a rollout that was started with --approval, when the agents that have the version have run it for the whole time. Who has approved it is kept in the rollout and in the audit log.',
  },
  {
    name: 'promote',
    summary: 'Begin the next stage of a rollout now.',
    description:
      'Begins the next stage, whatever the agents of this one have shown. After the last stage, the version is the one of the fleet.',
  },
  {
    name: 'stop',
    summary: 'Stop a rollout.',
    description:
      'Ends a rollout. Agents that have the version keep it: to give them the one before, run: muster rollout revert ID --reason TEXT',
  },
  {
    name: 'revert',
    summary: 'Give the version before to the agents of a rollout again.',
    description:
      'Ends a rollout, and gives the version before to the agents that have the new one. Agents that never got it load nothing.',
  },
];

type ActionFlags = ClientFlags & {
  readonly reason: string;
  readonly despiteFreeze?: true;
  readonly inStage?: number;
};

function addAction(noun: Command, terminal: Terminal, { name, summary, description }: Action): void {
  const beginsStage = name === 'resume' || name === 'approve' || name === 'promote';
  const command = addClientCommand(noun, `${name} <id>`, {
    summary,
    description,
    examples: [
      `muster rollout ${name} 3f1e8a6b --reason 'Seen on the canary'`,
      ...(beginsStage ? [`muster rollout ${name} 3f1e8a6b --in-stage 1 --reason 'Seen on the canary'`] : []),
    ],
  });
  addOutputFlags(addProjectFlag(command), 'Print only the id.').requiredOption(
    '--reason <text>',
    'The reason, which the audit log keeps.',
  );
  if (beginsStage) {
    command
      .option('--despite-freeze', 'Also during a freeze of the project.')
      .option(
        '--in-stage <number>',
        'Only if the rollout is still in this stage, the one in which you saw it.',
        readCount,
      );
  }
  command.action(async (id: string, flags: ActionFlags) => {
    const { connection, printer } = await openContext(terminal, flags);
    const rolloutID = await findRolloutID(connection, id, flags.project);
    const client = await import('@muster/client');
    const act = {
      pause: client.pauseRollout,
      resume: client.resumeRollout,
      approve: client.approveRollout,
      promote: client.promoteRollout,
      stop: client.stopRollout,
      revert: client.revertRollout,
    }[name];
    const { reason, despiteFreeze } = flags;
    const body = { reason, ...(beginsStage && despiteFreeze && { despiteFreeze }) };
    // Of two that begin the next stage at the same time, one does: unless they may not read in which stage it is.
    const stage = beginsStage
      ? (flags.inStage ?? (await unlessRefused(client.getRollout(connection.client, { rolloutID })))?.stage)
      : undefined;
    const request = { rolloutID, body: { ...body, ...(stage !== undefined && { stage }) } };
    printer.one(await act(connection.client, request), rolloutView);
  });
}

function addList(noun: Command, terminal: Terminal): void {
  addListCommand<Rollout, ListFlags & { readonly fleet?: string }>(noun, terminal, {
    summary: 'List rollouts of a project, newest first.',
    examples: ['muster rollout list', 'muster rollout list --fleet edge --last 5'],
    view: rolloutView,
    things: 'rollouts',
    none: 'No rollouts. To give a version to the agents of a fleet, run: muster rollout start FLEET --reason TEXT',
    addFlags: (command) => command.option('--fleet <name|id>', 'Only of this fleet.'),
    filters: ({ fleet }) => ({ '--fleet': fleet }),
    list: async (connection, query, { fleet, project }) =>
      (await import('@muster/client'))
        .listRollouts(connection.client, {
          ...query,
          ...(fleet === undefined ? {} : { fleet_id: await findFleetID(connection, fleet, project) }),
        })
        .pages(),
  });
}

/** Id of a rollout by its id, or by the end of it. */
async function findRolloutID(
  connection: Connection,
  id: string,
  project: string | undefined,
): Promise<string> {
  if (isID(id)) return id.toLowerCase();
  const { listRollouts } = await import('@muster/client');
  const projectID = await chooseProjectID(connection, project);
  const pages = listRollouts(connection.client, { projectID, last: largestPageSize }).pages();
  const found = await findByShortIDs([id], { noun: 'rollout', describe: ({ reason }) => reason, pages });
  const rollout = found.get(id);
  if (rollout !== undefined) return rollout.id;
  throw new CommandError(
    'notFound',
    `There is no rollout '${id}'.`,
    'To list the existing ones, run: muster rollout list',
  );
}
