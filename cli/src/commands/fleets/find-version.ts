import type { FleetVersion } from '@muster/client';
import { largestPageSize } from '@muster/contract';
import { CommandError } from '../../command-error.ts';
import type { Connection } from '../../connection/connect.ts';

/** A version of a fleet by its number. @param number absent: the newest version */
export async function findVersion(
  { client }: Connection,
  fleetID: string,
  number: string | undefined,
): Promise<FleetVersion> {
  const { listFleetVersions } = await import('@muster/client');
  const pages = listFleetVersions(client, { fleetID, last: number === undefined ? 1 : largestPageSize });
  for await (const version of pages) {
    if (number === undefined || String(version.number) === number) return version;
  }
  throw number === undefined
    ? new CommandError(
        'notFound',
        'The fleet has no version yet.',
        'To create one, run: muster fleet update NAME --config FILE',
      )
    : new CommandError(
        'notFound',
        `The fleet has no version ${number}.`,
        'To list the existing ones, run: muster fleet versions NAME',
      );
}
