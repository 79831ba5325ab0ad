import type { Client, Me, ProjectSummary } from '@muster/client';
import type { Command } from 'commander';
import { addClientCommand, addOutputFlags, addProjectFlag, type ClientFlags } from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { type ChosenServer, chooseServer } from '../../connection/choose-server.ts';
import { type Connection, createConnectedClient, loginCommand } from '../../connection/connect.ts';
import { kindOfToken, projectIDOfToken } from '../../connection/credential.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import { countOf, numberOf } from '../../output/count-of.ts';
import { type DetailLine, Printer } from '../../output/printer.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { describeMe } from './login.ts';

/** The output of `--json`. Null: not known, because the user is not signed in or not permitted. */
interface Status {
  readonly url: string;
  readonly version: string;
  readonly isReady: boolean;
  readonly database: string | null;
  readonly me: Me | null;
  readonly projectID: string | null;
  readonly summary: ProjectSummary | null;
}

/** `muster status`: the service, the caller and the fleet on one screen. */
export function addStatusCommand(program: Command, terminal: Terminal): void {
  const command = addClientCommand(program, 'status', {
    summary: 'Show whether the service is up, who you are signed in as, and the state of the fleet.',
    description:
      'Shows whether the service is up, who you are signed in as, how many agents are healthy, and how many errors are open, in how many groups.',
    examples: ['muster status', 'muster status --json | jq .summary.agentsByStatus.unhealthy'],
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
  const { getLiveness, getMe, getProjectSummary } = await import('@muster/client');
  const client = await createConnectedClient(terminal, url, token);
  const { version } = await getLiveness(client);
  const database = await readDatabase(client);
  const service = { url, version, isReady: database !== null, database };
  if (token === undefined || database === null) {
    return { ...service, me: null, projectID: null, summary: null };
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
    summary: projectID === null ? null : await unlessRefused(() => getProjectSummary(client, { projectID })),
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

function toLines({ url, version, isReady, database, me, projectID, summary }: Status): DetailLine[] {
  return [
    ['server', url],
    [
      'service',
      `${isReady ? 'up' : 'not ready'}, version ${version}${database === null ? '' : `, on ${database}`}`,
      isReady ? 'good' : 'bad',
    ],
    ['as', me === null ? 'nobody: not signed in' : describeMe(me)],
    ['project', projectID ?? undefined],
    ...(me === null ? [] : summary === null ? unknownLines(projectID) : summaryLines(summary)),
  ];
}

function unknownLines(projectID: string | null): DetailLine[] {
  const unknown =
    projectID === null
      ? 'not known: name the project with --project'
      : 'not known: the credential may not read them';
  return [
    ['agents', unknown],
    ['open errors', unknown],
  ];
}

function summaryLines(summary: ProjectSummary): DetailLine[] {
  const { healthy, unhealthy, offline, stopped } = summary.agentsByStatus;
  const { current, superseded } = summary.openErrorsByState;
  const fleet = [
    `${numberOf(healthy)} healthy`,
    `${numberOf(unhealthy)} unhealthy`,
    ...(offline === 0 ? [] : [`${numberOf(offline)} offline`]),
    ...(stopped === 0 ? [] : [`${numberOf(stopped)} stopped`]),
  ];
  return [
    ['agents', fleet.join(', '), unhealthy > 0 ? 'bad' : offline > 0 ? 'warning' : undefined],
    ['versions', describeVersions(summary)],
    ['open errors', `${numberOf(current)}${describeGroups(summary)}`, current > 0 ? 'bad' : undefined],
    [
      'superseded',
      superseded === 0 ? undefined : `${countOf(superseded, 'open error')} of earlier configurations`,
    ],
  ];
}

const maxVersions = 3;

/** The most frequent versions of agents; undefined if agents have said fewer than two. */
function describeVersions({
  agentsByVersion,
  agentsCount,
}: Pick<ProjectSummary, 'agentsByVersion' | 'agentsCount'>): string | undefined {
  const known = agentsByVersion.filter(({ type, version }) => type !== null || version !== null);
  if (known.length < 2) return undefined;
  const shown = known.slice(0, maxVersions);
  const others = shown.reduce((left, one) => left - one.agentsCount, agentsCount);
  return [
    ...shown.map(
      (one) => `${[one.type, one.version].filter(Boolean).join(' ')}: ${numberOf(one.agentsCount)}`,
    ),
    ...(others === 0 ? [] : [`others: ${numberOf(others)}`]),
  ].join(', ');
}

/** ` in 2 groups, 1 new in the last hour`; empty without a group. */
function describeGroups({ openGroupsCount, newGroupsCount: { lastHour, lastDay } }: ProjectSummary): string {
  if (openGroupsCount === 0) return '';
  const groups = ` in ${countOf(openGroupsCount, 'group')}`;
  if (lastHour > 0) return `${groups}, ${numberOf(lastHour)} new in the last hour`;
  return lastDay > 0 ? `${groups}, ${numberOf(lastDay)} new in the last 24 hours` : groups;
}
