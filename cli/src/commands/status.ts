import type { Client, Me } from '@muster/client';
import { largestPageSize } from '@muster/contract';
import type { Command } from 'commander';
import { addClientCommand, addOutputFlags, addProjectFlag, type ClientFlags } from '../client-command.ts';
import { CommandError } from '../command-error.ts';
import { type ChosenServer, chooseServer } from '../connection/choose-server.ts';
import { type Connection, createConnectedClient, loginCommand } from '../connection/connect.ts';
import { kindOfToken, projectIDOfToken } from '../connection/credential.ts';
import { chooseProjectID } from '../connection/find-resources.ts';
import { Printer } from '../output/printer.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { describeMe } from './login.ts';

/** The output of `--json`. Null: not known, because the user is not signed in or not permitted. */
interface Status {
  readonly url: string;
  readonly version: string;
  readonly isReady: boolean;
  readonly database: string | null;
  readonly me: Me | null;
  readonly projectID: string | null;
  readonly agents: {
    readonly healthy: number;
    readonly unhealthy: number;
    readonly offline: number;
    readonly stopped: number;
    readonly isComplete: boolean;
  } | null;
  readonly openErrors: { readonly count: number; readonly isComplete: boolean } | null;
}

/** Counting stops there, because each thousand takes a request. */
const maxCounted = 10_000;

/** `muster status`: the service, the caller and the fleet on one screen. */
export function addStatusCommand(program: Command, terminal: Terminal): void {
  const command = addClientCommand(program, 'status', {
    summary: 'Show whether the service is up, who you are signed in as, and the state of the fleet.',
    description: `Shows whether the service is up, who you are signed in as, how many agents are healthy, and how many errors are open. Counts up to ${maxCounted}.`,
    examples: ['muster status', 'muster status --json | jq .agents.unhealthy'],
  });
  addOutputFlags(addProjectFlag(command), 'Print nothing; only set the exit code.').action(
    async (flags: ClientFlags) => {
      const chosen = await chooseServer(terminal, flags.profile);
      const status = await readStatus(terminal, chosen, flags.project);
      if (flags.quiet !== true) new Printer(terminal, flags).summary(status, '', toLines(status));
      if (!status.isReady)
        throw new CommandError(
          'failed',
          `${status.url} is alive but not ready: its database does not answer.`,
        );
      if (status.me === null) {
        throw new CommandError(
          'notSignedIn',
          `You are not signed in to ${status.url}.`,
          `Run: ${loginCommand(chosen)}`,
        );
      }
    },
  );
}

async function readStatus(
  terminal: Terminal,
  chosen: ChosenServer,
  projectFlag: string | undefined,
): Promise<Status> {
  const { url, token, profile } = chosen;
  const { getLiveness, getMe } = await import('@muster/client');
  const client = await createConnectedClient(terminal, url, token);
  const { version } = await getLiveness(client);
  const database = await readDatabase(client);
  const service = { url, version, isReady: database !== null, database };
  if (token === undefined || database === null) {
    return { ...service, me: null, projectID: null, agents: null, openErrors: null };
  }
  const me = await getMe(client);
  const connection = {
    client,
    url,
    kind: kindOfToken(token),
    ownProjectID: projectIDOfToken(token),
    profile,
    givenProject: terminal.env.MUSTER_PROJECT,
  };
  const projectID = await unlessRefused(() => chooseProjectIfClear(connection, projectFlag));
  return {
    ...service,
    me,
    projectID,
    agents: projectID === null ? null : await unlessRefused(() => countAgents(client, projectID)),
    openErrors: projectID === null ? null : await unlessRefused(() => countOpenErrors(client, projectID)),
  };
}

/** Null if there is no project, or several and none was chosen; the rest of the status is still shown. */
async function chooseProjectIfClear(
  connection: Connection,
  flag: string | undefined,
): Promise<string | null> {
  try {
    return await chooseProjectID(connection, flag);
  } catch (error) {
    if (error instanceof CommandError && flag === undefined) return null;
    throw error;
  }
}

/** Null if the service is alive but not ready. */
async function readDatabase(client: Client): Promise<string | null> {
  const { getReadiness, MusterError } = await import('@muster/client');
  try {
    return (await getReadiness(client, {}, { retry: { attempts: 1 } })).database;
  } catch (error) {
    if (error instanceof MusterError && error.status === 503) return null;
    throw error;
  }
}

/** Null if the credential lacks the permission. */
async function unlessRefused<Value>(read: () => Promise<Value>): Promise<Value | null> {
  const { MusterError } = await import('@muster/client');
  try {
    return await read();
  } catch (error) {
    if (error instanceof MusterError && error.status === 403) return null;
    throw error;
  }
}

async function countAgents(client: Client, projectID: string): Promise<NonNullable<Status['agents']>> {
  const { listAgents } = await import('@muster/client');
  const counts = { healthy: 0, unhealthy: 0, offline: 0, stopped: 0 };
  let total = 0;
  for await (const { items, next } of listAgents(client, { projectID, last: largestPageSize }).pages()) {
    for (const { status } of items) counts[status] += 1;
    total += items.length;
    if (total >= maxCounted) return { ...counts, isComplete: next === undefined };
  }
  return { ...counts, isComplete: true };
}

async function countOpenErrors(
  client: Client,
  projectID: string,
): Promise<NonNullable<Status['openErrors']>> {
  const { listProjectErrors } = await import('@muster/client');
  const query = { projectID, dismissed: false, last: largestPageSize };
  let count = 0;
  for await (const { items, next } of listProjectErrors(client, query).pages()) {
    count += items.length;
    if (count >= maxCounted) return { count, isComplete: next === undefined };
  }
  return { count, isComplete: true };
}

function unlessNone(count: number, status: string): string {
  return count === 0 ? '' : `, ${count} ${status}`;
}

function toLines({ url, version, isReady, database, me, projectID, agents, openErrors }: Status) {
  const atLeast = (isComplete: boolean): string => (isComplete ? '' : ' of the newest; there are more');
  const unknown =
    projectID === null
      ? 'not known: name the project with --project'
      : 'not known: the credential may not read them';
  const fleet =
    agents === null
      ? unknown
      : `${agents.healthy} healthy, ${agents.unhealthy} unhealthy${unlessNone(agents.offline, 'offline')}${unlessNone(agents.stopped, 'stopped')}${atLeast(agents.isComplete)}`;
  const errors = openErrors === null ? unknown : `${openErrors.count}${atLeast(openErrors.isComplete)}`;
  const isKnown = me !== null;
  return [
    ['server', url],
    [
      'service',
      `${isReady ? 'up' : 'not ready'}, version ${version}${database === null ? '' : `, on ${database}`}`,
    ],
    ['as', isKnown ? describeMe(me) : 'nobody: not signed in'],
    ['project', projectID ?? undefined],
    ['agents', isKnown ? fleet : undefined],
    ['open errors', isKnown ? errors : undefined],
  ] as const;
}
