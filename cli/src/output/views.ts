import type {
  AccessToken,
  Agent,
  AgentConfig,
  AgentError,
  Project,
  ProjectWithUsage,
  Token,
} from '@muster/client';
import { countOf, isAboutToExpire, numberOf, runVersionOf } from '@muster/contract';
import { nameOfActor } from './people-views.ts';
import type { DetailLine, Format, View } from './printer.ts';
import { shortID } from './short-id.ts';
import type { Tone } from './tones.ts';

export const projectView: View<Project & { readonly usage?: ProjectWithUsage['usage'] }> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'NAME', isFlexible: true, cell: ({ name }) => name },
    { title: 'CREATED', leaveOut: 1, cell: ({ createdAt }, { time }) => time(createdAt) },
  ],
  details: ({ id, name, createdAt, updatedAt, usage }, { time }) => [
    ['id', id],
    ['name', name],
    ['created', time(createdAt)],
    ['updated', time(updatedAt)],
    ['agents', usage && besideLimit(usage.agents, usage.maxAgents)],
    ['stored bytes', usage && besideLimit(usage.storedBytes, usage.maxStoredBytes)],
  ],
};

function besideLimit(count: number | null, limit: number | null): string {
  return `${count === null ? 'not counted yet' : numberOf(count)}${limit === null ? '' : ` of at most ${numberOf(limit)}`}`;
}

type ShownTokenStatus = Token['status'] | 'rotated';

const tokenTones: Readonly<Record<ShownTokenStatus, Tone>> = {
  active: 'good',
  rotated: 'good',
  expiring: 'warning',
  expired: 'faint',
  revoked: 'faint',
};

/** Rotated: an earlier value of it ends soon, and not the token itself. */
function tokenStatusOf(token: Token, now: number): ShownTokenStatus {
  return token.status === 'expiring' && !isAboutToExpire(token, now) ? 'rotated' : token.status;
}

/** A value from before a rotation: until when it is valid, and whether anybody still uses it. */
export function describeEarlierValue(
  value: Token['earlierValues'][number],
  time: (timestamp: string | null) => string,
): string {
  const { token, lastUsedAt } = value;
  const use = lastUsedAt === null ? 'not used since the rotation' : `last used ${time(lastUsedAt)}`;
  return [token, describeEndOfValue(value, time), use].join(', ');
}

/** `ends when the new one is used, at the latest in 7 d` */
export function describeEndOfValue(
  { endsAt, retiresOnUse }: Pick<Token['earlierValues'][number], 'endsAt' | 'retiresOnUse'>,
  time: (timestamp: string | null) => string,
): string {
  if (!retiresOnUse) return `ends ${time(endsAt)}`;
  return `ends when the new one is used${endsAt === null ? '' : `, at the latest ${time(endsAt)}`}`;
}

export const tokenView: View<Token> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'NAME', isFlexible: true, cell: ({ name }) => name },
    {
      title: 'STATUS',
      leaveOut: 1,
      cell: (token, { now }) => tokenStatusOf(token, now),
      tone: (token, { now }) => tokenTones[tokenStatusOf(token, now)],
    },
    { title: 'PERMISSIONS', isFlexible: true, leaveOut: 2, cell: ({ permissions }) => permissions.join(' ') },
    { title: 'EXPIRES', leaveOut: 3, cell: ({ expiresAt }, { time }) => time(expiresAt) },
    { title: 'LAST USED', leaveOut: 4, cell: ({ lastUsedAt }, { time }) => time(lastUsedAt) },
    { title: 'AGENTS', leaveOut: 5, cell: ({ agentsCount }) => numberOf(agentsCount) },
    { title: 'CREATED', leaveOut: 6, cell: ({ createdAt }, { time }) => time(createdAt) },
  ],
  details: (token, { time, now }) => [
    ['id', token.id],
    ['name', token.name],
    ['token', token.token],
    ['status', tokenStatusOf(token, now), tokenTones[tokenStatusOf(token, now)]],
    ...token.earlierValues.map((value): [string, string] => [
      'earlier value',
      describeEarlierValue(value, time),
    ]),
    ['permissions', token.permissions.join(' ') || 'none'],
    [
      'expires',
      `${time(token.expiresAt)}${token.earlierValues.length === 0 ? '' : ', with the value that it has now'}`,
    ],
    ['last used', time(token.lastUsedAt)],
    ['agents', numberOf(token.agentsCount)],
    ['created', time(token.createdAt)],
    ...(token.allowedNetworks === null
      ? []
      : ([['networks', token.allowedNetworks.join(' ')]] satisfies [string, string][])),
    ...(token.reportsPerSecond === null
      ? []
      : ([['reports per second', String(token.reportsPerSecond)]] satisfies [string, string][])),
    ['created by', nameOfActor(token.createdBy)],
    ['rotated', time(token.rotatedAt)],
    ...(token.revokedAt === null
      ? []
      : ([
          ['revoked', time(token.revokedAt)],
          ['revoked by', token.revokedBy === null ? 'unknown' : nameOfActor(token.revokedBy)],
          ['reason', token.revokeReason ?? 'none'],
        ] satisfies [string, string][])),
  ],
};

