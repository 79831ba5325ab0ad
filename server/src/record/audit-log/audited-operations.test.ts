import { type AuditEntry, allRoutes, formatProjectToken, type OperationID } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf, type Row, rows, type Target, urlOf } from '../../testing/calls/credential-table.ts';
import { entriesOfFleets } from '../../testing/calls/entries-of-fleets.ts';
import { recordedOfCoreInstances } from '../../testing/calls/recorded-of-core-instances.ts';
import { recordedOfMoves } from '../../testing/calls/recorded-of-moves.ts';
import { TestBrowser } from '../../testing/receivers/test-browser.ts';
import { readAuditLog } from '../../testing/rows/read-audit-log.ts';
import { aMutedGroup } from '../../testing/stages/fleet-targets.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

/** What is left of an entry without what every entry has. */
type Expected = Pick<AuditEntry, 'action' | 'target'> &
  Partial<Pick<AuditEntry, 'before' | 'after' | 'projectID'>> & { readonly bySystem?: true };

interface Done {
  readonly params: Target['params'];
  readonly projectID: string;
  /** Of the answer. */
  readonly body: Record<string, unknown>;
}

/** Operations that change something without an entry, and why. */
const unrecorded: Partial<Record<OperationID, string>> = {
  createAgentError: 'reports of agents are data, and come in masses',
  createMachineError: 'reports of agents are data, and come in masses',
  registerAgent: 'a new agent is data; another configuration of a known one is recorded',
  addAgentMetrics: 'a sign of life',
  sendAgentHeartbeat: 'a sign of life',
  sendMachineHeartbeat: 'a sign of life',
  sendCoreInstanceBatch: 'what it passes on is recorded as what the agents themselves do',
  readDepartingRows: 'nothing is stored',
  writeArrivingRows: 'the beginning and the end of the arrival are recorded',
  reportTokenLeaks: 'the revocation of a token that was found in public is recorded',
  testAlertChannel: 'a message that says that it is a test',
  previewAlertRule: 'nothing is stored',
  validateFleetConfig: 'nothing is stored',
  startRollout: 'it is a dry run, in which nothing happens',
};

const text = expect.any(String);
const agentToken = ['create:agent', 'create:agent_error', 'update:agent', 'read:fleet'];
const token = {
  allowedNetworks: null,
  expiresAt: null,
  name: 'test',
  parentID: null,
  permissions: [],
  reportsPerSecond: null,
};

const provisioned = {
  projectID: '0192f0a0-7b1c-7c3a-9d52-000000000001',
  tokenID: '0192f0a0-7b1c-7c3a-9d52-000000000002',
};
const rule = {
  name: 'Errors on many agents',
  kind: 'widespread_group',
  ...{ agents: expect.any(Number), share: null, windowSeconds: 3_600, days: null },
  channelIDs: null,
  cooldownSeconds: 3_600,
  enabled: true,
};
const channel = { name: 'on-call', kind: 'webhook', target: text, quietHours: null, enabled: true };

