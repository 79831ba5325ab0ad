import type { PagedList } from '@muster/client';
import { largestPageSize } from '@muster/contract';
import type { Connection } from '../../connection/connect.ts';
import { findByName, isID } from '../../connection/find-by-name.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import { findNamedByShortID } from '../../connection/short-ids.ts';

/** Id of the alert channel with that name or id. */
export async function findAlertChannelID(
  connection: Connection,
  nameOrID: string,
  projectFlag: string | undefined,
): Promise<string> {
  const { listAlertChannels } = await import('@muster/client');
  return findID(connection, nameOrID, projectFlag, 'alert channel', (query) =>
    listAlertChannels(connection.client, query),
  );
}

/** Id of the alert rule with that name or id. */
export async function findAlertRuleID(
  connection: Connection,
  nameOrID: string,
  projectFlag: string | undefined,
): Promise<string> {
  const { listAlertRules } = await import('@muster/client');
  return findID(connection, nameOrID, projectFlag, 'alert rule', (query) =>
    listAlertRules(connection.client, query),
  );
}

async function findID<Item extends { id: string; name: string; createdAt: string }>(
  connection: Connection,
  nameOrID: string,
  projectFlag: string | undefined,
  noun: string,
  list: (query: { projectID: string; last: number }) => PagedList<Item>,
): Promise<string> {
  if (isID(nameOrID)) return nameOrID.toLowerCase();
  const projectID = await chooseProjectID(connection, projectFlag);
  const all = () => list({ projectID, last: largestPageSize });
  const { id } = await findByName<Item>({
    noun,
    name: nameOrID,
    place: `in the project ${projectID}`,
    candidates: all(),
    others: async () => (await all().first()).items,
    byShortID: () => findNamedByShortID<Item>(nameOrID, noun, all()),
  });
  return id;
}
