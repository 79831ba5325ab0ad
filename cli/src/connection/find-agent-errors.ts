import type { AgentError, AgentErrorGroup, Client } from '@muster/client';
import { largestPageSize } from '@muster/contract';
import { CommandError } from '../command-error.ts';
import type { Connection } from './connect.ts';
import { isID } from './find-by-name.ts';
import { chooseProjectID } from './find-resources.ts';
import { findByShortIDs, idAdvice, isShortID } from './short-ids.ts';

/** An agent error, or a group of them. */
export type ErrorOrGroup =
  | { readonly kind: 'error'; readonly error: AgentError }
  | { readonly kind: 'group'; readonly group: AgentErrorGroup };

/** True for the id of a group: it is computed (UUIDv8), those of errors are times (UUIDv7). */
export function isGroupID(id: string): boolean {
  return isID(id) && id.charAt(14) === '8';
}

/** The group or the error with that id, or short id. @throws CommandError if there is none, or more than one */
export async function findErrorOrGroup(
  connection: Connection,
  text: string,
  projectFlag: string | undefined,
): Promise<ErrorOrGroup> {
  const id = text.toLowerCase();
  if (!isID(id) && !isShortID(id)) {
    throw new CommandError(
      'usage',
      `'${text}' is not the id of an error or a group.`,
      idAdvice(text, "'muster error groups' and 'muster error list' show the ids."),
    );
  }
  if (isGroupID(id)) return { kind: 'group', group: await getGroup(connection.client, id) };
  const projectID = await chooseProjectID(connection, projectFlag);
  const group = isID(id) ? undefined : await findGroup(connection.client, projectID, id);
  // The counts in a list are those of its state.
  if (group !== undefined) return { kind: 'group', group: await getGroup(connection.client, group.id) };
  const error = await findError(connection.client, projectID, id);
  if (error !== undefined) return { kind: 'error', error };
  throw new CommandError(
    'notFound',
    `There is no error and no group '${text}' in the project ${projectID}.`,
    isID(id) ? 'To look in another project, add --project NAME.' : olderHint,
  );
}

const olderHint =
  'Short ids are looked up among the newest 10,000. To see whole ids, add --wide to the list.';

/** The group with that id or short id. @throws CommandError if there is none, or more than one */
export async function findErrorGroup(
  connection: Connection,
  text: string,
  projectFlag: string | undefined,
): Promise<AgentErrorGroup> {
  const agentErrorGroupID = await findGroupID(connection, text, projectFlag);
  return getGroup(connection.client, agentErrorGroupID);
}

/** The id of the group with that id or short id. @throws CommandError if there is none, or more than one */
export async function findGroupID(
  connection: Connection,
  text: string,
  projectFlag: string | undefined,
): Promise<string> {
  if (isID(text)) return text.toLowerCase();
  if (!isShortID(text)) {
    throw new CommandError(
      'usage',
      `'${text}' is not the id of a group of errors.`,
      idAdvice(text, "'muster error groups' shows the ids."),
    );
  }
  const projectID = await chooseProjectID(connection, projectFlag);
  const group = await findGroup(connection.client, projectID, text);
  if (group !== undefined) return group.id;
  throw new CommandError(
    'notFound',
    `There is no group '${text}' in the project ${projectID}.`,
    "'muster error groups' shows the ids.",
  );
}

/**
 * The ids of errors, in the order of the texts, which are ids or short ids.
 *
 * @param ofGroup what to do with a group instead, as a command that ends with its id
 * @throws CommandError for a text that is no id, that is ambiguous, and for the id of a group
 */
