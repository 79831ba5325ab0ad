import type { AgentErrorGroup, Client, CoreInstance, Me, Project, ProjectSummary } from '@muster/client';
import {
  coreInstanceLagsAfterSeconds,
  countOf,
  largestPageSize,
  numberOf,
  titleOfCause,
} from '@muster/contract';
import type { Command } from 'commander';
import {
  addClientCommand,
  addOutputFlags,
  addProjectFlag,
  type ClientFlags,
  repeatedFlags,
} from '../../client-command.ts';
import { CommandError } from '../../command-error.ts';
import { type ChosenServer, chooseServer } from '../../connection/choose-server.ts';
import { type Connection, createConnectedClient, loginCommand } from '../../connection/connect.ts';
import { kindOfToken, projectIDOfToken } from '../../connection/credential.ts';
import { chooseProjectID } from '../../connection/find-resources.ts';
import { percentOf } from '../../output/percent-of.ts';
import { type DetailLine, type Format, Printer } from '../../output/printer.ts';
import { describeLength } from '../../output/relative-time.ts';
import { shortID } from '../../output/short-id.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { findOrigin, type Origin } from '../error-groups/find-origin.ts';
import { logPrefix } from '../error-groups/group-view.ts';
import { describeMe } from './login.ts';

/** The output of `--json`. Null: not known, because the service is not ready, or the user is not signed in or not permitted. */
interface Status {
  readonly url: string;
  readonly version: string;
  readonly isReady: boolean;
  readonly database: string | null;
  readonly me: Me | null;
  readonly projectID: string | null;
  readonly projectName: string | null;
  readonly summary: ProjectSummary | null;
  /** The most widespread causes of open errors. */
  readonly causes: readonly AgentErrorGroup[] | null;
  /** Core instances that are unreachable or lag. */
  readonly sites: readonly CoreInstance[] | null;
}

/** Why a service that is alive answers no requests. */
interface Obstacle {
  readonly reason: string;
  readonly advice: string | undefined;
  /** Whose it is can only be known when the service is ready. */
  readonly hasToken: boolean;
}

