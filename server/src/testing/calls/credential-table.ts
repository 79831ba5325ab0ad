import { randomUUID } from 'node:crypto';
import {
  aChannel,
  aConfiguredAgent,
  aDismissal,
  aDismissedError,
  aFleet,
  aFleetContent,
  aFleetFile,
  aFleetVersion,
  aGroup,
  aNewProject,
  anAgent,
  anAgentOfAFleet,
  anError,
  aPausedRollout,
  aRollout,
  aRule,
  aToken,
  aWaitingRollout,
  nothing,
} from '../stages/fleet-targets.ts';
import {
  aCode,
  aCoreInstance,
  aMachine,
  aMember,
  anAccessToken,
  anInvitation,
  aSession,
  type Target,
  theNewcomer,
  theProject,
} from '../stages/people-targets.ts';
import type { Answer, RequestOptions, TestApp } from '../start-test-app.ts';
import { testEngine } from '../test-database.ts';
import { newRule } from './alert-calls.ts';
import type { Kind, Row } from './credential-row.ts';
import { moveRows } from './move-rows.ts';
import { siteStatus } from './site-calls.ts';

export type { Target } from '../stages/people-targets.ts';
export type { Kind, Row } from './credential-row.ts';

/** A viewer, who has `read:*`, is no auditor. */
const auditor = 'read:audit_log, update:member';

/** Names of fleets are unique. */
function newFleet(): object {
  return { name: randomUUID().slice(4) };
}