/** Every entry that an operation makes, newest last. */
const recorded: Partial<Record<OperationID, (done: Done) => Expected[]>> = {
  createToken: ({ body }) => [
    {
      action: 'token.created',
      target: { kind: 'token', id: String(body.id), name: 'made' },
      after: { ...token, name: 'made' },
    },
  ],
  updateToken: ({ params }) => [
    {
      action: 'token.updated',
      target: ofToken(params),
      before: { name: 'test' },
      after: { name: 'renamed' },
    },
  ],
  rotateToken: ({ params }) => [{ action: 'token.rotated', target: ofToken(params), after: {} }],
  rotateOwnToken: () => [
    {
      action: 'token.rotated',
      target: { kind: 'token', id: text, name: 'test' },
      after: { graceSeconds: 60 },
    },
  ],
  revokeToken: ({ params }) => [
    {
      action: 'token.revoked',
      target: ofToken(params),
      after: { reason: null, revokeAgents: false, tokensCount: 1 },
    },
  ],
  revokeTokenWithReason: ({ params }) => [
    {
      action: 'token.revoked',
      target: ofToken(params),
      after: { reason: 'found in a public repository', revokeAgents: false, tokensCount: 1 },
    },
  ],
  createProject: ({ body }) => [
    {
      action: 'project.created',
      projectID: String(body.id),
      target: { kind: 'project', id: String(body.id), name: 'another' },
      after: { name: 'another' },
    },
    {
      action: 'token.created',
      projectID: String(body.id),
      target: { kind: 'token', id: text, name: 'default' },
      after: { ...token, name: 'default', permissions: agentToken },
    },
  ],
  ...recordedOfMoves,
  updateProject: ({ projectID }) => [
    {
      action: 'project.updated',
      target: { kind: 'project', id: projectID, name: 'test' },
      before: { name: 'test' },
      after: { name: 'renamed' },
    },
  ],
  deleteProject: ({ params: { projectID = '' } }) => [
    {
      action: 'project.deleted',
      projectID,
      target: { kind: 'project', id: projectID, name: 'test' },
      before: { name: 'test' },
    },
  ],
  updateAgent: ({ params }) => [
    { action: 'agent.updated', target: ofAgent(params), after: { fields: ['version'] } },
  ],
  releaseAgent: ({ params }) => [{ action: 'agent.released', target: ofAgent(params) }],
  deleteAgent: ({ params }) => [{ action: 'agent.deleted', target: ofAgent(params) }],
  deleteAgents: ({ projectID }) => [
    {
      action: 'agents.deleted',
      target: { kind: 'project', id: projectID, name: null },
      before: { filter: { agentIDs: [text], notSeenSince: null } },
      after: { agentsCount: 1, agentIDs: [text] },
    },
  ],
  dismissAgentError: ({ params }) => [
    { action: 'agent_error.dismissed', target: ofError(params), after: { reason: 'seen' } },
  ],
  reopenAgentError: ({ params }) => [
    { action: 'agent_error.reopened', target: ofError(params), before: { reason: 'seen' } },
  ],
  updateAgentErrorGroups: ofGroupEntry('agent_error_group.updated', {
    before: { note: null },
    after: { note: 'known' },
  }),
  muteAgentErrorGroup: ofGroupEntry('agent_error_group.muted', {
    before: { mutedUntil: null, reason: null },
    after: { mutedUntil: '2999-01-01T00:00:00.000Z', reason: 'known' },
  }),
  unmuteAgentErrorGroup: ofGroupEntry('agent_error_group.unmuted', {
    before: { mutedUntil: '2999-01-01T00:00:00.000Z', reason: 'known' },
  }),
  createDismissal: ({ body }) => [
    {
      action: 'dismissal.created',
      target: { kind: 'dismissal', id: String(body.id), name: null },
      after: { reason: 'seen', filter: { q: 'no upstream' } },
    },
    {
      action: 'dismissal.finished',
      bySystem: true,
      target: { kind: 'dismissal', id: String(body.id), name: null },
      after: { errorsCount: 0, agentsCount: 0 },
    },
  ],
  undoDismissal: ({ params: { dismissalID = '' } }) => [
    {
      action: 'dismissal.undone',
      target: { kind: 'dismissal', id: dismissalID, name: null },
      before: { reason: 'seen' },
    },
    {
      action: 'dismissal.undo_finished',
      bySystem: true,
      target: { kind: 'dismissal', id: dismissalID, name: null },
      after: { reopenedCount: 0, equalOpenCount: 0 },
    },
  ],
  ...recordedOfCoreInstances,
  createAlertChannel: ({ body }) => [
    {
      action: 'alert_channel.created',
      target: { kind: 'alert_channel', id: String(body.id), name: String(body.name) },
      after: { ...channel, name: body.name, kind: body.kind },
    },
  ],
  updateAlertChannel: ({ params, body }) => [
    {
      action: 'alert_channel.updated',
      target: ofChannel(params),
      before: { name: channel.name },
      after: { name: body.name },
    },
  ],
  deleteAlertChannel: ({ params }) => [
    { action: 'alert_channel.deleted', target: ofChannel(params), before: channel },
  ],
  rotateAlertChannel: ({ params }) => [
    {
      action: 'alert_channel.updated',
      target: ofChannel(params),
      after: { isSecretChanged: true, graceSeconds: expect.any(Number) },
    },
  ],
  ...entriesOfFleets,
  createAlertRule: ({ body }) => [
    {
      action: 'alert_rule.created',
      target: { kind: 'alert_rule', id: String(body.id), name: String(body.name) },
      after: rule,
    },
  ],
  updateAlertRule: ({ params }) => [
    {
      action: 'alert_rule.updated',
      target: { ...ofRule(params), name: 'renamed' },
      before: { name: rule.name },
      after: { name: 'renamed' },
    },
  ],
  deleteAlertRule: ({ params }) => [{ action: 'alert_rule.deleted', target: ofRule(params), before: rule }],
  createSignInLink: () => [
    {
      action: 'sign_in_link.created',
      projectID: null,
      target: { kind: 'sign_in_link', id: text, name: 'administrator' },
      after: { expiresAt: text },
    },
  ],
  revokeSession: ({ params: { sessionID = '' } }) => [
    { action: 'session.revoked', projectID: null, target: { kind: 'session', id: sessionID, name: null } },
  ],
  signOut: () => [
    { action: 'session.revoked', projectID: null, target: { kind: 'session', id: text, name: null } },
  ],
  applyProvisioning: () => [
    {
      action: 'project.created',
      projectID: provisioned.projectID,
      target: { kind: 'project', id: provisioned.projectID, name: 'edge' },
      after: { name: 'edge' },
    },
    {
      action: 'token.created',
      projectID: provisioned.projectID,
      target: { kind: 'token', id: provisioned.tokenID, name: 'agents' },
      after: { name: 'agents', permissions: ['read:fleet'] },
    },
  ],
  addMember: ({ params }) => [
    {
      action: 'member.added',
      target: ofMember(params),
      after: { role: 'viewer', permissions: ['read:*'] },
    },
  ],
  updateMember: ({ params }) => [
    {
      action: 'member.updated',
      target: ofMember(params),
      before: { role: 'viewer', permissions: ['read:*'] },
      after: { role: 'viewer', permissions: ['read:*'] },
    },
  ],
  removeMember: ({ params }) => [
    {
      action: 'member.removed',
      target: ofMember(params),
      before: { role: 'viewer', permissions: ['read:*'] },
      after: { keptTokensCount: 0, revokedTokensCount: 0 },
    },
  ],
  createInvitation: ({ body }) => [
    {
      action: 'invitation.created',
      target: { kind: 'invitation', id: String(body.id), name: null },
      after: { role: 'viewer', permissions: ['read:*'], email: null, expiresAt: text },
    },
  ],
  revokeInvitation: ({ params }) => [{ action: 'invitation.revoked', target: ofInvitation(params) }],
  acceptInvitation: ({ params, body }) => [
    { action: 'invitation.accepted', target: ofInvitation(params) },
    {
      action: 'member.added',
      target: { kind: 'member', id: String(body.userID), name: 'administrator' },
      after: { role: 'viewer', permissions: ['read:*'] },
    },
  ],
  signUp: ({ params, body }) => [
    { action: 'invitation.accepted', target: ofInvitation(params) },
    {
      action: 'member.added',
      target: { kind: 'member', id: String(body.userID), name: 'Ada' },
      after: { role: 'viewer', permissions: ['read:*'] },
    },
    {
      action: 'user.created',
      projectID: null,
      target: { kind: 'user', id: String(body.userID), name: 'Ada' },
      after: { name: 'Ada' },
    },
  ],
  createAccessToken: ({ body }) => [
    {
      action: 'access_token.created',
      projectID: null,
      target: { kind: 'access_token', id: String(body.id), name: 'laptop' },
      after: { name: 'laptop', expiresAt: null, permissions: null, projects: null, parentID: text },
    },
  ],
  rotateAccessToken: ({ params }) => [
    { action: 'access_token.rotated', projectID: null, target: ofAccessToken(params), after: {} },
  ],
  revokeAccessToken: ({ params }) => [
    {
      action: 'access_token.revoked',
      projectID: null,
      target: ofAccessToken(params),
      after: { tokensCount: 1 },
    },
  ],
};