export async function findErrorIDs(
  connection: Connection,
  texts: readonly string[],
  projectFlag: string | undefined,
  ofGroup: string,
): Promise<readonly string[]> {
  const wrong = texts.find((text) => !isID(text) && !isShortID(text));
  if (wrong !== undefined) {
    throw new CommandError(
      'usage',
      `'${wrong}' is not the id of an error.`,
      idAdvice(wrong, "'muster error list' shows the ids."),
    );
  }
  const wholeGroup = texts.find(isGroupID);
  if (wholeGroup !== undefined) throw groupGiven(wholeGroup, ofGroup);
  const short = texts.filter((text) => !isID(text));
  if (short.length === 0) return texts.map((text) => text.toLowerCase());
  const projectID = await chooseProjectID(connection, projectFlag);
  const found = await findErrors(connection.client, projectID, short);
  const missing = short.find((text) => !found.has(text));
  const group = missing === undefined ? undefined : await findGroup(connection.client, projectID, missing);
  if (missing !== undefined && group !== undefined) throw groupGiven(missing, ofGroup);
  return texts.map((text) => {
    if (isID(text)) return text.toLowerCase();
    const error = found.get(text);
    if (error !== undefined) return error.id;
    throw new CommandError('notFound', `There is no error '${text}' in the project ${projectID}.`, olderHint);
  });
}

function groupGiven(text: string, ofGroup: string): CommandError {
  return new CommandError(
    'usage',
    `'${text}' is a group of errors, and not an error.`,
    `For all of its errors, run: ${ofGroup} ${text}`,
  );
}

async function getGroup(client: Client, agentErrorGroupID: string): Promise<AgentErrorGroup> {
  const { getAgentErrorGroup } = await import('@muster/client');
  return getAgentErrorGroup(client, { agentErrorGroupID });
}

async function findGroup(
  client: Client,
  projectID: string,
  text: string,
): Promise<AgentErrorGroup | undefined> {
  const found = await findByShortIDs([text], {
    noun: 'group',
    pages: pagesOfGroups(client, projectID),
    describe: ({ pattern }) => pattern,
  });
  return found.get(text);
}

/** Groups in every state: those with open and current errors first. */
async function* pagesOfGroups(client: Client, projectID: string) {
  const { listAgentErrorGroups } = await import('@muster/client');
  for (const state of [{}, { current: false }, { dismissed: true }]) {
    yield* listAgentErrorGroups(client, { projectID, last: largestPageSize, ...state }).pages();
  }
}

async function findError(client: Client, projectID: string, text: string): Promise<AgentError | undefined> {
  if (!isID(text)) return (await findErrors(client, projectID, [text])).get(text);
  for await (const { items } of pagesOfTimes(client, projectID, [text])) {
    const error = items.find(({ id }) => id === text);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Errors whose ids begin or end with the texts: of any time if the text has the whole time of the id, else of the newest. */
async function findErrors(
  client: Client,
  projectID: string,
  texts: readonly string[],
): Promise<ReadonlyMap<string, AgentError>> {
  const search = { noun: 'error', describe: ({ error }: AgentError) => error };
  const withTime = texts.filter((text) => text.replaceAll('-', '').length >= timeDigits);
  const byTime = await findByShortIDs(withTime, {
    ...search,
    pages: pagesOfTimes(client, projectID, withTime),
  });
  const others = texts.filter((text) => !byTime.has(text));
  const newest = await findByShortIDs(others, { ...search, pages: pagesOfErrors(client, projectID) });
  return new Map([...byTime, ...newest]);
}

async function* pagesOfErrors(client: Client, projectID: string) {
  const { listProjectErrors } = await import('@muster/client');
  yield* listProjectErrors(client, { projectID, last: largestPageSize }).pages();
}

/** A UUIDv7 begins with its time in milliseconds. */
const timeDigits = 12;
/** The end of the year 9999, after which a time has another form. */
const maxTime = 253_402_300_799_000;

/** Errors that were created in the milliseconds with which the texts begin. */
async function* pagesOfTimes(client: Client, projectID: string, texts: readonly string[]) {
  const { listProjectErrors } = await import('@muster/client');
  for (const text of texts) {
    const time = Number.parseInt(text.replaceAll('-', '').slice(0, timeDigits), 16);
    if (time >= maxTime) continue;
    const [since = '', until = ''] = [time, time + 1].map((one) => new Date(one).toISOString());
    yield* listProjectErrors(client, { projectID, since, until, last: largestPageSize }).pages();
  }
}