export const rows: readonly Row[] = [
  row('GET', '/v1/projects/{projectID}/tokens', 'access, project', 'read:token', 200, theProject),
  row('POST', '/v1/projects/{projectID}/tokens', 'access, project', 'create:token', 201, theProject, {
    body: { name: 'made', permissions: [] },
  }),
  row('GET', '/v1/project_tokens/{tokenID}', 'access, project', 'read:token', 200, aToken),
  row('PATCH', '/v1/project_tokens/{tokenID}', 'access, project', 'update:token', 200, aToken, {
    body: { name: 'renamed' },
  }),
  row('GET', '/v1/project_tokens/{tokenID}/usage', 'access, project', 'read:token', 200, aToken),
  row('POST', '/v1/project_tokens/{tokenID}/rotate', 'access, project', 'update:token', 200, aToken, {
    body: {},
  }),
  row('GET', '/v1/project_tokens/self', 'project', '', 200, nothing),
  row('POST', '/v1/project_tokens/self/rotate', 'project', 'update:own_token', 200, nothing, {
    body: { graceSeconds: 60 },
  }),
  row('DELETE', '/v1/project_tokens/{tokenID}', 'access, project', 'delete:token', 204, aToken),
  row('POST', '/v1/project_tokens/{tokenID}/revoke', 'access, project', 'delete:token', 200, aToken, {
    body: { reason: 'found in a public repository' },
  }),

  row('POST', '/v1/token_leaks', '', '', 200, nothing, { body: [{ token: 'found in public' }] }),

  row('POST', '/v1/agents', 'project', 'create:agent', 201, nothing, {
    body: { name: 'web-01', machineID: 'web-01' },
  }),
  row('GET', '/v1/projects/{projectID}/agents', 'access, project', 'read:agent', 200, theProject),
  row('DELETE', '/v1/projects/{projectID}/agents', 'access, project', 'delete:agent', 200, theProject, {
    query: 'status=offline',
  }),
  row('GET', '/v1/projects/{projectID}/reported_fleets', 'access, project', 'read:fleet', 200, theProject),
  row('GET', '/v1/agents/{agentID}', 'access, project', 'read:agent', 200, anAgent),
  row('PATCH', '/v1/agents/{agentID}', 'agent, project, access', 'update:agent', 204, anAgent, {
    body: { version: '5.1.1' },
  }),
  row('POST', '/v1/agents/{agentID}/release', 'access', 'update:agent', 204, anAgent),
  row('DELETE', '/v1/agents/{agentID}', 'access, project', 'delete:agent', 204, anAgent),
  row('GET', '/v1/agents/{agentID}/config_history', 'access, project', 'read:agent', 200, anAgent),
  row(
    'GET',
    '/v1/agents/{agentID}/config_changes',
    'access, project',
    'read:agent, read:agent_error',
    200,
    aConfiguredAgent,
  ),
  row('GET', '/v1/agents/{agentID}/config_diff', 'access, project', 'read:agent', 200, aConfiguredAgent),
  row('POST', '/v1/agents/{agentID}/metrics', 'agent, project, access', 'update:agent', 200, anAgent, {
    body: Buffer.of(0x90), // a context of the old format without metrics
    mediaType: 'application/x-msgpack',
  }),

  row('POST', '/v1/agents/{agentID}/heartbeat', 'agent, project, access', 'update:agent', 204, anAgent, {
    takesBasic: true,
  }),
  row('POST', '/v1/machines/{machineID}/heartbeat', 'project', 'create:agent', 204, aMachine, {
    takesBasic: true,
  }),
  row('POST', '/v1/projects/{projectID}/fleets', 'access, project', 'create:fleet', 201, theProject, {
    body: newFleet,
  }),
  row('GET', '/v1/projects/{projectID}/fleets', 'access, project', 'read:fleet', 200, theProject),
  row('GET', '/v1/projects/{projectID}/fleets/status', 'access, project', 'read:fleet', 200, theProject),
  row(
    'GET',
    '/v1/projects/{projectID}/fleets/version_counts',
    'access, project',
    'read:fleet',
    200,
    theProject,
  ),
  fleetRow('GET', '', 'read:fleet'),
  fleetRow('PATCH', '', 'update:fleet', { body: { tags: ['eu'] } }),
  fleetRow('DELETE', '', 'delete:fleet'),
  fleetRow('GET', '/status', 'read:fleet'),
  row(
    'POST',
    '/v1/fleets/{fleetID}/agents',
    'access, project',
    'update:fleet, update:agent',
    200,
    anAgentOfAFleet,
    {
      body: ({ agentID }) => ({ agentIDs: [agentID] }),
    },
  ),
  fleetRow('GET', '/config', 'read:fleet'),
  fleetRow('GET', '/files', 'read:fleet'),
  fleetRow('POST', '/files', 'update:fleet', { body: { name: 'more.conf', contents: 'IyBtb3JlCg==' } }),
  row('GET', '/v1/fleet_files/{fleetFileID}', 'access, project', 'read:fleet', 200, aFleetFile),
  row('PATCH', '/v1/fleet_files/{fleetFileID}', 'access, project', 'update:fleet', 204, aFleetFile, {
    body: { contents: 'IyBtb3JlCg==' },
  }),
  row('DELETE', '/v1/fleet_files/{fleetFileID}', 'access, project', 'update:fleet', 204, aFleetFile),
  fleetRow('GET', '/variables', 'read:fleet'),
  fleetRow('PATCH', '/variables', 'update:fleet', { body: { set: [{ name: 'region', value: 'eu' }] } }),
  fleetRow('GET', '/secrets', 'read:fleet'),
  fleetRow('PATCH', '/secrets', 'update:fleet', { body: { set: [{ name: 'key', value: 'a long one' }] } }),
  fleetRow('GET', '/versions', 'read:fleet'),
  row('POST', '/v1/fleets/{fleetID}/versions', 'access, project', 'update:fleet', 201, aFleet, {
    body: { rawConfig: '[INPUT]\n    Name random\n' },
  }),
  fleetRow('POST', '/validate', 'read:fleet', { body: {} }),
  row('POST', '/v1/fleets/{fleetID}/rollouts', 'access, project', 'update:fleet', 200, aFleetVersion, {
    body: ({ fleetVersionID }) => ({ versionID: fleetVersionID, reason: 'a new output', dryRun: true }),
  }),
  row('GET', '/v1/projects/{projectID}/rollouts', 'access, project', 'read:fleet', 200, theProject),
  row('GET', '/v1/rollouts/{rolloutID}', 'access, project', 'read:fleet', 200, aRollout),
  row('GET', '/v1/rollouts/{rolloutID}/agents', 'access, project', 'read:fleet', 200, aRollout),
  row('GET', '/v1/projects/{projectID}/freeze_windows', 'access, project', 'read:fleet', 200, theProject),
  row('PATCH', '/v1/projects/{projectID}/freeze_windows', 'access', 'update:project', 200, theProject, {
    body: { freezeWindows: [] },
  }),
  rolloutRow('pause', aRollout),
  rolloutRow('resume', aPausedRollout),
  rolloutRow('approve', aWaitingRollout),
  rolloutRow('stop', aRollout),
  rolloutRow('revert', aRollout),
  rolloutRow('promote', aRollout),
  row('GET', '/v1/fleet_versions/{fleetVersionID}', 'access, project', 'read:fleet', 200, aFleetVersion),
  row('GET', '/v1/fleet_versions/{fleetVersionID}/diff', 'access, project', 'read:fleet', 200, aFleetVersion),
  row('GET', '/v1/search', 'access, project', 'read:fleet', 200, theProject, {
    query: 'project_id={projectID}&resource=fleet',
  }),

  row('POST', '/v1/core_instances', 'project', 'create:core_instance', 201, nothing, { body: {} }),
  row(
    'GET',
    '/v1/projects/{projectID}/core_instances',
    'access, project',
    'read:core_instance',
    200,
    theProject,
  ),
  coreInstanceRow('GET', '', 'access, project', 'read:core_instance', 200),
  coreInstanceRow('PATCH', '', 'access, project', 'update:core_instance', 200, { body: { tags: ['x'] } }),
  coreInstanceRow('DELETE', '', 'access, project', 'delete:core_instance', 204),
  coreInstanceRow('POST', '/rotate', 'access, project', 'update:core_instance', 200, { body: {} }),
  row('POST', '/v1/core_instances/self/rotate', 'core_instance', '', 200, nothing, { body: {} }),
  row('POST', '/v1/core_instances/self/batches', 'core_instance', '', 200, nothing, {
    body: { protocol: 1, sequence: 1, status: siteStatus(0), items: [] },
  }),
  row('GET', '/v1/core_instances/self/credentials', 'core_instance', '', 200, nothing),
  row('GET', '/v1/core_instances/self/fleets', 'core_instance', '', 200, nothing),
  row('GET', '/v1/core_instances/self/fleet_contents/{content}', 'core_instance', '', 200, aFleetContent),

  row('POST', '/v1/agents/{agentID}/errors', 'project, agent', 'create:agent_error', 201, anAgent, {
    body: { error: 'no upstream connections available' },
    takesBasic: true,
  }),
  row(
    'POST',
    '/v1/machines/{machineID}/errors',
    'project',
    'create:agent_error, create:agent',
    201,
    aMachine,
    {
      body: { error: 'no upstream connections available' },
      takesBasic: true,
    },
  ),
  row('GET', '/v1/agents/{agentID}/errors', 'access, project', 'read:agent_error', 200, anAgent),
  row('GET', '/v1/projects/{projectID}/agent_errors', 'access, project', 'read:agent_error', 200, theProject),
  row(
    'POST',
    '/v1/agent_errors/{agentErrorID}/dismiss',
    'access, project',
    'update:agent_error',
    200,
    anError,
    {
      body: { reason: 'seen' },
    },
  ),
  row(
    'POST',
    '/v1/agent_errors/{agentErrorID}/reopen',
    'access, project',
    'update:agent_error',
    200,
    aDismissedError,
  ),

  row(
    'POST',
    '/v1/projects/{projectID}/dismissals',
    'access, project',
    'update:agent_error',
    201,
    theProject,
    {
      body: { reason: 'seen', filter: { q: 'no upstream' } },
    },
  ),
  row('GET', '/v1/projects/{projectID}/dismissals', 'access, project', 'read:agent_error', 200, theProject),
  row('GET', '/v1/dismissals/{dismissalID}', 'access, project', 'read:agent_error', 200, aDismissal),
  row('POST', '/v1/dismissals/{dismissalID}/undo', 'access, project', 'update:agent_error', 200, aDismissal),
  row(
    'GET',
    '/v1/projects/{projectID}/events',
    'access, project',
    'read:token',
    200,
    theProject,
    // An answer that ends, of events that need one permission.
    { query: 'follow=false&types=token.*' },
  ),
  row('GET', '/v1/projects/{projectID}/alert_channels', 'access, project', 'read:webhook', 200, theProject),
  row(
    'POST',
    '/v1/projects/{projectID}/alert_channels',
    'access, project',
    'create:webhook',
    201,
    theProject,
    {
      body: { name: 'on-call', kind: 'webhook', url: 'https://hooks.example.invalid/muster' },
    },
  ),
  channelRow('GET', '', 'read:webhook', 200),
  channelRow('PATCH', '', 'update:webhook', 200, { body: { name: 'renamed' } }),
  channelRow('DELETE', '', 'delete:webhook', 204),
  channelRow('POST', '/rotate', 'update:webhook', 200, { body: {} }),
  channelRow('POST', '/test', 'update:webhook', 200),
  row('GET', '/v1/projects/{projectID}/alert_rules', 'access, project', 'read:webhook', 200, theProject),
  row('POST', '/v1/projects/{projectID}/alert_rules', 'access, project', 'create:webhook', 201, theProject, {
    body: newRule,
  }),
  row(
    'POST',
    '/v1/projects/{projectID}/alert_rules/preview',
    'access, project',
    'create:webhook',
    200,
    theProject,
    { body: { kind: 'new_group' } },
  ),
  ruleRow('GET', 'read:webhook', 200),
  ruleRow('PATCH', 'update:webhook', 200, { body: { name: 'renamed' } }),
  ruleRow('DELETE', 'delete:webhook', 204),
  row('GET', '/v1/projects/{projectID}/alert_deliveries', 'access, project', 'read:webhook', 200, theProject),
  row(
    'GET',
    '/v1/projects/{projectID}/agent_error_groups',
    'access, project',
    'read:agent_error',
    200,
    theProject,
  ),
  row(
    'GET',
    '/v1/projects/{projectID}/agent_error_group_trends',
    'access, project',
    'read:agent_error',
    200,
    theProject,
  ),
  groupRow('GET', '', 'read:agent_error'),
  groupRow('GET', '/agents', 'read:agent_error'),
  row(
    'PATCH',
    '/v1/projects/{projectID}/agent_error_groups',
    'access, project',
    'update:agent_error',
    200,
    async (app, project) => {
      const group = await aGroup(app, project);
      return { ...group, params: { ...group.params, projectID: project.id } };
    },
    { body: ({ agentErrorGroupID }) => ({ groupIDs: [agentErrorGroupID], note: 'known' }) },
  ),
  groupRow('GET', '/errors', 'read:agent_error'),
  groupRow('GET', '/history', 'read:agent_error'),
  groupRow('GET', '/origin', 'read:agent_error'),
  groupRow('POST', '/mute', 'update:agent_error', {
    body: { until: '2999-01-01T00:00:00Z', reason: 'known' },
  }),
  groupRow('POST', '/unmute', 'update:agent_error'),

  row('GET', '/v1/projects/{projectID}/audit_log', 'access, project', auditor, 200, theProject),
  row('GET', '/v1/projects/{projectID}/audit_log/chain', 'access, project', auditor, 200, theProject),
  row('GET', '/v1/projects/{projectID}/audit_log/export', 'access, project', auditor, 200, theProject),
  row('GET', '/v1/audit_log', 'access', auditor, 200, nothing, { scope: 'installation' }),
  row('GET', '/v1/audit_log/chains', 'access', auditor, 200, nothing, { scope: 'installation' }),
  row('GET', '/v1/audit_log/export', 'access', auditor, 200, nothing, { scope: 'installation' }),

  row('GET', '/v1/projects', 'access, project', 'read:project', 200, nothing, { scope: 'visible' }),
  row('POST', '/v1/projects', 'access', 'create:project', 201, nothing, {
    body: { name: 'another' },
    scope: 'installation',
  }),
  row('GET', '/v1/projects/{projectID}', 'access, project', 'read:project', 200, theProject),
  row('GET', '/v1/projects/{projectID}/summary', 'access, project', 'read:project', 200, theProject),
  row('GET', '/v1/projects/{projectID}/history', 'access, project', 'read:project', 200, theProject),
  row('PATCH', '/v1/projects/{projectID}', 'access', 'update:project', 200, theProject, {
    body: { name: 'renamed' },
  }),
  row('DELETE', '/v1/projects/{projectID}', 'access', 'delete:project', 204, aNewProject),
  row('POST', '/v1/provisioning', 'access', '', 200, nothing, { body: { projects: [] } }),
  ...moveRows,

  row('GET', '/v1/projects/{projectID}/members', 'access', 'read:member', 200, theProject),
  row('POST', '/v1/projects/{projectID}/members', 'access', 'create:member', 201, theNewcomer, {
    body: ({ userID }) => ({ userID, role: 'viewer' }),
  }),
  row('PATCH', '/v1/projects/{projectID}/members/{userID}', 'access', 'update:member', 200, aMember, {
    body: { role: 'viewer' },
  }),
  row('DELETE', '/v1/projects/{projectID}/members/{userID}', 'access', 'delete:member', 200, aMember),
  row('GET', '/v1/projects/{projectID}/invitations', 'access', 'read:member', 200, theProject),
  row('POST', '/v1/projects/{projectID}/invitations', 'access', 'create:member', 201, theProject, {
    body: { role: 'viewer' },
  }),
  row('DELETE', '/v1/invitations/{invitationID}', 'access', 'delete:member', 204, anInvitation),
  row('POST', '/v1/invitations/accept', 'access', '', 200, aCode, { body: ({ code }) => ({ code }) }),
  row('POST', '/v1/invitations/sign_up', '', '', 201, aCode, {
    body: ({ code }) => ({ code, name: 'Ada' }),
  }),
  row('GET', '/v1/users', 'access', 'read:member', 200, nothing, { scope: 'installation' }),

  row('GET', '/v1/me', 'access, project, agent, core_instance', '', 200, nothing),
  row('GET', '/v1/access_tokens', 'access', '', 200, nothing),
  row('POST', '/v1/access_tokens', 'access', '', 201, nothing, { body: { name: 'laptop' } }),
  row('GET', '/v1/access_tokens/self', 'access', '', 200, nothing),
  row('POST', '/v1/access_tokens/{accessTokenID}/rotate', 'access', '', 200, anAccessToken, { body: {} }),
  row('DELETE', '/v1/access_tokens/{accessTokenID}', 'access', '', 204, anAccessToken),
  row('POST', '/v1/sign_in_links', 'access', '', 201, nothing),
  row('GET', '/v1/sessions', 'access', '', 200, nothing),
  row('DELETE', '/v1/sessions/{sessionID}', 'access', '', 204, aSession),
  row('DELETE', '/v1/sessions/self', 'access', '', 204, nothing),

  row('GET', '/healthz', '', '', 200, nothing),
  row('GET', '/readyz', '', '', 200, nothing),
  row('GET', '/metrics', '', '', 200, nothing),
  row('GET', '/openapi.json', '', '', 200, nothing),
  row('GET', '/docs', '', '', 200, nothing),
];

