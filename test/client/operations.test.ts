import * as sdk from '@muster/client';
import {
  acceptInvitation,
  addAgentMetrics,
  addMember,
  applyProvisioning,
  type Client,
  createAccessToken,
  createAgentError,
  createClient,
  createDismissal,
  createInvitation,
  createMachineError,
  createProject,
  createSignInLink,
  createToken,
  deleteAgent,
  deleteAgents,
  deleteProject,
  dismissAgentError,
  getAgent,
  getAgentConfigDiff,
  getAgentErrorGroup,
  getAgentErrorGroupHistory,
  getAgentErrorGroupOrigin,
  getAgentErrorGroupTrends,
  getDismissal,
  getDocs,
  getLiveness,
  getMe,
  getMetrics,
  getOpenApi,
  getOwnAccessToken,
  getOwnToken,
  getProject,
  getProjectSummary,
  getReadiness,
  getToken,
  getTokenUsage,
  listAccessTokens,
  listAgentConfigs,
  listAgentErrorGroupAgents,
  listAgentErrorGroupErrors,
  listAgentErrorGroups,
  listAgentErrors,
  listAgents,
  listDismissals,
  listInvitations,
  listMembers,
  listProjectErrors,
  listProjects,
  listSessions,
  listTokens,
  listUsers,
  muteAgentErrorGroup,
  type Permission,
  registerAgent,
  releaseAgent,
  removeMember,
  reopenAgentError,
  reportTokenLeaks,
  revokeAccessToken,
  revokeInvitation,
  revokeSession,
  revokeToken,
  revokeTokenWithReason,
  rotateAccessToken,
  rotateOwnToken,
  rotateToken,
  sendAgentHeartbeat,
  sendMachineHeartbeat,
  signOut,
  signUp,
  undoDismissal,
  unmuteAgentErrorGroup,
  updateAgent,
  updateAgentErrorGroups,
  updateMember,
  updateProject,
  updateToken,
  watchEvents,
} from '@muster/client';
import { routes } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestBrowser } from '../../server/src/testing/receivers/test-browser.ts';
import { testEngine } from '../../server/src/testing/test-database.ts';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { useAlertChannels } from './alert-operations.ts';
import { useAuditLog } from './audit-operations.ts';
import { useCoreInstances } from './core-instance-operations.ts';
import { useFleets, useRollouts } from './fleet-operations.ts';
import { readHistory } from './history-operations.ts';
import { moveProjects } from './move-operations.ts';
import { all, refusalOf } from './outcomes.ts';

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const called = new Set<string>();
let app: ListeningApp;
let admin: Client;
let ofProject: Client;

/** A client of the real service that records the calls. */
function clientOf(credential?: sdk.Credential): Client {
  const client = createClient({ url: `http://127.0.0.1:${app.port}`, credential, userAgent: 'sdk-test' });
  return {
    ...client,
    send(operation, input, options) {
      called.add(operation.id);
      return client.send(operation, input, options);
    },
    connection() {
      // Only this operation uses it.
      called.add('watchEvents');
      return client.connection();
    },
  };
}

beforeAll(async () => {
  app = await startListeningApp({ groupIntervalMilliseconds: 5 });
  admin = clientOf({ accessToken: app.test.admin });
  ofProject = clientOf({ projectToken: app.project.token });
});

afterAll(() => app?.test.close());

