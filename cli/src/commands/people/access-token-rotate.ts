import type { Command } from 'commander';
import { addClientCommand, addOutputFlags, type ClientFlags, openContext } from '../../client-command.ts';
import { findAccessTokenID } from '../../connection/find-resources.ts';
import { accessTokenView } from '../../output/views.ts';
import { addRotationFlags, type RotationFlags, rotationOf } from '../../rotation-flags.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface RotateFlags extends ClientFlags, RotationFlags {}

/** `muster access-token rotate`: the same access token with a new value. */
export function addAccessTokenRotate(accessToken: Command, terminal: Terminal): void {
  const command = addClientCommand(accessToken, 'rotate <name|id>', {
    summary: 'Give one of your access tokens a new value; it is shown once.',
    description:
      'Gives an access token a new value. Its id, limits and expiry stay. Without --grace and --retire-on-use, the old value ends at once; if this command itself uses the token, it ends when the new one is used.',
    examples: [
      'muster access-token rotate nightly-script --grace 24h',
      'NEW=$(muster access-token rotate laptop --retire-on-use --quiet)',
    ],
  });
  addRotationFlags(addOutputFlags(command, 'Print only the new value.')).action(
    async (nameOrID: string, flags: RotateFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { rotateAccessToken } = await import('@muster/client');
      const accessTokenID = await findAccessTokenID(connection, nameOrID);
      const rotated = await rotateAccessToken(
        connection.client,
        { accessTokenID, body: rotationOf(flags) },
        { idempotencyKey: flags.idempotencyKey },
      );
      printer.one(rotated, { ...accessTokenView, id: ({ token }) => token });
      printer.shownOnce('new value');
    },
  );
}