export const accessTokenView: View<AccessToken> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'NAME', isFlexible: true, cell: ({ name }) => name },
    { title: 'TOKEN', leaveOut: 4, cell: ({ token }) => token },
    { title: 'EXPIRES', leaveOut: 2, cell: ({ expiresAt }, { time }) => time(expiresAt) },
    { title: 'LAST USED', leaveOut: 1, cell: ({ lastUsedAt }, { time }) => time(lastUsedAt) },
    { title: 'CREATED', leaveOut: 3, cell: ({ createdAt }, { time }) => time(createdAt) },
  ],
  details: (token, { time }) => [
    ['id', token.id],
    ['name', token.name],
    ['token', token.token],
    ['expires', time(token.expiresAt)],
    ['last used', time(token.lastUsedAt)],
    ['permissions', token.permissions === null ? 'all of yours' : token.permissions.join(' ') || 'none'],
    ['projects', token.projects === null ? 'all of yours' : token.projects.join(' ')],
    ['created', time(token.createdAt)],
  ],
};

const agentTones: Readonly<Record<Agent['status'], Tone>> = {
  healthy: 'good',
  unhealthy: 'bad',
  offline: 'warning',
  stopped: 'faint',
  unknown: 'faint',
};

/** The error itself, if that is why it is unhealthy. */
function reasonOf({ status, openError, statusReason }: Agent): string {
  return (status === 'unhealthy' ? openError?.error : undefined) ?? statusReason ?? '';
}

/** How far an agent is with the version of its fleet, behind the version. */
const versionStates: Readonly<Record<NonNullable<Agent['fleet']>['state'], string>> = {
  unknown: ', state not known',
  offered: ', offered',
  downloaded: ', downloaded',
  applied: '',
  rejected: ', refused',
};

function describeShouldRun({ fleet }: Agent): string | undefined {
  if (fleet === null || fleet.versionNumber === null) return undefined;
  return `version ${fleet.versionNumber}${versionStates[fleet.state]}`;
}

/** A version of its fleet; undefined if it runs something else, or if nobody knows. */
function runsVersion({ fleet }: Agent): string | undefined {
  const version = runVersionOf(fleet);
  return version === undefined ? undefined : `version ${version}`;
}

/** What a person wants to know beside an agent. */
interface BesideAgent {
  readonly siteName?: string | undefined;
  /** What people call the configuration that it runs. */
  readonly configLabel?: string | undefined;
}

/** With what is known beside it. */
export function agentViewWith(beside: BesideAgent): View<Agent> {
  return { ...agentView, details: (agent, format) => detailsOfAgent(agent, format, beside) };
}

export const agentView: View<Agent> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'NAME', isFlexible: true, cell: ({ name }) => name },
    { title: 'STATUS', leaveOut: 1, cell: ({ status }) => status, tone: ({ status }) => agentTones[status] },
    { title: 'LAST SEEN', leaveOut: 2, cell: ({ lastSeenAt }, { time }) => time(lastSeenAt) },
    { title: 'TYPE', isFlexible: true, minWidth: 15, leaveOut: 3, cell: describeType },
    { title: 'MACHINE', isFlexible: true, minWidth: 15, leaveOut: 4, cell: ({ machineID }) => machineID },
    { title: 'FLEET', isFlexible: true, leaveOut: 5, cell: (agent) => fleetNameOf(agent) ?? '' },
    { title: 'RUNS', isOptional: true, leaveOut: 6, cell: (agent) => runsVersion(agent) ?? '' },
    { title: 'SINCE', leaveOut: 7, cell: ({ statusSince }, { time }) => time(statusSince) },
    { title: 'REASON', isFlexible: true, leaveOut: 8, cell: reasonOf },
  ],
  details: (agent, format) => detailsOfAgent(agent, format, {}),
};

