import type { Me, Token } from '@muster/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { countStatements } from '../../testing/rows/count-statements.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;
let projectID: string;

beforeAll(async () => {
  app = await startTestApp({ logLevel: 'info' });
  projectID = (await app.createProject()).id;
});

afterAll(() => app.close());
afterEach(() => vi.restoreAllMocks());

interface Made {
  readonly id: string;
  readonly token: string;
}

const issue = (permissions: readonly string[]) => app.createToken(projectID, permissions);

function create(maker: Made, permissions: readonly string[]) {
  return app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
    as: { project: maker.token },
    body: { name: 'made', permissions },
  });
}

async function make(maker: Made, permissions: readonly string[]): Promise<Token> {
  const { status, body } = await create(maker, permissions);
  expect(status).toBe(201);
  return body;
}

function update(by: Made | 'operator', { id }: Made, permissions: readonly string[]) {
  return app.request<Token>('PATCH', `/v1/project_tokens/${id}`, {
    as: by === 'operator' ? { access: app.admin } : { project: by.token },
    body: { permissions },
  });
}

async function narrow(by: Made | 'operator', target: Made, permissions: readonly string[]): Promise<void> {
  expect((await update(by, target, permissions)).status).toBe(200);
}

async function allowed({ token }: Made): Promise<string[]> {
  const { body } = await app.request<Me>('GET', '/v1/me', { as: { project: token } });
  return body.permissions;
}

async function listAgents({ token }: Made): Promise<number> {
  const { status } = await app.request('GET', `/v1/projects/${projectID}/agents`, { as: { project: token } });
  return status;
}

describe('a token whose maker is narrowed', () => {
  it('may do no more than its maker from then on, although it shows its original permissions', async () => {
    const parent = await issue(['create:token', 'read:*']);
    const child = await make(parent, ['read:agent', 'read:token']);
    expect(await listAgents(child)).toBe(200);
    await narrow('operator', parent, ['create:token', 'read:token']);
    const refused = await app.request('GET', `/v1/projects/${projectID}/agents`, {
      as: { project: child.token },
    });
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual(
      problemBody(
        'permission_denied',
        "This needs the permission 'read:agent', and this credential has only 'read:token'. Use a token that has it, or add it to this one.",
      ),
    );
    expect(await allowed(child)).toEqual(['read:token']);
    const { body: shown } = await app.request<Token>('GET', `/v1/project_tokens/${child.id}`, {
      as: { access: app.admin },
    });
    expect(shown.permissions).toEqual(['read:agent', 'read:token']);
  });

  it('keeps the part of a wildcard that its maker still holds', async () => {
    const parent = await issue(['*']);
    const child = await make(parent, ['create:*', '*:agent', 'read:fleet']);
    await narrow('operator', parent, ['create:token', 'read:*', 'update:agent']);
    expect(await allowed(child)).toEqual(['create:token', 'read:agent', 'update:agent', 'read:fleet']);
  });

  it('is narrowed in any generation', async () => {
    const root = await issue(['create:token', 'read:*']);
    const child = await make(root, ['create:token', 'read:*']);
    const grandchild = await make(child, ['read:agent']);
    expect(await listAgents(grandchild)).toBe(200);
    await narrow('operator', root, ['create:token']);
    expect(await listAgents(grandchild)).toBe(403);
    expect(await allowed(grandchild)).toEqual([]);
  });

  it('regains what its maker regains', async () => {
    const parent = await issue(['create:token', 'read:agent']);
    const child = await make(parent, ['read:agent']);
    await narrow('operator', parent, ['create:token']);
    expect(await listAgents(child)).toBe(403);
    await narrow('operator', parent, ['create:token', 'read:*']);
    expect(await listAgents(child)).toBe(200);
  });

  it('can grant only what it may do now', async () => {
    const root = await issue(['*']);
    const child = await make(root, ['create:token', 'update:token', 'read:*']);
    const other = await issue([]);
    await narrow('operator', root, ['create:token', 'update:token', 'read:token']);
    const surplus = problemBody(
      'permissions_exceed_own',
      "Your token does not have 'read:agent', so it cannot grant that. Leave it out or use an access token.",
    );
    expect((await create(child, ['read:agent'])).body).toEqual(surplus);
    expect((await update(child, other, ['read:agent'])).body).toEqual(surplus);
    expect((await create(child, ['read:token'])).status).toBe(201);
  });

  it('keeps what an operator granted it', async () => {
    const parent = await issue(['create:token', 'read:token']);
    const child = await make(parent, ['read:token']);
    await narrow('operator', child, ['read:token', 'read:agent']);
    expect(await allowed(child)).toEqual(['read:token', 'read:agent']);
    await narrow('operator', parent, ['create:token']);
    expect(await allowed(child)).toEqual(['read:agent']);
    await narrow('operator', child, ['read:agent', 'read:token']);
    expect(await allowed(child)).toEqual(['read:agent', 'read:token']);
  });

  it('keeps only what it held before another token widened it', async () => {
    const stronger = await issue(['update:token', 'delete:agent']);
    const target = await issue(['read:agent']);
    await narrow(stronger, target, ['read:agent', 'delete:agent']);
    await narrow('operator', stronger, ['update:token']);
    expect(await allowed(target)).toEqual(['read:agent']);
  });

  it('cannot be widened beyond the permissions of its parent', async () => {
    const root = await issue(['create:token', 'update:token', 'read:*']);
    const child = await make(root, ['create:token']);
    const grandchild = await make(child, []);
    const answer = await update(root, grandchild, ['read:agent']);
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual(
      problemBody(
        'permissions_exceed_own',
        "This token depends on another one, which does not have 'read:agent'. Use an access token to grant that.",
      ),
    );
    await narrow('operator', grandchild, ['read:agent']);
    expect(await allowed(grandchild)).toEqual(['read:agent']);
  });

  it('needs no query once it is remembered', async () => {
    const parent = await issue(['create:token', 'create:agent_error']);
    const child = await make(parent, ['create:agent_error']);
    const agent = await app.registerAgent({
      id: projectID,
      token: (await issue(['create:agent'])).token,
    });
    const report = () =>
      app.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { project: child.token },
        body: { error: 'no upstream connections available' },
      });
    expect((await report()).status).toBe(201);
    const ofFirst = countStatements();
    await report();
    const counted = ofFirst.count();
    vi.restoreAllMocks();
    const own = await issue(['create:agent_error']);
    const reportByOwn = () =>
      app.request('POST', `/v1/agents/${agent.id}/errors`, {
        as: { project: own.token },
        body: { error: 'no upstream connections available' },
      });
    await reportByOwn();
    const ofOwn = countStatements();
    await reportByOwn();
    expect(counted).toBe(ofOwn.count());
  });
});

describe('tokens that create one another', () => {
  it('form a chain of at most 32, whether created or widened', async () => {
    let last: Made = await issue(['create:token', 'update:token', 'read:agent']);
    for (let generation = 2; generation <= 32; generation += 1) {
      last = await make(last, ['create:token', 'update:token', 'read:agent']);
    }
    const tooLong = problemBody(
      'permission_denied',
      'A chain of tokens that were created with one another has at most 32 tokens, and this one would be longer. Use an access token.',
    );
    expect((await create(last, [])).body).toEqual(tooLong);
    expect((await update(last, await issue([]), ['read:agent'])).body).toEqual(tooLong);
    expect(await listAgents(last)).toBe(200);
  });
});
