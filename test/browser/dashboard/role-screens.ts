import type { CreateInvitation } from '@muster/client';
import type { Grant } from '@muster/contract';

/** What a user may do in the project: the role, or permissions instead, and how their access token is narrowed. */
export interface Role {
  readonly name: string;
  /** Absent: the administrator of the installation. */
  readonly member?: Pick<CreateInvitation, 'role' | 'permissions'>;
  readonly narrowing?: { readonly permissions: readonly Grant[] };
  /** The names of the screens in the navigation. */
  readonly screens: readonly string[];
}

const reading = ['Overview', 'Causes', 'Agents', 'Fleets', 'Sites', 'Tokens', 'Alerts', 'Members'];

export const roles: readonly Role[] = [
  { name: 'an administrator', screens: [...reading, 'Audit log', 'Settings'] },
  { name: 'an owner', member: { role: 'owner' }, screens: [...reading, 'Audit log', 'Settings'] },
  { name: 'an operator', member: { role: 'operator' }, screens: [...reading, 'Settings'] },
  { name: 'a viewer', member: { role: 'viewer' }, screens: [...reading, 'Settings'] },
  custom(['read:agent_error'], ['Causes']),
  custom(['read:agent', 'update:agent', 'delete:agent', 'read:project'], ['Overview', 'Agents', 'Settings']),
  custom(['read:token', 'create:token', 'read:webhook', 'update:webhook'], ['Tokens', 'Alerts']),
  custom(
    ['read:token', 'update:token', 'delete:token', 'read:webhook', 'create:webhook', 'delete:webhook'],
    ['Tokens', 'Alerts'],
  ),
  custom(['read:webhook'], ['Alerts']),
  custom(['read:*', 'create:member', 'update:project'], [...reading, 'Settings']),
  custom(['read:*', 'update:member', 'delete:member'], [...reading, 'Audit log', 'Settings']),
  custom(['create:agent', 'delete:project'], []),
  {
    name: 'an owner with an access token narrowed to reading',
    member: { role: 'owner' },
    narrowing: { permissions: ['read:*'] },
    screens: [...reading, 'Settings'],
  },
  {
    name: 'an administrator with an access token narrowed to errors',
    narrowing: { permissions: ['*:agent_error'] },
    screens: ['Causes'],
  },
];

function custom(permissions: readonly Grant[], screens: readonly string[]): Role {
  return { name: permissions.join(' '), member: { permissions }, screens };
}

/** What a screen needs, and what can be done there. */
export interface Screen {
  /** Its name in the navigation, and the part of it. */
  readonly name: string;
  /** Below the project. `{…}` stands for an id. */
  readonly path: string;
  /** Shown as soon as its data is there. */
  readonly shows: string;
  /** The names of buttons, each with the request that it leads to: a row of the credential table. */
  readonly actions: Readonly<Record<string, string>>;
}

const dismiss = 'POST /v1/projects/{projectID}/dismissals';
const deleteAgents = 'DELETE /v1/projects/{projectID}/agents';
const rule = '/v1/alert_rules/{alertRuleID}';
const channel = '/v1/alert_channels/{alertChannelID}';
const fleet = '/v1/fleets/{fleetID}';
const rollout = '/v1/rollouts/{rolloutID}';
const site = '/v1/core_instances/{coreInstanceID}';

