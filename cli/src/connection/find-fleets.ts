import type { Fleet } from '@muster/client';
import { largestPageSize } from '@muster/contract';
import type { Connection } from './connect.ts';
import { findByName, isID } from './find-by-name.ts';
import { chooseProjectID } from './find-resources.ts';
import { findNamedByShortID } from './short-ids.ts';

/** Id of the fleet of the project with that name or id. */
export async function findFleetID(
  connection: Connection,
  nameOrID: string,
  project: string | undefined,
): Promise<string> {
  if (isID(nameOrID)) return nameOrID.toLowerCase();
  const { listFleets } = await import('@muster/client');
  const projectID = await chooseProjectID(connection, project);
  const list = (name?: string) =>
    listFleets(connection.client, {
      projectID,
      last: largestPageSize,
      ...(name === undefined ? {} : { name }),
    });
  const fleet = await findByName<Fleet>({
    noun: 'fleet',
    name: nameOrID,
    place: `in the project ${projectID}`,
    candidates: list(nameOrID),
    others: async () => (await list().first()).items,
    byShortID: () => findNamedByShortID(nameOrID, 'fleet', list()),
  });
  return fleet.id;
}
