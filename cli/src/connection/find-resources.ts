import type { AccessToken, Agent, CoreInstance, Fleet, PagedList, Project, Token } from '@muster/client';
import { largestPageSize } from '@muster/contract';
import { CommandError } from '../command-error.ts';
import type { Connection } from './connect.ts';
import { findByName, isID } from './find-by-name.ts';
import { findByShortIDs, findNamedByShortID, idAdvice, isShortID } from './short-ids.ts';
import { unlessRefused } from './unless-refused.ts';

/** Id of the project with that name or id. */
export async function findProjectID({ client }: Connection, nameOrID: string): Promise<string> {
  if (isID(nameOrID)) return nameOrID.toLowerCase();
  const { listProjects } = await import('@muster/client');
  const project = await findByName<Project>({
    noun: 'project',
    name: nameOrID,
    place: '',
    candidates: listProjects(client, { name: nameOrID }),
    others: async () => (await listProjects(client, { last: largestPageSize }).first()).items,
    byShortID: () => findNamedByShortID(nameOrID, 'project', listProjects(client, { last: largestPageSize })),
  });
  return project.id;
}

/**
 * Id of the project that a command applies to. The first of these that exists: `--project`, the project of the
 * credential, MUSTER_PROJECT, the project of the profile, the only project, the one that the user chooses.
 */
export async function chooseProjectID(connection: Connection, flag: string | undefined): Promise<string> {
  if (flag !== undefined) return findProjectID(connection, flag);
  const { client, kind, ownProjectID, profile, givenProject, askForProject } = connection;
  if (ownProjectID !== undefined) return ownProjectID;
  if (kind === 'agent') return projectOfAgent(connection);
  if (givenProject !== undefined && givenProject !== '') return findProjectID(connection, givenProject);
  if (profile?.project !== undefined) return profile.project;
  const { listProjects } = await import('@muster/client');
  const { items, next } = await listProjects(client, { last: largestPageSize }).first();
  const [only, another] = items;
  if (only !== undefined && another === undefined) return only.id;
  if (only === undefined) {
    throw new CommandError(
      'notFound',
      'There is no project yet.',
      'To make one, run: muster project create NAME',
    );
  }
  if (askForProject !== undefined) return askForProject(items);
  const named = items.slice(0, maxNamedProjects);
  const hasMore = next !== undefined || named.length < items.length;
  throw new CommandError(
    'usage',
    'There are several projects, and none is chosen.',
    [
      profile === undefined
        ? 'Add --project NAME, or set MUSTER_PROJECT. The projects:'
        : 'Add --project NAME, or choose one for all commands: muster project use NAME. The projects:',
      ...named.map(({ id, name }) => `${id}  ${name}`),
      ...(hasMore ? ['and more'] : []),
    ].join('\n'),
  );
}

const maxNamedProjects = 10;

/**
 * Id of the only project. A profile keeps it, so that its commands still work after a second project is created.
 * Undefined if there are several or none, and if the credential may not list them.
 */
export async function findOnlyProject({ client, kind }: Connection): Promise<string | undefined> {
  if (kind !== 'access') return undefined;
  const { listProjects, MusterError } = await import('@muster/client');
  try {
    const { items } = await listProjects(client, { last: 2 }).first();
    return items.length === 1 ? items[0]?.id : undefined;
  } catch (error) {
    if (error instanceof MusterError) return undefined;
    throw error;
  }
}

async function projectOfAgent({ client }: Connection): Promise<string> {
  const { getMe } = await import('@muster/client');
  const { projectID } = await getMe(client);
  if (projectID !== null) return projectID;
  throw new CommandError('usage', 'This credential belongs to no project: name one with --project.');
}

/** Id of the token with that name or id. */
export async function findTokenID(
  connection: Connection,
  nameOrID: string,
  projectFlag: string | undefined,
): Promise<string> {
  const { listTokens } = await import('@muster/client');
  return findIDInProject<Token>(connection, nameOrID, projectFlag, {
    noun: 'token',
    list: (query) => listTokens(connection.client, query),
  });
}

/** Id of the agent with that name, machine id or id. */
export async function findAgentID(
  connection: Connection,
  nameOrID: string,
  projectFlag: string | undefined,
): Promise<string> {
  const { listAgents } = await import('@muster/client');
  return findIDInProject<Agent>(connection, nameOrID, projectFlag, {
    noun: 'agent',
    list: (query) => listAgents(connection.client, query),
    alias: { of: ({ machineID }) => machineID, list: (query) => listAgents(connection.client, query) },
  });
}

/** Id of the core instance with that name or id. */
export async function findCoreInstanceID(
  connection: Connection,
  nameOrID: string,
  projectFlag: string | undefined,
): Promise<string> {
  const { listCoreInstances } = await import('@muster/client');
  return findIDInProject<CoreInstance>(connection, nameOrID, projectFlag, {
    noun: 'core-instance',
    list: (query) => listCoreInstances(connection.client, query),
  });
}