describe('projects', () => {
  it('are created, listed, renamed, read and deleted', async () => {
    const created = await createProject(admin, { body: { name: 'Edge' } });
    expect(created).toEqual({ id: uuid, token: expect.stringContaining('.mst_p_'), createdAt: time });
    const projectID = created.id;
    const project = {
      id: projectID,
      name: 'Edge',
      createdAt: created.createdAt,
      updatedAt: created.createdAt,
    };
    const usage = { agents: 0, maxAgents: 100_000, storedBytes: null, maxStoredBytes: null };
    expect(await getProject(admin, { projectID })).toEqual({ ...project, usage });
    expect(await getProjectSummary(admin, { projectID })).toMatchObject({
      agentsByStatus: { healthy: 0, unhealthy: 0, offline: 0, stopped: 0 },
    });
    expect(await all(listProjects(admin, { name: 'Ed*' }))).toEqual([project]);
    expect(await updateProject(admin, { projectID, body: { name: 'Core' } })).toEqual({
      ...project,
      name: 'Core',
      updatedAt: time,
    });
    expect((await applyProvisioning(admin, { body: { projects: [] } })).changes).toEqual([]);
    await moveProjects(admin, projectID);
    expect(await deleteProject(admin, { projectID })).toBeUndefined();
    expect(await refusalOf(getProject(admin, { projectID }))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });
});

describe('tokens', () => {
  it('are created, used, listed page by page, changed and revoked', async () => {
    const projectID = app.project.id;
    const permissions = ['read:token', 'create:token'] as const;
    const created = await createToken(admin, { projectID, body: { name: 'ci-1', permissions } });
    expect(created).toEqual({
      id: uuid,
      token: expect.stringContaining('.mst_p_'),
      name: 'ci-1',
      permissions: ['read:token', 'create:token'],
      createdAt: time,
      expiresAt: null,
      lastUsedAt: null,
      status: 'active',
      allowedNetworks: null,
      reportsPerSecond: null,
      rotatedAt: null,
      earlierValues: [],
      createdBy: { kind: 'user', id: uuid, name: 'administrator' },
      parentID: null,
      ...{ revokedAt: null, revokedBy: null, revokeReason: null, leakedAt: null, leakSource: null },
      agentsCount: 0,
    });
    const ci = clientOf({ projectToken: created.token });
    await createToken(ci, { projectID, body: { name: 'ci-2', permissions: [] } });
    await createToken(ci, { projectID, body: { name: 'ci-3', permissions: [] } });
    const names = (await all(listTokens(ci, { projectID, name: 'ci-*', last: 1 }))).map(({ name }) => name);
    expect(names).toEqual(['ci-3', 'ci-2', 'ci-1']);
    const first = await listTokens(ci, { projectID, name: 'ci-*', last: 2 }).first();
    expect(first).toEqual({
      items: [expect.objectContaining({ name: 'ci-3' }), expect.objectContaining({ name: 'ci-2' })],
      next: expect.any(String),
    });
    const rest = await listTokens(ci, { projectID, name: 'ci-*', last: 2, before: first.next }).first();
    expect(rest).toEqual({ items: [expect.objectContaining({ name: 'ci-1' })] });
    const masked = { ...created, token: expect.stringContaining('…'), lastUsedAt: expect.anything() };
    expect(await getToken(ci, { tokenID: created.id })).toEqual(masked);
    const renamed = await updateToken(admin, { tokenID: created.id, body: { name: 'ci-0' } });
    expect(renamed).toEqual({ ...masked, name: 'ci-0' });
    expect(await revokeToken(admin, { tokenID: created.id })).toBeUndefined();
    expect(await refusalOf(getMe(ci))).toMatchObject({ status: 401, code: 'revoked_credential' });
  });

  it('are rotated, also by themselves, and each call is one rotation', async () => {
    const body = { name: 'rotated', permissions: ['update:own_token'] } as const;
    const created = await createToken(admin, { projectID: app.project.id, body });
    const own = clientOf({ projectToken: created.token });
    expect(await getOwnToken(own)).toMatchObject({ id: created.id, token: expect.stringContaining('…') });
    const second = await rotateOwnToken(own, { body: {} });
    expect(second).toMatchObject({ id: created.id, earlierValues: [{ retiresOnUse: true }] });
    expect(second.token).not.toBe(created.token);
    const input = { tokenID: created.id, body: { graceSeconds: 60 } };
    const options = { idempotencyKey: 'a-key-of-the-caller-0123' };
    const third = await rotateToken(admin, input, options);
    expect((await rotateToken(admin, input, options)).token).toBe(third.token);
    expect((await rotateToken(admin, input)).token).not.toBe(third.token);
    expect(await getTokenUsage(admin, { tokenID: created.id })).toMatchObject({ agentsCount: 0, agents: [] });
    const { id: accessTokenID } = await createAccessToken(admin, { body: { name: 'turned' } });
    const access = await rotateAccessToken(admin, { accessTokenID, body: {} });
    expect(await getOwnAccessToken(clientOf({ accessToken: access.token }))).toMatchObject({
      id: accessTokenID,
    });
    const reason = { tokenID: created.id, body: { reason: 'done' } };
    expect(await revokeTokenWithReason(admin, reason)).toMatchObject({
      status: 'revoked',
      revokeReason: 'done',
    });
  });

  it('are refused with the name of the invalid field', async () => {
    const permissions = JSON.parse('["creat:*"]') as Permission[]; // as a program does that takes them from a person
    const body = { name: 'ci', permissions };
    const error = await refusalOf(createToken(admin, { projectID: app.project.id, body }));
    expect(error).toMatchObject({ status: 422, code: 'invalid_permission', attempts: 1 });
    expect(error.problem.fields).toEqual([{ path: '/permissions/0', message: expect.any(String) }]);
    expect(error.message).toBe(`${error.problem.detail} (invalid_permission, request ${error.requestID})`);
  });
});

describe('agents and their errors', () => {
  it('are registered, report, and get the outcome', async () => {
    const registered = await registerAgent(ofProject, {
      body: { name: 'web-01', machineID: 'web-01', rawConfig: '[INPUT]\n  name cpu\n', tags: ['edge'] },
    });
    expect(registered).toEqual({
      id: uuid,
      token: expect.stringMatching(/^mst_a_/),
      name: 'web-01',
      createdAt: time,
    });
    const agentID = registered.id;
    const agent = clientOf({ agentToken: registered.token });
    const error = 'no upstream connections available';
    const created = await createAgentError(agent, { agentID, body: { error } });
    expect(created).toEqual({ id: uuid, createdAt: time, outcome: 'created' });
    expect(await createAgentError(agent, { agentID, body: { error } })).toEqual({
      ...created,
      outcome: 'ignored',
    });
    const many = await createAgentError(agent, {
      agentID,
      body: [{ error }, { error: 'x'.repeat(1025) }],
      truncate: true,
    });
    expect(many).toEqual({
      items: [
        { id: created.id, createdAt: created.createdAt },
        { id: uuid, createdAt: time },
      ],
      outcome: 'created',
    });

    const agentErrorID = created.id;
    const listed = await all(listAgentErrors(admin, { agentID, dismissed: false, last: 1 }));
    expect(listed.map(({ id, occurrences }) => [id, occurrences])).toEqual([
      [many.items[1]?.id, 1],
      [agentErrorID, 3],
    ]);
    expect(await dismissAgentError(admin, { agentErrorID, body: { reason: 'seen' } })).toEqual({
      dismissedAt: time,
    });
    expect(
      await refusalOf(dismissAgentError(admin, { agentErrorID, body: { reason: 'seen' } })),
    ).toMatchObject({
      status: 409,
      code: 'agent_error_already_dismissed',
    });
    expect(await reopenAgentError(admin, { agentErrorID })).toMatchObject({
      id: agentErrorID,
      dismissedAt: null,
    });
  });

  it('also speak through core instances', async () => {
    await useCoreInstances(admin, clientOf, app.project.id);
    await useFleets(admin, app.project.id);
    await useRollouts(admin, app.test, await app.test.createProject());
  });

  it('are dismissed together, and reopened together', async () => {
    const projectID = app.project.id;
    const filter = { q: 'no error has this text' };
    const body = { reason: 'seen', filter };
    const note = 'No open error matches the filter.';
    const counts = { errorsCount: 0, agentsCount: 0, note };
    expect(await createDismissal(admin, { projectID, body: { ...body, dryRun: true } })).toEqual({
      dryRun: true,
      ...counts,
    });
    const created = await createDismissal(admin, { projectID, body });
    expect(created).toEqual({
      id: uuid,
      state: 'done',
      ...counts,
      reason: 'seen',
      filter,
      groups: [],
      requestedAt: time,
      requestedBy: { kind: 'user', id: uuid, name: 'administrator' },
      endedAt: time,
      undo: null,
    });
    expect(await all(listDismissals(admin, { projectID }))).toEqual([created]);
    const [{ id: dismissalID } = { id: '' }] = await all(listDismissals(admin, { projectID }));
    expect(await getDismissal(admin, { dismissalID })).toEqual(created);
    expect(await undoDismissal(admin, { dismissalID })).toMatchObject({ state: 'undone' });
  });

  it('are found, changed and deleted', async () => {
    const reported = await createMachineError(ofProject, {
      machineID: 'db-1/a',
      name: 'db',
      body: { error: 'disk full' },
    });
    expect(reported).toEqual({ id: uuid, createdAt: time, outcome: 'created' });
    expect(await sendMachineHeartbeat(ofProject, { machineID: 'db-1/a' })).toBeUndefined();
    const projectID = app.project.id;
    const [found] = await all(
      listProjectErrors(admin, { projectID, q: 'DISK', since: '2000-01-01T00:00:00Z' }),
    );
    expect(found).toMatchObject({ id: reported.id, error: 'disk full' });
    const [group] = await all(listAgentErrorGroups(admin, { projectID, q: 'disk', sort: 'agents' }));
    expect(group).toMatchObject({ example: 'disk full', agentsCount: 1, errorsCount: 1 });
    const agentErrorGroupID = group?.id ?? '';
    expect(await getAgentErrorGroup(admin, { agentErrorGroupID })).toMatchObject({ id: group?.id });
    expect(await all(listAgentErrorGroupAgents(admin, { agentErrorGroupID }))).toMatchObject([
      { name: 'db' },
    ]);
    expect(await all(listAgentErrorGroupErrors(admin, { agentErrorGroupID }))).toMatchObject([
      { id: reported.id },
    ]);
    const history = await getAgentErrorGroupHistory(admin, { agentErrorGroupID, bucket: 'day' });
    expect(history.buckets).toHaveLength(31);
    expect(await getAgentErrorGroupOrigin(admin, { agentErrorGroupID })).toEqual({
      first: null,
      affectedCount: 1,
      fleetID: null,
      configuredCount: 0,
      affectedConfiguredCount: 0,
      agentsCount: expect.any(Number),
    });
    const { groups } = await getAgentErrorGroupTrends(admin, { projectID });
    expect(groups.find(({ groupID }) => groupID === agentErrorGroupID)?.agentsCounts).toEqual([
      ...Array.from({ length: 29 }, () => 0),
      1,
    ]);
    const mute = { until: '2999-01-01T00:00:00.000Z', reason: 'known' };
    const noted = { groupIDs: [agentErrorGroupID], note: 'known', link: 'https://tickets.example.com/1' };
    expect(await updateAgentErrorGroups(admin, { projectID, body: noted })).toMatchObject([
      { id: agentErrorGroupID, assignee: null, note: 'known', link: noted.link, notedBy: { kind: 'user' } },
    ]);
    expect(await muteAgentErrorGroup(admin, { agentErrorGroupID, body: mute })).toMatchObject({
      mutedUntil: mute.until,
      muteReason: mute.reason,
    });
    expect(await unmuteAgentErrorGroup(admin, { agentErrorGroupID })).toMatchObject({ mutedUntil: null });
    const [listed] = await all(listAgents(admin, { projectID, name: 'db', status: 'unhealthy' }));
    expect(listed).toMatchObject({ machineID: 'db-1/a' });
    const agentID = listed?.id ?? '';
    expect(
      await updateAgent(admin, { agentID, body: { rawConfig: '[INPUT]\n  name mem\n' } }),
    ).toBeUndefined();
    expect(await getAgent(admin, { agentID })).toMatchObject({
      id: agentID,
      rawConfig: '[INPUT]\n  name mem\n',
    });
    expect(await all(listAgentConfigs(admin, { agentID }))).toEqual([
      { id: uuid, rawConfig: '[INPUT]\n  name mem\n', createdAt: time },
    ]);
    await readHistory(admin, projectID, agentID);
    expect(await getAgentConfigDiff(admin, { agentID })).toEqual({
      from: null,
      to: { id: uuid, createdAt: time },
      diff: expect.stringContaining('\n@@ -0,0 +1,2 @@\n+[INPUT]\n+  name mem\n'),
      addedLines: 2,
      removedLines: 0,
      isCoarse: false,
    });
    expect(await addAgentMetrics(admin, { agentID, body: new Uint8Array([0x90]) })).toEqual({
      totalInserted: 0,
    });
    expect(await sendAgentHeartbeat(admin, { agentID })).toBeUndefined();
    const stopped = { status: 'stopped', exitCode: 0 } as const;
    expect(await sendAgentHeartbeat(admin, { agentID, body: stopped })).toBeUndefined();
    expect(await getAgent(admin, { agentID })).toMatchObject({ status: 'stopped', openErrorsCount: 0 });
    expect(await releaseAgent(admin, { agentID })).toBeUndefined();
    expect(await getAgent(admin, { agentID })).toMatchObject({ releasedAt: time });
    expect(await deleteAgents(admin, { projectID, status: 'stopped', dry_run: true })).toEqual({
      agentsCount: 1,
      dryRun: true,
    });
    expect(await deleteAgent(admin, { agentID })).toBeUndefined();
    expect(await refusalOf(getAgent(admin, { agentID }))).toMatchObject({
      status: 410,
      code: 'agent_deleted',
    });
  });
});

describe('the caller', () => {
  it('can read its identity', async () => {
    expect(await getMe(admin)).toMatchObject({ kind: 'access', permissions: ['*'], projectID: null });
    expect(await getMe(ofProject)).toMatchObject({ kind: 'project', projectID: app.project.id });
    expect(await refusalOf(getMe(clientOf()))).toMatchObject({ status: 401, code: 'missing_credential' });
  });

  it('can manage its own access tokens', async () => {
    const created = await createAccessToken(admin, { body: { name: 'laptop' } });
    expect(created.token).toMatch(/^mst_u_/);
    const names = (await all(listAccessTokens(admin))).map(({ name }) => name);
    expect(names).toContain('laptop');
    expect(await revokeAccessToken(admin, { accessTokenID: created.id })).toBeUndefined();
    expect(await reportTokenLeaks(clientOf(), { body: [{ token: created.token }] })).toEqual({ received: 1 });
    expect(await refusalOf(getMe(clientOf({ accessToken: created.token })))).toMatchObject({ status: 401 });
  });

  it('can manage the browsers in which it is signed in', async () => {
    const link = await createSignInLink(admin);
    expect(new URL(link.url).origin).toBe(`http://127.0.0.1:${app.port}`);
    const browser = new TestBrowser(app.test);
    await browser.open(new URL(link.url).pathname);
    await browser.open('/sign_in/link');
    await browser.submit('/sign_in/link');
    const [session] = await all(listSessions(admin));
    expect(session).toMatchObject({ method: 'sign_in_link', current: false });
    expect(await revokeSession(admin, { sessionID: session?.id ?? '' })).toBeUndefined();
    expect(await all(listSessions(admin))).toEqual([]);
    expect(await signOut(admin)).toBeUndefined();
  });
});

describe('people', () => {
  it('are invited, sign up, get roles and are removed', async () => {
    const projectID = app.project.id;
    const invitation = await createInvitation(admin, { projectID, body: { role: 'viewer' } });
    expect((await all(listInvitations(admin, { projectID }))).map(({ id }) => id)).toEqual([invitation.id]);
    const signedUp = await signUp(clientOf(), { body: { code: invitation.code, name: 'Ada' } });
    const { userID } = signedUp;
    const ada = clientOf({ accessToken: signedUp.token });
    expect(await all(listProjects(ada))).toMatchObject([{ id: projectID }]);
    expect(await all(listMembers(ada, { projectID }))).toMatchObject([
      { userID, name: 'Ada', role: 'viewer' },
    ]);
    const updated = await updateMember(admin, { projectID, userID, body: { permissions: ['read:agent'] } });
    expect(updated).toMatchObject({ role: 'custom', permissions: ['read:agent'] });
    expect(await removeMember(admin, { projectID, userID })).toEqual({
      keptTokensCount: 0,
      revokedTokensCount: 0,
    });
    expect(await addMember(admin, { projectID, body: { userID, role: 'viewer' } })).toMatchObject({ userID });
    await removeMember(admin, { projectID, userID });
    const other = await createInvitation(admin, { projectID, body: { role: 'operator' } });
    expect(await acceptInvitation(ada, { body: { code: other.code } })).toMatchObject({ role: 'operator' });
    const third = await createInvitation(admin, { projectID, body: { role: 'viewer' } });
    expect(await revokeInvitation(admin, { invitationID: third.id })).toBeUndefined();
    expect((await all(listUsers(admin))).map(({ name }) => name)).toEqual(['Ada', 'administrator']);
  });
});

describe('events', () => {
  it('come one by one, and go on after the last one', async () => {
    const projectID = app.project.id;
    const ids: string[] = [];
    for await (const { id, data } of watchEvents(admin, {
      projectID,
      types: ['token.*'],
      lastEventID: '0',
    })) {
      expect(data).toMatchObject({ type: 'token.created', at: time, name: 'default' });
      ids.push(id);
      break;
    }
    const foreign = watchEvents(ofProject, { projectID: app.agent.id, types: ['agent_error.*'] });
    expect(await refusalOf(foreign.next())).toMatchObject({ status: 403, code: 'permission_denied' });
    expect(ids).toHaveLength(1);
  });
});

describe('the service itself', () => {
  it('reports its health', async () => {
    const anyone = clientOf();
    expect(await getLiveness(anyone)).toEqual({ status: 'ok', version: '0.0.0-test' });
    expect(await getReadiness(anyone)).toEqual({ status: 'ready', database: testEngine });
    expect(await getMetrics(anyone)).toMatch(/^# HELP /);
    expect(await getOpenApi(anyone)).toMatchObject({ openapi: '3.1.0' });
    expect(await getDocs(anyone)).toMatch(/^<!doctype html>/i);
  });
});

describe('every operation of the contract', () => {
  const functions = Object.entries(sdk).filter(
    ([name, value]) => /^[a-z]/.test(name) && typeof value === 'function',
  );

  it('is a function of the SDK with its id, and createClient is the only other one', () => {
    const names = functions.map(([name]) => name).filter((name) => name !== 'createClient');
    expect(names.sort()).toEqual(Object.keys(routes).sort());
  });

  it('was called above', async () => {
    await useAlertChannels(admin, app.project.id);
    await useAuditLog(admin, app.project.id);
    expect(Object.keys(routes).filter((id) => !called.has(id))).toEqual([]);
  });
});
