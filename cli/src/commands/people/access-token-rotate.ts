import type { Command } from 'commander';
import { addClientCommand, addOutputFlags, type ClientFlags, openContext } from '../../client-command.ts';
import { findAccessTokenID } from '../../connection/find-resources.ts';
import { accessTokenView } from '../../output/views.ts';
import { readSeconds } from '../../read-seconds.ts';
import type { Terminal } from '../../terminal/terminal.ts';

interface RotateFlags extends ClientFlags {
  readonly grace?: number;
  readonly retireOnUse?: boolean;
  readonly idempotencyKey?: string;
}

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
  addOutputFlags(command, 'Print only the new value.')
    .option(
      '--grace <time>',
      'How long the old value is accepted beside the new one: 24h, 7d, 30min, 90s; at most 7d.',
      readSeconds,
    )
    .option('--retire-on-use', 'Accept the old value until the new one is used for the first time.')
    .option(
      '--idempotency-key <key>',
      'Your own random text of 16 to 128 characters: the same command with the same key prints the same value again, for an hour and until it is used.',
    )
    .action(async (nameOrID: string, flags: RotateFlags) => {
      const { connection, printer } = await openContext(terminal, flags);
      const { rotateAccessToken } = await import('@muster/client');
      const accessTokenID = await findAccessTokenID(connection, nameOrID);
      const body = {
        ...(flags.grace === undefined ? {} : { graceSeconds: flags.grace }),
        ...(flags.retireOnUse === undefined ? {} : { retireOnUse: flags.retireOnUse }),
      };
      const rotated = await rotateAccessToken(
        connection.client,
        { accessTokenID, body },
        { idempotencyKey: flags.idempotencyKey },
      );
      printer.one(rotated, { ...accessTokenView, id: ({ token }) => token });
      printer.note('The new value is shown once: keep it now.');
    });
}
