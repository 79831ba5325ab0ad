import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takesAllRounds } from '../../../../test/rounds.ts';
import { type Answer, startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const callsPerRound = 5;
/** In each, the change comes when another number of calls is answered. */
const rounds = takesAllRounds ? 4 * callsPerRound : 2 * callsPerRound;

let app: TestApp;
let projectID: string;

beforeAll(async () => {
  app = await startTestApp();
  projectID = (await app.createProject()).id;
});

afterAll(() => app.close());

interface Made {
  readonly id: string;
  readonly token: string;
}

function create(maker: Made, name: string, permissions: readonly string[] = []): Promise<Answer<Token>> {
  return app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
    as: { project: maker.token },
    body: { name, permissions },
  });
}

async function revoke({ id }: Made): Promise<void> {
  const { status } = await app.request('DELETE', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
  expect(status).toBe(204);
}

async function listAll(name: string): Promise<Token[]> {
  const { body } = await app.request<Token[]>(
    'GET',
    `/v1/projects/${projectID}/tokens?status=all&name=${name}`,
    {
      as: { access: app.admin },
    },
  );
  return body;
}

async function use(token: string): Promise<number> {
  return (await app.request('GET', '/v1/me', { as: { project: token } })).status;
}

/** Starts all calls, and makes the change when the round's number of calls are answered. */
async function race<T>(round: number, call: (index: number) => Promise<T>, change: () => Promise<void>) {
  const calls = Array.from({ length: callsPerRound }, (_, index) => call(index));
  const answered = round % callsPerRound;
  if (answered > 0) await calls[answered - 1];
  await change();
  return Promise.all(calls);
}

describe('a token that is created or widened with another one while that one is changed', () => {
  it('is revoked too, or never created, when its maker is revoked', async () => {
    const outcomes = new Set<number>();
    for (let round = 0; round < rounds; round += 1) {
      const name = `child-${round}`;
      const maker = await app.createToken(projectID, ['create:token']);
      expect(await use(maker.token)).toBe(200);
      const answers = await race(
        round,
        () => create(maker, name),
        () => revoke(maker),
      );
      for (const { status, headers, body } of answers) {
        outcomes.add(status);
        if (status === 201) expect(await use(body.token)).toBe(401);
        else
          expect(headers['www-authenticate']).toBe('Bearer realm="muster", X-Project-Token realm="muster"');
      }
      for (const { status } of await listAll(name)) expect(status).toBe('revoked');
    }
    // Both outcomes occurred.
    expect(outcomes).toEqual(new Set([201, 401]));
  });

  it('is revoked too, or never created, in the next generation', async () => {
    const outcomes = new Set<number>();
    for (let round = 0; round < rounds; round += 1) {
      const name = `grandchild-${round}`;
      const root = await app.createToken(projectID, ['create:token']);
      const { body: child } = await create(root, `parent-${round}`, ['create:token']);
      expect(await use(child.token)).toBe(200);
      const answers = await race(
        round,
        () => create(child, name),
        () => revoke(root),
      );
      for (const { status, body } of answers) {
        outcomes.add(status);
        if (status === 201) expect(await use(body.token)).toBe(401);
      }
      for (const { status } of await listAll(name)) expect(status).toBe('revoked');
      expect(await use(child.token)).toBe(401);
    }
    expect(outcomes).toEqual(new Set([201, 401]));
  });

  it('is revoked too, or never widened, when the widening token is revoked', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < rounds; round += 1) {
      const widener = await app.createToken(projectID, ['update:token', 'delete:*']);
      expect(await use(widener.token)).toBe(200);
      const others = await Promise.all(
        Array.from({ length: callsPerRound }, () => app.createToken(projectID, ['read:agent'])),
      );
      const widen = (index: number) =>
        app.request('PATCH', `/v1/project_tokens/${others[index]?.id}`, {
          as: { project: widener.token },
          body: { permissions: ['read:agent', 'delete:agent'] },
        });
      await race(round, widen, () => revoke(widener));
      for (const { id } of others) {
        const { body } = await app.request<Token>('GET', `/v1/project_tokens/${id}`, {
          as: { access: app.admin },
        });
        outcomes.add(`${body.permissions.join()} ${body.status}`);
      }
    }
    expect(outcomes).toEqual(new Set(['read:agent active', 'read:agent,delete:agent revoked']));
  });

  it("expires no later than its maker when the maker's expiry is changed", async () => {
    const end = new Date(app.clock.now() + 60_000).toISOString();
    for (let round = 0; round < rounds; round += 1) {
      const name = `ending-${round}`;
      const maker = await app.createToken(projectID, ['create:token']);
      expect(await use(maker.token)).toBe(200);
      await race(
        round,
        () => create(maker, name),
        async () => {
          const body = { expiresAt: end };
          await app.request('PATCH', `/v1/project_tokens/${maker.id}`, { as: { access: app.admin }, body });
        },
      );
      const tokens = await listAll(name);
      expect(tokens.map(({ expiresAt }) => expiresAt)).toEqual(Array(callsPerRound).fill(end));
    }
  });
});