/** `muster status`: the service, the caller and the agents on one screen. */
export function addStatusCommand(program: Command, terminal: Terminal): void {
  const command = addClientCommand(program, 'status', {
    summary: 'Show whether the service is up, who you are signed in as, and how the agents are.',
    description:
      'Shows whether the service is up, who you are signed in as, how many agents are healthy, how many errors are open, their most widespread causes, and which sites are unreachable or lag.',
    examples: ['muster status', 'muster status --json | jq .summary.agentsByStatus.unhealthy'],
  });
  addOutputFlags(addProjectFlag(command), 'Print nothing; only set the exit code.').action(
    async (flags: ClientFlags) => {
      const chosen = await chooseServer(terminal, flags.profile);
      const printer = new Printer(terminal, flags);
      const client = await createConnectedClient(terminal, chosen.url, chosen.token);
      const { status, obstacle } = await readStatus(terminal, client, chosen, flags.project);
      const origins = printer.isForScript ? new Map() : await readOrigins(client, status.causes ?? []);
      if (flags.quiet !== true) {
        printer.one(status, {
          id: ({ url }) => url,
          columns: [],
          details: (one, format) => toLines(one, obstacle, origins, terminal.now(), format),
        });
      }
      const [worst] = status.causes ?? [];
      if (worst !== undefined && !printer.isForScript) {
        printer.note(`To see what to do, run: muster error get ${shortID(worst.id)}${repeatedFlags(flags)}`);
      }
      if (obstacle !== undefined) {
        throw new CommandError(
          'failed',
          `${status.url} is alive but not ready: ${obstacle.reason}.`,
          obstacle.advice,
        );
      }
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
  client: Client,
  chosen: ChosenServer,
  projectFlag: string | undefined,
): Promise<{ readonly status: Status; readonly obstacle?: Obstacle }> {
  const { url, token, profile } = chosen;
  const { getLiveness, getMe, getProject, getProjectSummary } = await import('@muster/client');
  const { version } = await getLiveness(client);
  const readiness = await readReadiness(client);
  const unknown = { me: null, projectID: null, projectName: null, summary: null, causes: null, sites: null };
  if (typeof readiness !== 'string') {
    const status = { url, version, isReady: false, database: null, ...unknown };
    return { status, obstacle: { ...readiness, hasToken: token !== undefined } };
  }
  const service = { url, version, isReady: true, database: readiness };
  if (token === undefined) return { status: { ...service, ...unknown } };
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
  const project: Project | null =
    projectID === null ? null : await unlessRefused(() => getProject(client, { projectID }));
  const summary =
    projectID === null ? null : await unlessRefused(() => getProjectSummary(client, { projectID }));
  const [causes, sites] =
    projectID === null || summary === null
      ? [null, null]
      : [
          await unlessRefused(() => listWidestCauses(client, projectID, summary)),
          await unlessRefused(() => listSitesBehind(client, projectID, summary)),
        ];
  const projectName = project?.name ?? null;
  return { status: { ...service, me, projectID, projectName, summary, causes, sites } };
}

const maxNamedCauses = 3;

async function listWidestCauses(
  client: Client,
  projectID: string,
  { openGroupsCount }: ProjectSummary,
): Promise<readonly AgentErrorGroup[]> {
  if (openGroupsCount === 0) return [];
  const { listAgentErrorGroups } = await import('@muster/client');
  const query = { projectID, sort: 'agents', last: maxNamedCauses } as const;
  return (await listAgentErrorGroups(client, query).first()).items;
}

/** The configurations with which causes began or came back, by the ids of the causes, as far as they are known. */
async function readOrigins(
  client: Client,
  causes: readonly AgentErrorGroup[],
): Promise<ReadonlyMap<string, Origin>> {
  const began = causes.filter(
    ({ firstConfigID, regressedAt }) => firstConfigID !== null || regressedAt !== null,
  );
  const origins = await Promise.all(began.map((cause) => findOrigin({ client }, cause)));
  return new Map(
    began.flatMap(({ id, regressedAt }, place) => {
      const origin = origins[place];
      return origin === undefined || (regressedAt !== null && !origin.isPresent) ? [] : [[id, origin]];
    }),
  );
}

/** Asks for them only if the summary says that there are some. */
async function listSitesBehind(
  client: Client,
  projectID: string,
  { coreInstances: { unreachable, maxLagSeconds } }: ProjectSummary,
): Promise<CoreInstance[]> {
  if (unreachable === 0 && maxLagSeconds <= coreInstanceLagsAfterSeconds) return [];
  const { listCoreInstances } = await import('@muster/client');
  const sites: CoreInstance[] = [];
  for await (const one of listCoreInstances(client, { projectID, last: largestPageSize })) {
    if (one.status === 'unreachable' || one.lagSeconds > coreInstanceLagsAfterSeconds) sites.push(one);
  }
  return sites;
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

/** The database, or why the service is alive but not ready. */
async function readReadiness(client: Client): Promise<string | Omit<Obstacle, 'hasToken'>> {
  const { getReadiness, MusterError } = await import('@muster/client');
  try {
    const { database }: { readonly database?: string } = await getReadiness(
      client,
      {},
      { retry: { attempts: 1 } },
    );
    if (database !== undefined) return database;
    return {
      reason: 'it is a core instance, to which only agents talk',
      advice: 'Name the address of Muster itself, with --url or MUSTER_URL.',
    };
  } catch (error) {
    if (!(error instanceof MusterError) || error.status !== 503) throw error;
    if (error.code === 'shutting_down') return { reason: 'it is shutting down', advice: undefined };
    return {
      reason: 'it cannot reach its database',
      advice: "On the machine of the service, 'muster doctor' says why.",
    };
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

function toLines(
  { url, version, database, me, projectID, projectName, summary, causes, sites }: Status,
  obstacle: Obstacle | undefined,
  origins: ReadonlyMap<string, Origin>,
  now: number,
  format: Format,
): DetailLine[] {
  return [
    ['server', url],
    obstacle === undefined
      ? ['service', `up, version ${version}, on ${database}`, 'good']
      : ['service', `not ready: ${obstacle.reason}; version ${version}`, 'bad'],
    ['as', me === null ? describeNobody(obstacle) : describeMe(me)],
    ['project', projectName === null ? (projectID ?? undefined) : `${projectName} (${projectID})`],
    ...(me === null ? [] : summary === null ? unknownLines(projectID) : summaryLines(summary)),
    ...(summary === null ? [] : causeLines(causes ?? [], origins, summary, format)),
    ...(summary === null ? [] : siteLines(summary, sites, now)),
  ];
}

function describeNobody(obstacle: Obstacle | undefined): string {
  return obstacle?.hasToken === true ? 'not known until the service is ready' : 'nobody: not signed in';
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
  const { healthy, unhealthy, offline, stopped, unknown } = summary.agentsByStatus;
  const { current, superseded } = summary.openErrorsByState;
  const fleet = [
    `${numberOf(healthy)} healthy`,
    `${numberOf(unhealthy)} unhealthy`,
    ...(offline === 0 ? [] : [`${numberOf(offline)} offline`]),
    ...(stopped === 0 ? [] : [`${numberOf(stopped)} stopped`]),
    ...(unknown === 0 ? [] : [`${numberOf(unknown)} unknown`]),
  ];
  return [
    ['agents', fleet.join(', '), unhealthy > 0 ? 'bad' : offline + unknown > 0 ? 'warning' : undefined],
    ['versions', describeVersions(summary)],
    ['open errors', `${numberOf(current)}${describeGroups(summary)}`, current > 0 ? 'bad' : undefined],
    [
      'superseded',
      superseded === 0 ? undefined : `${countOf(superseded, 'open error')} of earlier configurations`,
    ],
  ];
}

/** `5 agents (23%), first seen 4 min ago with version 42 of us-east-1 8d39c202: Destination not reachable (3f1e8a6b)`; `came back 4 min ago` after a dismissal, with a configuration only if most of its agents have that one. */
function causeLines(
  causes: readonly AgentErrorGroup[],
  origins: ReadonlyMap<string, Origin>,
  { openGroupsCount }: ProjectSummary,
  format: Format,
): DetailLine[] {
  const named = causes.map((cause) => {
    const agents = `${countOf(cause.agentsCount, 'agent')} (${percentOf(cause.agentsShare)})`;
    const { id, firstConfigID, regressedAt } = cause;
    const origin = origins.get(id);
    const configID = origin?.configID ?? (regressedAt === null ? firstConfigID : null);
    const config =
      configID === null
        ? ''
        : ` with ${origin?.label ?? 'configuration'} ${format.id(configID)}${origin?.isGone === true ? ' that none of them runs now' : ''}`;
    const what = titleOfCause(cause) ?? format.withoutPrefix(cause.pattern, logPrefix);
    const since =
      regressedAt === null
        ? `first seen ${format.time(cause.firstSeenAt)}`
        : `came back ${format.time(regressedAt)}`;
    return `${agents}, ${since}${config}: ${what} (${format.id(cause.id)})`;
  });
  const others = openGroupsCount - causes.length;
  const more =
    causes.length > 0 && others > 0
      ? [format.withCommands(`${countOf(others, 'other')}: muster error groups`)]
      : [];
  return [...named, ...more].map((text, index) => [index === 0 ? 'causes' : '', text]);
}

const maxNamedSites = 10;

/** None without a core instance. */
function siteLines(
  { coreInstances: { waiting, running, unreachable } }: ProjectSummary,
  sites: readonly CoreInstance[] | null,
  now: number,
): DetailLine[] {
  if (waiting + running + unreachable === 0) return [];
  const counts = [
    `${numberOf(running)} running`,
    ...(unreachable === 0 ? [] : [`${numberOf(unreachable)} unreachable`]),
    ...(waiting === 0 ? [] : [`${numberOf(waiting)} waiting for a first contact`]),
  ];
  const silent = (sites ?? []).filter(({ status }) => status === 'unreachable');
  const lagging = (sites ?? []).filter(({ status }) => status !== 'unreachable');
  const silenceOf = ({ lastContactAt }: CoreInstance) => now - Date.parse(lastContactAt ?? '');
  return [
    ['sites', counts.join(', '), unreachable > 0 ? 'bad' : undefined],
    ['unreachable', nameSites(silent, silenceOf), 'bad'],
    ['lagging', nameSites(lagging, ({ lagSeconds }) => lagSeconds * 1_000), 'warning'],
  ];
}

/** `plant-7 (3 h), plant-8 (5 min)`; undefined without any. */
function nameSites(
  sites: readonly CoreInstance[],
  millisecondsOf: (site: CoreInstance) => number,
): string | undefined {
  if (sites.length === 0) return undefined;
  const named = sites
    .slice(0, maxNamedSites)
    .map((site) => `${site.name} (${describeLength(millisecondsOf(site)) ?? 'now'})`);
  const others = sites.length - named.length;
  return [...named, ...(others === 0 ? [] : [`others: ${numberOf(others)}`])].join(', ');
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
