import { setTimeout } from 'node:timers/promises';
import type { Rollout } from '@muster/client';
import { countOf, numberOf } from '@muster/contract';
import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import type { Connection } from '../../connection/connect.ts';
import { printable, printableJson } from '../../output/printable.ts';
import { describeVerdict } from '../../output/rollout-view.ts';
import { shortID } from '../../output/short-id.ts';
import { spellCommands } from '../../own-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { explainStop } from './explain-stop.ts';

const goesOn: ReadonlySet<Rollout['state']> = new Set(['running', 'waiting', 'reverting']);
const pauseMilliseconds = 2_000;

/** `muster rollout watch`: prints what a rollout does until it ends. */
export function addRolloutWatch(
  noun: Command,
  terminal: Terminal,
  find: (connection: Connection, id: string, project: string | undefined) => Promise<string>,
): void {
  const command = addClientCommand(noun, 'watch <id>', {
    summary: 'Follow a rollout until it ends.',
    description:
      'Prints a line whenever something changes, until the rollout ends or is paused, or until Ctrl-C. Goes on while a stage waits for its approval. Exits with 0 only if it is complete.',
    examples: ['muster rollout watch 3f1e8a6b', 'muster rollout watch 3f1e8a6b --json | jq -r .state'],
  });
  addOutputFlags(addProjectFlag(command)).action(async (id: string, flags: ClientFlags) => {
    const interrupted = terminal.onInterrupt();
    const { connection, printer } = await openContext(terminal, flags);
    const rolloutID = await find(connection, id, flags.project);
    const { getRollout } = await import('@muster/client');
    let last = '';
    let explanation: string | undefined;
    while (!interrupted.aborted) {
      const rollout = await getRollout(connection.client, { rolloutID });
      if (!flags.json && !flags.quiet) explanation ??= await explainStop(connection.client, rollout);
      const line = flags.json
        ? printableJson(rollout)
        : flags.quiet
          ? rollout.state
          : printable(spellCommands(describe(rollout, explanation), terminal));
      if (line !== last) printer.raw(`${line}\n`);
      last = line;
      if (rollout.state === 'completed') return;
      if (!goesOn.has(rollout.state)) throw ended(rollout, explanation);
      await setTimeout(pauseMilliseconds, undefined, { signal: interrupted }).catch(() => undefined);
    }
    throw new CommandError(
      'failed',
      'Stopped watching before the rollout ended. It goes on.',
      `To see how far it is, run: muster rollout get ${shortID(rolloutID)}`,
    );
  });
}

function describe(rollout: Rollout, explanation: string | undefined): string {
  const { id, state, isHeld, verdict, stage, stages, agentsCount } = rollout;
  const why = describeVerdict(rollout, explanation);
  const ofStage = stages[stage - 1]?.agentsCount ?? 0;
  const seen = ` --in-stage ${stage}`;
  return [
    `${isHeld ? 'held' : state}: stage ${stage} of ${stages.length}`,
    `${countOf(agentsCount.applied, 'agent')} ${agentsCount.applied === 1 ? 'runs' : 'run'} it`,
    `${numberOf(agentsCount.observed)} of ${numberOf(ofStage)} watched long enough`,
    ...(isHeld ? ['something may have come with it, which is settled within a minute'] : []),
    ...(why === undefined ? [] : [why]),
    ...(verdict?.rule === 'approval'
      ? [`to approve it, run: muster rollout approve ${shortID(id)}${seen} --reason TEXT`]
      : []),
  ].join('; ');
}

/** With what to do next. */
function ended(rollout: Rollout, explanation: string | undefined): CommandError {
  const { id, state } = rollout;
  const why = describeVerdict(rollout, explanation);
  return new CommandError(
    'failed',
    `The rollout is ${state}${why === undefined ? '' : `: ${why}`}.`,
    state === 'paused'
      ? `To go on, run: muster rollout resume ${shortID(id)} --reason TEXT`
      : state === 'stopped'
        ? `To give agents the version before, run: muster rollout revert ${shortID(id)} --reason TEXT`
        : undefined,
  );
}