function ofToken({ tokenID = '' }: Target['params']) {
  return { kind: 'token', id: tokenID, name: 'test' } as const;
}

function ofAgent({ agentID = '' }: Target['params']) {
  return { kind: 'agent', id: agentID, name: 'web-01' } as const;
}

function ofError({ agentErrorID = '' }: Target['params']) {
  return { kind: 'agent_error', id: agentErrorID, name: text } as const;
}

function ofGroupEntry(action: AuditEntry['action'], values: Pick<Expected, 'before' | 'after'>) {
  return ({ params: { agentErrorGroupID = '' } }: Done): Expected[] => {
    const name = 'no upstream connections available';
    return [{ action, target: { kind: 'agent_error_group', id: agentErrorGroupID, name }, ...values }];
  };
}

function ofChannel({ alertChannelID = '' }: Target['params']) {
  return { kind: 'alert_channel', id: alertChannelID, name: 'on-call' } as const;
}

function ofRule({ alertRuleID = '' }: Target['params']) {
  return { kind: 'alert_rule', id: alertRuleID, name: rule.name } as const;
}

function ofMember({ userID = '' }: Target['params']) {
  return { kind: 'member', id: userID, name: 'Grace' } as const;
}

function ofInvitation({ invitationID = '' }: Target['params']) {
  return { kind: 'invitation', id: invitationID, name: null } as const;
}

function ofAccessToken({ accessTokenID = '' }: Target['params']) {
  return { kind: 'access_token', id: accessTokenID, name: 'to be revoked' } as const;
}

/** Where the request of the credential table changes nothing. */
const bodies: Partial<Record<OperationID, object>> = {
  departProject: { step: 'freeze', runID: provisioned.projectID, targetURL: 'https://b.example.com' },
  applyProvisioning: {
    projects: [
      {
        id: provisioned.projectID,
        name: 'edge',
        tokens: [
          {
            name: 'agents',
            value: formatProjectToken(provisioned, new Uint8Array(32)),
            permissions: ['read:fleet'],
          },
        ],
      },
    ],
  },
};

