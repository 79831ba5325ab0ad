import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  openContext,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { findTokenID } from '../../connection/find-resources.ts';
import { describeEndOfValue, tokenView } from '../../output/views.ts';
import { addRotationFlags, type RotationFlags, rotationOf } from '../../rotation-flags.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface RotateFlags extends ClientFlags, RotationFlags {
  readonly self?: boolean;
}

/** `muster token rotate`: the same token with a new value. */
export function addTokenRotate(token: Command, terminal: Terminal): void {
  const command = addClientCommand(token, 'rotate [name|id]', {
    summary: 'Give a token a new value; it is shown once.',
    description:
      'Gives a token a new value. Its id, permissions and expiry stay. Without --grace and --retire-on-use, the old value ends at once; with --self, it ends when the new one is used.',
    examples: [
      'muster token rotate ci --grace 24h',
      'muster token rotate edge-agents --retire-on-use --grace 7d',
      'NEW=$(muster token rotate --self --quiet)',
    ],
  });
  addOutputFlags(addProjectFlag(command), 'Print only the new value.').option(
    '--self',
    'The project token that this command uses (MUSTER_TOKEN, --token-file or a profile).',
  );
  addRotationFlags(command).action(async (nameOrID: string | undefined, flags: RotateFlags) => {
    if ((nameOrID === undefined) === (flags.self !== true)) {
      throw new CommandError('usage', 'Give the name or id of a token, or --self, and not both.');
    }
    const { connection, printer } = await openContext(terminal, flags);
    const { rotateOwnToken, rotateToken } = await import('@muster/client');
    const { client } = connection;
    const body = rotationOf(flags);
    const options = { idempotencyKey: flags.idempotencyKey };
    const rotated =
      nameOrID === undefined
        ? await rotateOwnToken(client, { body }, options)
        : await rotateToken(
            client,
            { tokenID: await findTokenID(connection, nameOrID, flags.project), body },
            options,
          );
    printer.one(rotated, { ...tokenView, id: (one) => one.token });
    printer.shownOnce('new value');
    const [earlier] = rotated.earlierValues;
    printer.note(
      `The old value ${earlier === undefined ? 'is no longer accepted' : describeEndOfValue(earlier, (at) => printer.time(at))}.`,
    );
  });
}
