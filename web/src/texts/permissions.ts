import type { Permission, Resource } from '@muster/contract';

export const permissionsTexts = {
  label: 'Permissions',
  chosen: (count: number) => `${count} chosen`,
  nothingChosen: 'choose at least one',
  beyondYou: 'You do not have this permission yourself, so you cannot give it.',
  noUse: 'Has no effect in this version: nothing asks for it.',
  ofPeople: 'Has no effect for a token: only people need it.',
  ofTokens: 'Has no effect for a person: only tokens need it.',
  wildcards: 'More at once',
  others: 'Others',
  everythingAbout: (things: string) => `Everything about ${things}, also what is added later.`,
};

/** What each permission of a project token allows, in a sentence. The tests compare the list with the routes. */
export const permissionTexts: Readonly<Partial<Record<Permission, string>>> = {
  'create:agent': 'Register agents, also by reporting for a machine that is not known yet.',
  'read:agent': 'See agents with their status and their configurations.',
  'update:agent': 'Change agents, and send their heartbeats and metrics.',
  'delete:agent': 'Delete agents with their errors and configurations.',
  'create:agent_error': 'Report errors of agents.',
  'read:agent_error': 'See errors, causes and dismissals.',
  'update:agent_error': 'Dismiss and reopen errors, and mute causes.',
  'create:token': 'Create tokens that may do no more than this one.',
  'read:token': 'See tokens and who uses them, without their values.',
  'update:token': 'Change and rotate tokens.',
  'delete:token': 'Revoke tokens.',
  'update:own_token': 'Rotate itself.',
  'create:webhook': 'Create alert channels and rules, and preview rules.',
  'read:webhook': 'See alert channels, rules and messages.',
  'update:webhook': 'Change alert channels and rules, and send test messages.',
  'delete:webhook': 'Delete alert channels and rules.',
  'create:core_instance': 'Create core instances, which take what agents of a site send.',
  'read:core_instance': 'See core instances with their status.',
  'update:core_instance': 'Change core instances and rotate their tokens.',
  'delete:core_instance': 'Delete core instances.',
  'read:project': 'See the name of the project, its counts and its history.',
  'create:fleet': 'Create fleets.',
  'read:fleet':
    'See fleets, their configurations and rollouts. Agents of a fleet need it to get their configuration.',
  'update:fleet': 'Change fleets: give them versions, and start, stop and revert rollouts.',
  'delete:fleet': 'Delete fleets.',
  'read:audit_log': 'With update:member too: read the audit log.',
  'update:member': 'With read:audit_log too: read the audit log. A token changes no members.',
};

/** What a wildcard of an action allows. */
export const wildcardTexts = {
  '*': 'Everything, also what is added later.',
  'read:*': 'See everything in the project, also what is added later.',
  'create:*': 'Create everything, also what is added later.',
  'update:*': 'Change everything, also what is added later.',
  'delete:*': 'Delete everything, also what is added later.',
} as const;

export const resourceTexts: Readonly<Record<Resource, string>> = {
  agent: 'Agents',
  agent_error: 'Errors',
  token: 'Tokens',
  own_token: 'This token',
  webhook: 'Alerts',
  project: 'Project',
  fleet: 'Fleets',
  core_instance: 'Core instances',
  member: 'Members',
  audit_log: 'Audit log',
};
