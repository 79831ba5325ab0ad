import type { Command } from 'commander';
import { readSeconds } from './duration.ts';

/** Flags of the commands that give a token a new value. */
export interface RotationFlags {
  readonly grace?: number;
  readonly retireOnUse?: boolean;
  readonly idempotencyKey?: string;
}

export function addRotationFlags(command: Command): Command {
  return command
    .option(
      '--grace <time>',
      'How long the old value is accepted beside the new one: 24h, 7d, 30min, 90s; at most 7d.',
      readSeconds,
    )
    .option('--retire-on-use', 'Accept the old value until the new one is used for the first time.')
    .option(
      '--idempotency-key <key>',
      'Your own random text of 16 to 128 characters: the same command with the same key prints the same value again, for an hour and until it is used.',
    );
}

/** The body of the request. */
export function rotationOf({ grace, retireOnUse }: RotationFlags) {
  return {
    ...(grace === undefined ? {} : { graceSeconds: grace }),
    ...(retireOnUse === undefined ? {} : { retireOnUse }),
  };
}
