import type { PagedList } from '@muster/client';
import { largestPageSize } from '@muster/contract';
import type { ChosenLog } from '../audit/export-lines.ts';
import { CommandError } from '../command-error.ts';
import type { Connection } from './connect.ts';
import { isID } from './find-by-name.ts';

interface FoundActor {
  readonly id: string;
  /** Undefined if the id was given. */
  readonly noun?: string;
}

/**
 * Whoever can stand in an audit log with that name or id: a person, a project token, also one that has ended, or an agent.
 *
 * @throws CommandError if there is none (not found) or more than one (usage)
 */
export async function findActor(
  { client }: Connection,
  nameOrID: string,
  log: ChosenLog,
): Promise<FoundActor> {
  if (isID(nameOrID)) return { id: nameOrID.toLowerCase() };
  const { listAgents, listMembers, listTokens, listUsers, MusterError } = await import('@muster/client');
  const last = largestPageSize;
  const found = new Map<string, string>();
  const collect = async <Item>(
    noun: string,
    list: PagedList<Item>,
    read: (item: Item) => { readonly id: string; readonly name: string },
  ) => {
    for await (const item of list) {
      const { id, name } = read(item);
      if (name === nameOrID) found.set(id, noun);
    }
  };
  if (log !== 'installation') {
    const { projectID } = log;
    const named = { projectID, name: nameOrID, last };
    await collect('token', listTokens(client, { ...named, status: 'all' }), (token) => token);
    await collect('agent', listAgents(client, named), (agent) => agent);
    await collect('person', listMembers(client, { projectID, last }), ({ userID: id, name }) => ({
      id,
      name,
    }));
  }
  // Administrators act in projects of which they are no members. Only they see the users.
  await collect('person', listUsers(client, { last }), (user) => user).catch((error: unknown) => {
    if (!(error instanceof MusterError) || error.status !== 403) throw error;
  });
  const [first, second] = found;
  if (first === undefined) {
    throw new CommandError(
      'notFound',
      `There is no ${log === 'installation' ? 'person' : 'person, token or agent'} '${nameOrID}'.`,
      "'muster audit list --json' shows the ids of those who are gone.",
    );
  }
  if (second === undefined) {
    const [id, noun] = first;
    return { id, noun };
  }
  throw new CommandError(
    'usage',
    `'${nameOrID}' is the name of several. Give the id of one of them:`,
    [...found].map(([id, noun]) => `${id}  ${noun}`).join('\n'),
  );
}