/** Rows that need a credential. */
export const guardedRows: readonly Row[] = rows.filter(({ takes }) => takes.length > 0);

export function takesKind(kind: Kind): readonly Row[] {
  return rows.filter(({ takes }) => takes.includes(kind));
}

/**
 * For tests of what is decided in memory once the credential is known. All rows on SQLite; on PostgreSQL every fourth,
 * and those whose decision needs a statement of its own. There, test/client/operations.test.ts sends a valid credential to each route.
 */
export function sampledByEngine(list: readonly Row[]): readonly Row[] {
  return list.filter(({ scope }, index) => testEngine === 'sqlite' || scope !== undefined || index % 4 === 0);
}

/** For `describe.each`. */
export function titled(list: readonly Row[]): (readonly [string, Row])[] {
  return list.map((one) => [`${one.method} ${one.path}`, one]);
}

/** @param query added to the query of the row */
export function urlOf({ path, query: own }: Row, { params }: Target, query?: string): string {
  const queries = [own, query].filter((part) => part !== undefined);
  const whole = queries.length === 0 ? path : `${path}?${queries.join('&')}`;
  return whole.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'the target lacks it');
}

/** Sends the request of a row. */
export function send<Body>(
  app: TestApp,
  one: Row,
  target: Target,
  options: Omit<RequestOptions, 'body'> = {},
): Promise<Answer<Body>> {
  const mediaType = one.mediaType === undefined ? {} : { 'content-type': one.mediaType };
  return app.request<Body>(one.method, urlOf(one, target), {
    ...options,
    headers: { ...mediaType, ...options.headers },
    ...(one.body === undefined ? {} : { body: bodyOf(one, target) }),
  });
}

