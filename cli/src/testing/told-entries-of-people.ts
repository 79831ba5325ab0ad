import { actor, id, other, service, type ToldEntry, target } from './told-entry.ts';

const project = target('project', 'edge');

/** Of projects, credentials and people. */
export const toldEntriesOfPeople: readonly ToldEntry[] = [
  ["Ada created the project 'edge'", 'project.created', { target: project, after: { name: 'edge' } }],
  [
    "Ada renamed the project 'a' to 'b'",
    'project.updated',
    { target: project, before: { name: 'a' }, after: { name: 'b' } },
  ],
  [
    "Ada set the freeze windows of the project 'edge' to 'nights' and 'launch'",
    'project.updated',
    {
      target: project,
      before: { freezeWindows: [] },
      after: { freezeWindows: [{ name: 'nights' }, { name: 'launch' }] },
    },
  ],
  [
    "Ada removed the freeze windows of the project 'edge'",
    'project.updated',
    { target: project, before: { freezeWindows: [{ name: 'nights' }] }, after: { freezeWindows: [] } },
  ],
  ["Ada deleted the project 'edge'", 'project.deleted', { target: project, before: { name: 'edge' } }],
  [
    "Ada began to move the project 'edge' to https://b.example, with its secrets encrypted for the key whose digest begins with 0123456789ab",
    'project.departing',
    { target: project, after: { targetURL: 'https://b.example', publicKeyDigest: '0123456789abcdef' } },
  ],
  [
    "Ada froze the project 'edge' to move it to https://b.example",
    'project.frozen',
    { target: project, after: { targetURL: 'https://b.example' } },
  ],
  [
    "The service ended the freeze of the project 'edge', which stays here",
    'project.thawed',
    { ...service, target: project },
  ],
  [
    "Ada moved the project 'edge' to https://b.example",
    'project.moved',
    { target: project, after: { targetURL: 'https://b.example' } },
  ],
  [
    "Ada began to take over the project 'edge' from https://a.example",
    'project.arriving',
    { target: project, after: { sourceURL: 'https://a.example' } },
  ],
  [
    "Ada took over the project 'edge' from https://a.example",
    'project.arrived',
    { target: project, after: { sourceURL: 'https://a.example' } },
  ],
  [
    "Ada created the token 'ci' with create:agent and read:fleet, valid until 2027-01-01 12:00 UTC, only from 10.0.0.0/8, at most 1 report per second",
    'token.created',
    {
      after: {
        permissions: ['create:agent', 'read:fleet'],
        expiresAt: '2027-01-01T12:00:00.000Z',
        allowedNetworks: ['10.0.0.0/8'],
        reportsPerSecond: 1,
        parentID: id,
      },
    },
  ],
  [
    "The file of MUSTER_PROVISION_FILE created the token 'ci' with no permission",
    'token.created',
    { actor: actor('system', 'MUSTER_PROVISION_FILE'), after: { permissions: [] } },
  ],
  [
    "Ada changed the token 'ci': the name from 'old' to 'ci', the permissions from read:agent to all permissions, the expiry from none to 2027-01-01 12:00 UTC, the token that it ends with from another to none",
    'token.updated',
    {
      before: { name: 'old', permissions: ['read:agent'], expiresAt: null, parentID: id },
      after: { name: 'ci', permissions: ['*'], expiresAt: '2027-01-01T12:00:00.000Z', parentID: null },
    },
  ],
  ["Ada rotated the token 'ci'; the earlier value ended at once", 'token.rotated', { after: {} }],
  [
    "Ada rotated the token 'ci'; the earlier value ends after 1 day, or when the new one is first used",
    'token.rotated',
    { after: { graceSeconds: 86_400, retireOnUse: true } },
  ],
  [
    "The token 'ci' rotated itself; the earlier value ends after 90 seconds",
    'token.rotated',
    { actor: actor('project_token', 'ci', other), after: { graceSeconds: 90 } },
  ],
  [
    "The service ended the earlier values of the token 'ci', because a newer one was used",
    'token.earlier_values_ended',
    { actor: actor('system', 'first use of a newer value') },
  ],
  [
    "Ada revoked the token 'ci' and 2 tokens created with it, and the agents that registered with it (reason: 'found in public')",
    'token.revoked',
    { after: { reason: 'found in public', revokeAgents: true, tokensCount: 3 } },
  ],
  [
    "Ada revoked the token 'ci'",
    'token.revoked',
    { after: { reason: null, revokeAgents: false, tokensCount: 1 } },
  ],
  [
    "The service revoked the token 'ci', which was found in public ('https://git.example/x')",
    'token.leaked',
    {
      actor: actor('system', 'report of a leak'),
      after: { source: 'https://git.example/x', value: 'current', revoked: true },
    },
  ],
  [
    "The service learned that a token of the agent 'web-01' was found in public",
    'token.leaked',
    {
      actor: actor('system', 'report of a leak'),
      target: target('agent', 'web-01'),
      after: { source: null, revoked: false },
    },
  ],
  [
    "Ada created the access token 'laptop', narrowed to read:agent in 2 projects",
    'access_token.created',
    {
      target: target('access_token', 'laptop'),
      after: { name: 'laptop', expiresAt: null, permissions: ['read:agent'], projects: [id, other] },
    },
  ],
  [
    "Somebody with the command 'muster admin reset-token' gave the user 'administrator' a new access token, which ended the one before",
    'access_token.created',
    {
      actor: actor('system', 'muster admin reset-token'),
      target: target('user', 'administrator'),
      after: { revokedTokensCount: 1 },
    },
  ],
  [
    "Ada rotated the access token 'laptop'; the earlier value ended at once",
    'access_token.rotated',
    { target: target('access_token', 'laptop'), after: {} },
  ],
  [
    "The service ended the earlier values of the access token 'laptop', because a newer one was used",
    'access_token.earlier_values_ended',
    { actor: actor('system', 'first use of a newer value'), target: target('access_token', 'laptop') },
  ],
  [
    "Ada revoked the access token 'laptop' and 1 token created with it",
    'access_token.revoked',
    { target: target('access_token', 'laptop'), after: { tokensCount: 2 } },
  ],
  [
    "The service ended an earlier value of the access token 'laptop', which was found in public",
    'access_token.leaked',
    {
      ...service,
      target: target('access_token', 'laptop'),
      after: { source: null, value: 'earlier', revoked: true },
    },
  ],
  [
    "Ada created a sign-in link for 'Grace', valid until 2027-01-01 12:00 UTC",
    'sign_in_link.created',
    { target: target('sign_in_link', 'Grace'), after: { expiresAt: '2027-01-01T12:00:00.000Z' } },
  ],
  [
    "The service revoked a sign-in link of 'Grace', which was found in public",
    'sign_in_link.leaked',
    { ...service, target: target('sign_in_link', 'Grace'), after: { revoked: true, source: null } },
  ],
  [
    'Ada signed in with a sign-in link',
    'session.created',
    { target: target('session', null), after: { method: 'sign_in_link', expiresAt: null } },
  ],
  [
    'Ada signed out',
    'session.revoked',
    { actor: { ...actor('user', 'Ada'), credentialID: other }, target: target('session', null) },
  ],
  ['Ada ended a session', 'session.revoked', { target: target('session', null) }],
  [
    'The service revoked a session, which was found in public',
    'session.leaked',
    { ...service, target: target('session', null), after: { revoked: true, source: null } },
  ],
  [
    "The service created the user 'administrator' when it started",
    'user.created',
    { actor: actor('system', 'start of the service'), target: target('user', 'administrator') },
  ],
  ['Ada signed up', 'user.created', { target: { kind: 'user', id, name: 'Ada' }, after: { name: 'Ada' } }],
  [
    "The identity provider changed the user 'Ada': the groups from none to 'sre' and 'dev'",
    'user.updated',
    {
      actor: actor('system', 'identity provider'),
      target: target('user', 'Ada'),
      before: { name: 'Ada', claimValues: [] },
      after: { name: 'Ada', claimValues: ['sre', 'dev'] },
    },
  ],
  ["Ada removed the user 'Grace'", 'user.removed', { target: target('user', 'Grace') }],
  [
    "Ada added the member 'Grace' as viewer",
    'member.added',
    { target: target('member', 'Grace'), after: { role: 'viewer', permissions: ['read:*'] } },
  ],
  [
    'Ada became a member with read:agent',
    'member.added',
    { target: { kind: 'member', id, name: 'Ada' }, after: { role: 'custom', permissions: ['read:agent'] } },
  ],
  [
    "Ada changed the role of the member 'Grace' from read:agent and read:token to owner",
    'member.updated',
    {
      target: target('member', 'Grace'),
      before: { role: 'custom', permissions: ['read:agent', 'read:token'] },
      after: { role: 'owner', permissions: ['*'] },
    },
  ],
  [
    "Ada removed the member 'Grace'; 1 token of theirs stays valid",
    'member.removed',
    {
      target: target('member', 'Grace'),
      before: { role: 'viewer' },
      after: { keptTokensCount: 1, revokedTokensCount: 0 },
    },
  ],
  [
    'Ada left the project, and revoked 2 tokens of theirs',
    'member.removed',
    { target: { kind: 'member', id, name: 'Ada' }, after: { keptTokensCount: 0, revokedTokensCount: 2 } },
  ],
  [
    "Ada invited 'ada@example.com' as operator, valid until 2027-01-01 12:00 UTC",
    'invitation.created',
    {
      target: target('invitation', null),
      after: { role: 'operator', email: 'ada@example.com', expiresAt: '2027-01-01T12:00:00.000Z' },
    },
  ],
  ['Ada accepted an invitation', 'invitation.accepted', { target: target('invitation', null) }],
  ['Ada revoked an invitation', 'invitation.revoked', { target: target('invitation', null) }],
  [
    "The service revoked an invitation, which was found in public ('a log')",
    'invitation.revoked',
    { ...service, target: target('invitation', null), after: { source: 'a log', leaked: true } },
  ],
  [
    'Ada was denied 12 times: delete a project',
    'request.denied',
    {
      target: { kind: 'route', id: 'deleteProject', name: null },
      after: { count: 12, code: 'permission_denied', firstAt: 'x', lastAt: 'y' },
    },
  ],
  [
    "The service left out 3 more requests that were denied (reason: 'too many')",
    'request.denied',
    {
      ...service,
      target: { kind: 'installation', id: null, name: null },
      after: { count: 3, reason: 'too many' },
    },
  ],
];