/** Id of the fleet with that name or id. */
export async function findFleetID(
  connection: Connection,
  nameOrID: string,
  projectFlag: string | undefined,
): Promise<string> {
  const { listFleets } = await import('@muster/client');
  return findIDInProject<Fleet>(connection, nameOrID, projectFlag, {
    noun: 'fleet',
    list: (query) => listFleets(connection.client, query),
  });
}

/**
 * What agents of a fleet have as their fleet, by its name or id. A text that names no fleet is taken as it is: agents may name a fleet that only they know.
 * A credential that may not read fleets has to give ids.
 */
export async function findFleetOfAgents(
  connection: Connection,
  nameOrID: string,
  projectFlag: string | undefined,
): Promise<string> {
  if (isID(nameOrID)) return nameOrID;
  const { listFleets } = await import('@muster/client');
  const projectID = await chooseProjectID(connection, projectFlag);
  const found = await unlessRefused(listFleets(connection.client, { projectID, name: nameOrID }).first());
  return found?.items.find(({ name }) => name === nameOrID)?.id ?? nameOrID;
}

/** Id of the configuration of an agent with that id or short id. */
export async function findConfigID({ client }: Connection, agentID: string, text: string): Promise<string> {
  if (isID(text)) return text.toLowerCase();
  const { listAgentConfigs } = await import('@muster/client');
  const found = await findByShortIDs([text], {
    noun: 'configuration',
    pages: listAgentConfigs(client, { agentID, last: largestPageSize }).pages(),
    describe: ({ createdAt }) => `since ${createdAt}`,
  });
  return requireFound(found.get(text), 'configuration', text, "'muster agent history NAME' shows the ids.");
}

/** Id of the dismissal with that id or short id. */
export async function findDismissalID(
  connection: Connection,
  text: string,
  projectFlag: string | undefined,
): Promise<string> {
  if (isID(text)) return text.toLowerCase();
  const hint = "'muster dismissal list' shows the ids.";
  if (!isShortID(text)) return requireFound(undefined, 'dismissal', text, hint);
  const { listDismissals } = await import('@muster/client');
  const projectID = await chooseProjectID(connection, projectFlag);
  const found = await findByShortIDs([text], {
    noun: 'dismissal',
    pages: listDismissals(connection.client, { projectID, last: largestPageSize }).pages(),
    describe: ({ reason }) => reason,
  });
  return requireFound(found.get(text), 'dismissal', text, hint);
}

/** @throws CommandError: usage for a text that is not an id, not found for one that no item has */
function requireFound(
  found: { readonly id: string } | undefined,
  noun: string,
  text: string,
  hint: string,
): string {
  if (found !== undefined) return found.id;
  throw isShortID(text)
    ? new CommandError('notFound', `There is no ${noun} '${text}'.`, hint)
    : new CommandError('usage', `'${text}' is not the id of a ${noun}.`, idAdvice(text, hint));
}

interface ListedInProject<Item> {
  readonly noun: string;
  readonly list: (query: { projectID: string; name?: string; last?: number }) => PagedList<Item>;
  readonly alias?: {
    readonly of: (item: Item) => string;
    /** Everything that contains a text. */
    readonly list: (query: { projectID: string; q: string }) => PagedList<Item>;
  };
}

async function findIDInProject<Item extends Token | Agent | CoreInstance | Fleet>(
  connection: Connection,
  nameOrID: string,
  projectFlag: string | undefined,
  { noun, list, alias }: ListedInProject<Item>,
): Promise<string> {
  if (isID(nameOrID)) return nameOrID.toLowerCase();
  const projectID = await chooseProjectID(connection, projectFlag);
  const { id } = await findByName<Item>({
    noun,
    name: nameOrID,
    place: `in the project ${projectID}`,
    candidates: list({ projectID, name: nameOrID }),
    others: async () => (await list({ projectID, last: largestPageSize }).first()).items,
    byShortID: () =>
      findNamedByShortID<Item>(nameOrID, noun.replace('-', ' '), list({ projectID, last: largestPageSize })),
    ...(alias === undefined
      ? {}
      : { alias: { of: alias.of, candidates: alias.list({ projectID, q: nameOrID }) } }),
  });
  return id;
}

/** Id of the user's access token with that name or id. */
export async function findAccessTokenID({ client }: Connection, nameOrID: string): Promise<string> {
  if (isID(nameOrID)) return nameOrID.toLowerCase();
  const { listAccessTokens } = await import('@muster/client');
  const token = await findByName<AccessToken>({
    noun: 'access-token',
    name: nameOrID,
    place: '',
    candidates: listAccessTokens(client, { last: largestPageSize }),
    others: async () => (await listAccessTokens(client, { last: largestPageSize }).first()).items,
    byShortID: () =>
      findNamedByShortID(nameOrID, 'access token', listAccessTokens(client, { last: largestPageSize })),
  });
  return token.id;
}