export function bodyOf({ body }: Row, { params }: Target): object | undefined {
  return typeof body === 'function' ? (body as (of: Target['params']) => object)(params) : body; // no other function is a body
}

function row(
  method: Row['method'],
  path: string,
  takes: string,
  needs: string,
  success: Row['success'],
  target: Row['target'],
  sent: Pick<Row, 'query' | 'body' | 'mediaType' | 'scope' | 'takesBasic'> = {},
): Row {
  return { method, path, takes: split(takes) as Kind[], needs: split(needs), success, target, ...sent }; // as written above
}

function groupRow(method: Row['method'], below: string, needs: string, sent: Pick<Row, 'body'> = {}): Row {
  const path = `/v1/agent_error_groups/{agentErrorGroupID}${below}`;
  return row(method, path, 'access, project', needs, 200, aGroup, sent);
}

function channelRow(
  method: Row['method'],
  below: string,
  needs: string,
  success: Row['success'],
  sent: Pick<Row, 'body'> = {},
): Row {
  const path = `/v1/alert_channels/{alertChannelID}${below}`;
  return row(method, path, 'access, project', needs, success, aChannel, sent);
}

function fleetRow(method: Row['method'], below: string, needs: string, sent: Pick<Row, 'body'> = {}): Row {
  return row(method, `/v1/fleets/{fleetID}${below}`, 'access, project', needs, 200, aFleet, sent);
}

function rolloutRow(action: string, target: Row['target']): Row {
  const path = `/v1/rollouts/{rolloutID}/${action}`;
  return row('POST', path, 'access, project', 'update:fleet', 200, target, { body: { reason: 'to try' } });
}

function coreInstanceRow(
  method: Row['method'],
  below: string,
  takes: string,
  needs: string,
  success: Row['success'],
  sent: Pick<Row, 'body'> = {},
): Row {
  const path = `/v1/core_instances/{coreInstanceID}${below}`;
  return row(method, path, takes, needs, success, aCoreInstance, sent);
}

function ruleRow(
  method: Row['method'],
  needs: string,
  success: Row['success'],
  sent: Pick<Row, 'body'> = {},
): Row {
  return row(method, '/v1/alert_rules/{alertRuleID}', 'access, project', needs, success, aRule, sent);
}

function split(list: string): string[] {
  return list === '' ? [] : list.split(', ');
}