export const screens: readonly Screen[] = [
  { name: 'Overview', path: '', shows: 'Needs attention', actions: {} },
  {
    name: 'Causes',
    path: '/causes',
    shows: 'disk full',
    actions: {
      'Dismiss all that match…': dismiss,
      'Select disk full': dismiss,
      'Select all rows that are loaded': dismiss,
    },
  },
  {
    name: 'Causes, one',
    path: '/causes/{causeID}',
    shows: 'Example texts',
    actions: {
      'Assign…': 'PATCH /v1/projects/{projectID}/agent_error_groups',
      'Mute…': 'POST /v1/agent_error_groups/{agentErrorGroupID}/mute',
      'Dismiss…': dismiss,
    },
  },
  {
    name: 'Causes, dismissals',
    path: '/dismissals',
    shows: 'Repaired',
    actions: { 'Undo…': 'POST /v1/dismissals/{dismissalID}/undo' },
  },
  {
    name: 'Agents',
    path: '/agents?q=edge',
    shows: 'edge-1',
    actions: {
      'Delete all that match…': deleteAgents,
      'Select edge-1': deleteAgents,
      'Select all rows that are loaded': deleteAgents,
    },
  },
  {
    name: 'Agents, one',
    path: '/agents/{agentID}',
    shows: 'm-edge-1',
    actions: {
      'edge-1: Release…': 'POST /v1/agents/{agentID}/release',
      'edge-1: Delete…': 'DELETE /v1/agents/{agentID}',
    },
  },
  {
    name: 'Fleets',
    path: '/fleets',
    shows: 'eu-west-1',
    actions: { 'Create a fleet…': 'POST /v1/projects/{projectID}/fleets' },
  },
  {
    name: 'Fleets, one',
    path: '/fleets/{fleetID}',
    shows: 'This fleet serves nothing yet.',
    actions: { 'Settings…': `PATCH ${fleet}`, 'Delete…': `DELETE ${fleet}` },
  },
  {
    name: 'Fleets, variables and secrets',
    path: '/fleets/{fleetID}/values',
    shows: 'Nothing is set',
    actions: { 'Set a variable…': `PATCH ${fleet}/variables`, 'Set a secret…': `PATCH ${fleet}/secrets` },
  },
  {
    name: 'Fleets, a rollout that waits',
    path: '/fleets/{rolloutFleetID}/rollouts/{rolloutID}',
    shows: 'Stage 2 waits for approval.',
    actions: {
      'Approve…': `POST ${rollout}/approve`,
      'Pause…': `POST ${rollout}/pause`,
      'Stop…': `POST ${rollout}/stop`,
      'Stop and revert…': `POST ${rollout}/revert`,
    },
  },
  {
    name: 'Sites',
    path: '/sites',
    shows: 'plant-7',
    actions: { 'Add a site…': 'POST /v1/projects/{projectID}/tokens' },
  },
  {
    name: 'Sites, one',
    path: '/sites/{siteID}',
    shows: 'Nothing was heard of it yet.',
    actions: { 'Rename…': `PATCH ${site}`, 'Rotate…': `POST ${site}/rotate`, 'Delete…': `DELETE ${site}` },
  },
  {
    name: 'Tokens',
    path: '/tokens?q=default',
    shows: 'default',
    actions: {
      'Create a token…': 'POST /v1/projects/{projectID}/tokens',
      'Rotate… default': 'POST /v1/project_tokens/{tokenID}/rotate',
    },
  },
  {
    name: 'Tokens, one',
    path: '/tokens/{tokenID}',
    shows: 'Requests by day',
    actions: {
      'Change…': 'PATCH /v1/project_tokens/{tokenID}',
      'Rotate…': 'POST /v1/project_tokens/{tokenID}/rotate',
      'Revoke…': 'POST /v1/project_tokens/{tokenID}/revoke',
    },
  },
  {
    name: 'Alerts, rules',
    path: '/alerts',
    shows: 'When a cause has its first error.',
    actions: {
      'Create a channel…': 'POST /v1/projects/{projectID}/alert_channels',
      'Create a rule…': 'POST /v1/projects/{projectID}/alert_rules',
      'New errors is on': `PATCH ${rule}`,
      'Change New errors…': `PATCH ${rule}`,
      'Delete New errors…': `DELETE ${rule}`,
    },
  },
  {
    name: 'Alerts, channels',
    path: '/alerts?section=channels',
    shows: 'on-call',
    actions: {
      'Create a channel…': 'POST /v1/projects/{projectID}/alert_channels',
      'Send a test to on-call': `POST ${channel}/test`,
      'Change on-call…': `PATCH ${channel}`,
      'New secret for on-call…': `POST ${channel}/rotate`,
      'Disable on-call…': `PATCH ${channel}`,
      'Delete on-call…': `DELETE ${channel}`,
    },
  },
  { name: 'Alerts, messages', path: '/alerts?section=messages', shows: 'No messages yet', actions: {} },
  {
    name: 'Members',
    path: '/members',
    shows: 'Mona',
    actions: {
      'Invite…': 'POST /v1/projects/{projectID}/invitations',
      'Mona: Change role…': 'PATCH /v1/projects/{projectID}/members/{userID}',
      'Mona: Remove…': 'DELETE /v1/projects/{projectID}/members/{userID}',
    },
  },
  {
    name: 'Members, invitations',
    path: '/members?section=invitations',
    shows: 'ada@example.com',
    actions: {
      'Invite…': 'POST /v1/projects/{projectID}/invitations',
      'Revoke…': 'DELETE /v1/invitations/{invitationID}',
    },
  },
  {
    name: 'Audit log',
    path: '/audit_log?action=project.*',
    shows: 'created the project',
    actions: { 'Export as JSON lines': 'GET /v1/projects/{projectID}/audit_log/export' },
  },
  {
    name: 'Settings, project',
    path: '/settings',
    shows: 'Created',
    actions: {
      Save: 'PATCH /v1/projects/{projectID}',
      'Add a freeze window…': 'PATCH /v1/projects/{projectID}/freeze_windows',
      'Delete for ever…': 'DELETE /v1/projects/{projectID}',
    },
  },
  {
    name: 'Settings, access tokens',
    path: '/settings?section=access_tokens',
    shows: 'Create access token',
    actions: {
      'Create access token…': 'POST /v1/access_tokens',
    },
  },
];
