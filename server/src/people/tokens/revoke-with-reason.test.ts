import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { type Replicas, startReplicas } from '../../testing/start-replicas.ts';
import type { TestApp } from '../../testing/start-test-app.ts';

let replicas: Replicas;
let app: TestApp;
let project: { readonly id: string; readonly token: string };

beforeAll(async () => {
  // At the log level of a real service, so that reports take the same path as there.
  replicas = await startReplicas({ logLevel: 'info', config: { retentionDays: 90 } });
  app = replicas.one;
  const { body } = await app.request<typeof project>('POST', '/v1/projects', {
    as: { access: replicas.admin },
    body: { name: 'edge' },
  });
  project = body;
});

afterAll(() => replicas.close());

interface Made {
  readonly id: string;
  readonly token: string;
}

async function issue(permissions: readonly string[], as: object = { access: replicas.admin }): Promise<Made> {
  const { body } = await app.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
    as,
    body: { name: 'enrolment', permissions },
  });
  return body;
}

const registrar = ['create:agent', 'create:agent_error', 'update:agent', 'read:fleet'];

function revoke({ id }: Made, body: object, as: object = { access: replicas.admin }) {
  return app.request<Token>('POST', `/v1/project_tokens/${id}/revoke`, { as, body });
}

/** The statuses of a report with an agent's own token, on each replica. */
async function reportsOf(agent: Made): Promise<number[]> {
  const statuses: number[] = [];
  for (const replica of [replicas.one, replicas.other]) {
    const { status } = await replica.request('POST', `/v1/agents/${agent.id}/errors`, {
      as: { agent: agent.token },
      body: { error: 'disk full' },
    });
    statuses.push(status);
  }
  return statuses;
}

const register = (made: Made, machineID: string) =>
  app.registerAgent({ id: project.id, token: made.token }, machineID);

describe('POST /v1/project_tokens/{tokenID}/revoke', () => {
  it('shows who revoked the token, when and why, also of the tokens that it created', async () => {
    const parent = await issue(['create:token', 'read:project']);
    const child = await issue(['read:project'], { project: parent.token });
    const revokedAt = new Date(replicas.clock.now()).toISOString();
    const { status, body } = await revoke(parent, { reason: 'Found in a public repository' });
    const expected = {
      status: 'revoked',
      revokedAt,
      revokedBy: { kind: 'user', id: expect.any(String), name: 'administrator' },
      revokeReason: 'Found in a public repository',
    };
    expect([status, body]).toMatchObject([200, { id: parent.id, parentID: null, ...expected }]);
    const { body: listed } = await replicas.other.request<Token[]>(
      'GET',
      `/v1/projects/${project.id}/tokens?status=revoked`,
      { as: { access: replicas.admin } },
    );
    expect(listed).toMatchObject([
      { id: child.id, parentID: parent.id, ...expected },
      { id: parent.id, ...expected },
    ]);
  });

  it('keeps the first reason, and the name of who gave it', async () => {
    const made = await issue(['read:project']);
    const revoker = await issue(['delete:token', 'read:token']);
    await revoke(made, { reason: 'first' }, { project: revoker.token });
    await app.request('PATCH', `/v1/project_tokens/${revoker.id}`, {
      as: { access: replicas.admin },
      body: { name: 'renamed' },
    });
    replicas.clock.advance(1_000);
    const { body } = await revoke(made, { reason: 'second' });
    expect(body).toMatchObject({
      revokeReason: 'first',
      revokedBy: { kind: 'project_token', id: revoker.id, name: 'enrolment' },
    });
  });

  it('lets agents go on with their own tokens, and register no more', async () => {
    const made = await issue(registrar);
    const agent = await register(made, 'goes-on');
    expect((await revoke(made, {})).status).toBe(200);
    expect(await reportsOf(agent)).toEqual([201, 201]);
    const again = await app.request('POST', '/v1/agents', {
      as: { project: made.token },
      body: { name: 'web-01', machineID: 'goes-on' },
    });
    expect(again.body).toEqual(problemBody('revoked_credential'));
  });

  describe('with revokeAgents', () => {
    it('ends the tokens that agents got with it, in use or not, on every replica, and no others', async () => {
      const [made, other] = [await issue(registrar), await issue(registrar)];
      const ended = await register(made, 'ended');
      const spared = await register(other, 'spared');
      expect([await reportsOf(ended), await reportsOf(spared)]).toEqual([
        [201, 201],
        [201, 201],
      ]);
      // The second token of a machine that the other one registered first: the first one is still valid.
      const stolen = await register(made, 'spared');
      expect((await revoke(made, { revokeAgents: true })).status).toBe(200);
      expect([await reportsOf(ended), await reportsOf(stolen), await reportsOf(spared)]).toEqual([
        [401, 401],
        [401, 401],
        [201, 201],
      ]);
    });

    it('ends agents of the tokens that it created too', async () => {
      const parent = await issue(['*']);
      const child = await issue(registrar, { project: parent.token });
      const agent = await register(child, 'of-a-child');
      expect(await reportsOf(agent)).toEqual([201, 201]);
      await revoke(parent, { revokeAgents: true });
      expect(await reportsOf(agent)).toEqual([401, 401]);
    });

    it('can follow a revocation that kept them', async () => {
      const made = await issue(registrar);
      const agent = await register(made, 'later');
      await revoke(made, { reason: 'old' });
      expect(await reportsOf(agent)).toEqual([201, 201]);
      expect((await revoke(made, { revokeAgents: true })).body).toMatchObject({ revokeReason: 'old' });
      expect(await reportsOf(agent)).toEqual([401, 401]);
    });

    it('never lets an ended token be valid again, when the machine is registered with another one', async () => {
      const [made, other] = [await issue(registrar), await issue(registrar)];
      const ended = await register(made, 'comes-back');
      await revoke(made, { revokeAgents: true });
      const back = await register(other, 'comes-back');
      expect(back.id).toBe(ended.id);
      expect([await reportsOf(ended), await reportsOf(back)]).toEqual([
        [401, 401],
        [201, 201],
      ]);
    });

    it('needs delete:agent', async () => {
      const made = await issue(registrar);
      const revoker = await issue(['delete:token', 'read:token']);
      const answer = await revoke(made, { revokeAgents: true }, { project: revoker.token });
      expect([answer.status, answer.body]).toEqual([
        403,
        problemBody('permission_denied', expect.stringContaining("'delete:agent'")),
      ]);
    });
  });

  it.each([
    ['an empty reason', { reason: '' }],
    ['a reason of 101 characters', { reason: 'x'.repeat(101) }],
    ['a misspelt field', { revokeAgent: true }],
  ])('422 for %s', async (_, body) => {
    expect((await revoke(await issue([]), body)).status).toBe(422);
  });
});