/** With an access token, nobody signs out. */
async function sessionHeaders(app: TestApp): Promise<Readonly<Record<string, string>>> {
  const browser = new TestBrowser(app);
  await browser.submit('/sign_in', { form: { token: app.admin } });
  return { cookie: browser.cookieHeader(), origin: browser.origin, 'sec-fetch-site': 'same-origin' };
}

const changing = allRoutes.filter(({ method }) => method !== 'GET');
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

describe('every operation that changes something', () => {
  it('is recorded, or it is explained why not', () => {
    const known = [...Object.keys(recorded), ...Object.keys(unrecorded)];
    expect(known.toSorted()).toEqual(changing.map(({ operationID }) => operationID).toSorted());
  });
});

describe.each(changing.map((route) => [route.operationID, route] as const))('%s', (name, route) => {
  const operationID = name as OperationID; // of a route of the contract
  let project: TestProject;

  beforeAll(async () => {
    project = await app.createProject();
  });

  it(`makes ${operationID in unrecorded ? 'no entry' : 'its entries'}`, async () => {
    const found = rows.find(({ method, path }) => method === route.method && path === route.path);
    if (found === undefined) throw new Error('the credential table has every route');
    // Without an agent, nothing would be deleted; without a mute, none would end.
    const row =
      operationID === 'deleteAgents'
        ? { ...found, query: `agent_id=${(await app.registerAgent(project)).id}` }
        : found;
    const target = await (operationID === 'unmuteAgentErrorGroup' ? aMutedGroup : row.target)(app, project);
    const before = new Set((await readAuditLog(app)).map(({ id }) => id));
    const isOfToken = !row.takes.includes('access') && row.takes.length > 0;
    const isOfSite = row.takes.join() === 'core_instance';
    const site = isOfSite ? await app.createCoreInstance(project) : undefined;
    const sender = isOfToken ? (site ?? (await app.createToken(project.id, row.needs))) : undefined;
    if (sender !== undefined) for (const { id } of await readAuditLog(app)) before.add(id);
    const session = operationID === 'signOut' ? await sessionHeaders(app) : undefined;
    if (session !== undefined) for (const { id } of await readAuditLog(app)) before.add(id);
    const answer = await app.request<Record<string, unknown>>(row.method, urlOf(row, target), {
      as: session === undefined ? credentials(app, row, sender) : {},
      headers: {
        ...session,
        'x-request-id': 'the-request',
        ...(row.mediaType === undefined ? {} : { 'content-type': row.mediaType }),
      },
      ...(row.body === undefined ? {} : { body: bodies[operationID] ?? bodyOf(row, target) }),
    });
    expect(answer.status).toBe(row.success);
    app.clock.advance(1_000);
    const entries = (await readAuditLog(app)).filter(({ id }) => !before.has(id)).reverse();
    const done = { params: target.params, projectID: project.id, body: answer.body };
    const expected = recorded[operationID]?.(done) ?? [];
    const common = {
      id: text,
      sequence: expect.any(Number),
      createdAt: text,
      digest: text,
      previousDigest: text,
    };
    const { body: me } = await app.request<{ id: string }>('GET', '/v1/me', { as: { access: app.admin } });
    const actor =
      row.takes.length === 0
        ? { kind: 'user', id: text, name: 'Ada', credentialID: null }
        : sender === undefined
          ? { kind: 'user', id: me.id, name: 'administrator', credentialID: text }
          : site !== undefined
            ? { kind: 'core_instance', id: site.id, name: text, credentialID: null }
            : { kind: 'project_token', id: sender.id, name: 'test', credentialID: null };
    const inOrder = (list: readonly { readonly action: string }[]) =>
      list.toSorted((one, other) => (one.action < other.action ? -1 : 1));
    expect(inOrder(entries)).toEqual(
      inOrder(
        expected.map(({ bySystem, ...entry }) => ({
          ...common,
          projectID: project.id,
          before: null,
          after: null,
          ...(bySystem
            ? {
                actor: { kind: 'system', id: null, name: null, credentialID: null },
                address: null,
                requestID: null,
              }
            : { actor, address: '127.0.0.1', requestID: 'the-request' }),
          ...entry,
        })),
      ),
    );
  });
});

function credentials(app: TestApp, { takes }: Row, sender: { readonly token: string } | undefined) {
  if (takes.length === 0) return {};
  if (sender === undefined) return { access: app.admin };
  return takes.join() === 'core_instance' ? { core_instance: sender.token } : { project: sender.token };
}
