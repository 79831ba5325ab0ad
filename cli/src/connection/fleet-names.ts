import { largestPageSize } from '@muster/contract';
import { CommandError } from '../command-error.ts';
import type { Connection } from './connect.ts';
import { chooseProjectID } from './find-resources.ts';

/** The names of the fleets of a project by their ids, for people. None if the credential may not read fleets. */
export async function readFleetNames(
  connection: Connection,
  projectFlag: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const { listFleets, MusterError } = await import('@muster/client');
  try {
    const projectID = await chooseProjectID({ ...connection, askForProject: undefined }, projectFlag);
    const { items } = await listFleets(connection.client, { projectID, last: largestPageSize }).first();
    return new Map(items.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (error instanceof MusterError || error instanceof CommandError) return new Map();
    throw error;
  }
}