function detailsOfAgent(
  agent: Agent,
  { time }: Format,
  { siteName, configLabel }: BesideAgent,
): readonly DetailLine[] {
  const { configID, fleet } = agent;
  const name = runsVersion(agent) ?? configLabel;
  const runs = name === undefined || configID === null ? name : `${name} ${shortID(configID)}`;
  return [
    ['id', agent.id],
    ['name', agent.name],
    ['machine', agent.machineID],
    ['status', agent.status, agentTones[agent.status]],
    ['since', time(agent.statusSince)],
    ['reason', agent.statusReason ?? undefined],
    ['oldest open error', agent.openError?.error],
    ['open errors', numberOf(agent.openErrorsCount)],
    ['site', siteName ?? agent.coreInstanceID ?? undefined],
    ['type', describeType(agent) || undefined],
    ['platform', [agent.os, agent.arch].filter(Boolean).join(' ') || undefined],
    ['fleet', fleetNameOf(agent)],
    ['should run', describeShouldRun(agent)],
    ['runs', runs],
    ['drift', fleet?.isDrifted === true ? 'it runs other plugins than its version has' : undefined, 'bad'],
    ['configuration', configID ?? undefined],
    ['tags', agent.tags.join(' ') || undefined],
    ['flags', agent.flags.join(' ') || undefined],
    ['last seen', time(agent.lastSeenAt)],
    ['updated', time(agent.updatedAt)],
    ['created', time(agent.createdAt)],
    ['registered again', describeRegistration(agent, time)],
    ['released', agent.releasedAt === null ? undefined : time(agent.releasedAt)],
    ['project', agent.projectID],
  ];
}

function fleetNameOf({ fleet, fleetID }: Agent): string | undefined {
  return fleet?.name ?? fleetID ?? undefined;
}

/** The registration by a caller without the agent's token. */
function describeRegistration(
  { reregisteredAt, reregisteredFrom }: Agent,
  time: (text: string) => string,
): string | undefined {
  if (reregisteredAt === null) return undefined;
  return [time(reregisteredAt), reregisteredFrom === null ? undefined : `from ${reregisteredFrom}`]
    .filter(Boolean)
    .join(' ');
}

function describeType({ type, version }: Agent): string {
  return [type, version].filter(Boolean).join(' ');
}

export const agentConfigView: View<AgentConfig> = {
  id: ({ id }) => id,
  columns: [
    { title: 'ID', cell: ({ id }, format) => format.id(id) },
    { title: 'SINCE', cell: ({ createdAt }, { time }) => time(createdAt) },
    { title: 'SIZE', leaveOut: 1, cell: ({ rawConfig }) => countOf(Buffer.byteLength(rawConfig), 'byte') },
  ],
  details: ({ id, createdAt }, { time }) => [
    ['id', id],
    ['since', time(createdAt)],
  ],
};

type ErrorState = 'open' | 'superseded' | 'dismissed';

const errorTones: Readonly<Record<ErrorState, Tone>> = {
  open: 'bad',
  superseded: 'warning',
  dismissed: 'faint',
};

/** Superseded: open, but of an earlier configuration of its agent. */
function stateOf({ dismissedAt, current }: AgentError): ErrorState {
  if (dismissedAt !== null) return 'dismissed';
  return current ? 'open' : 'superseded';
}

export interface AgentErrorViewOptions {
  /** The name of the agent, or its id if the name is not known. */
  readonly agentName: (agentID: string) => string;
  /** True if the list may have errors in different states. */
  readonly hasStatus: boolean;
}

export function agentErrorView({ agentName, hasStatus }: AgentErrorViewOptions): View<AgentError> {
  const status: View<AgentError>['columns'][number] = {
    title: 'STATUS',
    leaveOut: 3,
    cell: stateOf,
    tone: (error) => errorTones[stateOf(error)],
  };
  return {
    id: ({ id }) => id,
    columns: [
      { title: 'ID', cell: ({ id }, format) => format.id(id) },
      { title: 'AGENT', isFlexible: true, leaveOut: 1, cell: ({ agentID }) => agentName(agentID) },
      ...(hasStatus ? [status] : []),
      { title: 'TIMES', isRightAligned: true, leaveOut: 4, cell: ({ occurrences }) => numberOf(occurrences) },
      { title: 'LAST SEEN', leaveOut: 2, cell: ({ lastSeenAt }, { time }) => time(lastSeenAt) },
      { title: 'ERROR', isFlexible: true, cell: ({ error }) => error },
    ],
    details: (error, { time }) => [
      ['id', error.id],
      ['agent', agentName(error.agentID)],
      ['error', error.error],
      ['state', stateOf(error), errorTones[stateOf(error)]],
      ['times', numberOf(error.occurrences)],
      ['first seen', time(error.createdAt)],
      ['last seen', time(error.lastSeenAt)],
      ['dismissed', error.dismissedAt === null ? undefined : time(error.dismissedAt)],
      ['reason', error.dismissReason ?? undefined],
    ],
  };
}
