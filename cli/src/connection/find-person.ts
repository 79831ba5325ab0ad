import type { Member, User } from '@muster/client';
import { largestPageSize } from '@muster/contract';
import type { Connection } from './connect.ts';
import { findByName, isID } from './find-by-name.ts';

/** Id of the member of a project with that name or id. */
export async function findMemberID(
  { client }: Connection,
  nameOrID: string,
  projectID: string,
): Promise<string> {
  if (isID(nameOrID)) return nameOrID.toLowerCase();
  const { listMembers } = await import('@muster/client');
  const list = () => listMembers(client, { projectID, last: largestPageSize });
  const { id } = await findByName({
    noun: 'member',
    name: nameOrID,
    place: `in the project ${projectID}`,
    candidates: named(list()),
    others: async () => (await list().first()).items.map(toNamed),
    byShortID: async () => undefined,
  });
  return id;
}

/** Id of the user of the installation with that name or id. Only administrators find users by name. */
export async function findUserID({ client }: Connection, nameOrID: string): Promise<string> {
  if (isID(nameOrID)) return nameOrID.toLowerCase();
  const { listUsers } = await import('@muster/client');
  const list = () => listUsers(client, { last: largestPageSize });
  const { id } = await findByName<User>({
    noun: 'user',
    name: nameOrID,
    place: '',
    candidates: list(),
    others: async () => (await list().first()).items,
    byShortID: async () => undefined,
  });
  return id;
}

async function* named(members: AsyncIterable<Member>) {
  for await (const member of members) yield toNamed(member);
}

function toNamed({ userID, name, createdAt }: Member) {
  return { id: userID, name, createdAt };
}
