import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

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

/** Creates a token as an operator. */
async function issue(permissions: readonly string[], expiresAt: string | null = null): Promise<Token> {
  const { body } = await app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
    as: { access: app.admin },
    body: { name: 'issued', permissions, expiresAt },
  });
  return body;
}

async function create(maker: Made, permissions: readonly string[]): Promise<Token> {
  const { status, body } = await app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
    as: { project: maker.token },
    body: { name: 'made', permissions },
  });
  expect(status).toBe(201);
  return body;
}

async function update(by: Made | 'operator', { id }: Made, body: object) {
  return app.request<Token>('PATCH', `/v1/project_tokens/${id}`, {
    as: by === 'operator' ? { access: app.admin } : { project: by.token },
    body,
  });
}

async function revoke({ id }: Made): Promise<void> {
  const { status } = await app.request('DELETE', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
  expect(status).toBe(204);
}

async function shown({ id }: Made): Promise<Token> {
  const { body } = await app.request<Token>('GET', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
  return body;
}

function inSeconds(seconds: number): string {
  return new Date(app.clock.now() + seconds * 1_000).toISOString();
}

function surplus(...grants: string[]) {
  const named = grants.map((grant) => `'${grant}'`).join(', ');
  return problemBody(
    'permissions_exceed_own',
    `Your token does not have ${named}, so it cannot grant that. Leave it out or use an access token.`,
  );
}

function outliving(limit: string) {
  return problemBody(
    'expiry_exceeds_own',
    `The token may be valid until ${limit} at the latest, because the token on which it depends expires then.`,
    [{ path: '/expiresAt', message: `must be ${limit} or earlier` }],
  );
}

/** Expects a refusal that leaves the token unchanged. */
async function expectRefusal(by: Made, target: Made, body: object, problem: unknown): Promise<void> {
  const before = await shown(target);
  const answer = await update(by, target, body);
  expect(answer.status).toBe(403);
  expect(answer.body).toEqual(problem);
  const after = await shown(target);
  expect(after).toEqual({ ...before, lastUsedAt: after.lastUsedAt });
}

describe('a token that is changed with a project token', () => {
  describe('itself', () => {
    it('cannot widen itself', async () => {
      const token = await issue(['update:token', 'read:agent']);
      await expectRefusal(token, token, { permissions: ['update:token', 'read:*'] }, surplus('read:*'));
      await expectRefusal(token, token, { permissions: ['*'] }, surplus('*'));
    });

    it('cannot extend its own life', async () => {
      const limit = inSeconds(60);
      const token = await issue(['*'], limit);
      await expectRefusal(token, token, { expiresAt: inSeconds(61) }, outliving(limit));
      await expectRefusal(token, token, { expiresAt: null }, outliving(limit));
    });

    it('can give up permissions and lifetime, and cannot get them back', async () => {
      const token = await issue(['update:token', 'read:agent']);
      const end = inSeconds(60);
      expect((await update(token, token, { permissions: ['update:token'], expiresAt: end })).status).toBe(
        200,
      );
      await expectRefusal(
        token,
        token,
        { permissions: ['update:token', 'read:agent'] },
        surplus('read:agent'),
      );
      await expectRefusal(token, token, { expiresAt: null }, outliving(end));
    });
  });

  describe('another one', () => {
    it('cannot get permissions that the changing token lacks', async () => {
      const changer = await issue(['update:token', 'read:agent']);
      const other = await issue(['create:agent']);
      await expectRefusal(
        changer,
        other,
        { permissions: ['create:agent', 'read:agent', 'read:*', 'delete:agent'] },
        surplus('read:*', 'delete:agent'),
      );
    });

    it('keeps permissions that the changing token lacks', async () => {
      const changer = await issue(['update:token']);
      const stronger = await issue(['delete:*', 'read:*', 'create:agent']);
      const { status, body } = await update(changer, stronger, {
        name: 'renamed',
        permissions: ['read:agent', 'delete:*'],
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({ name: 'renamed', permissions: ['read:agent', 'delete:*'] });
    });

    it('cannot get lost permissions back from a token that lacks them', async () => {
      const changer = await issue(['update:token']);
      const stronger = await issue(['delete:*']);
      expect((await update(changer, stronger, { permissions: [] })).status).toBe(200);
      await expectRefusal(changer, stronger, { permissions: ['delete:*'] }, surplus('delete:*'));
    });

    it('cannot be extended if it has more permissions than the changing token', async () => {
      const changer = await issue(['update:token', 'read:agent']);
      const stronger = await issue(['read:agent', 'delete:agent'], inSeconds(60));
      await expectRefusal(changer, stronger, { expiresAt: inSeconds(61) }, surplus('delete:agent'));
      await expectRefusal(changer, stronger, { expiresAt: null }, surplus('delete:agent'));
    });

    it('cannot be revived after its expiry if it has more permissions than the changing token', async () => {
      const changer = await issue(['update:token']);
      const stronger = await issue(['delete:agent'], inSeconds(5));
      app.clock.advance(5_000);
      await expectRefusal(changer, stronger, { expiresAt: inSeconds(60) }, surplus('delete:agent'));
    });

    it('cannot last longer than the changing token', async () => {
      const limit = inSeconds(60);
      const changer = await issue(['update:token', 'read:agent'], limit);
      const other = await issue(['read:agent'], inSeconds(5));
      await expectRefusal(changer, other, { expiresAt: inSeconds(61) }, outliving(limit));
    });

    it('can be made to expire earlier, with any permissions', async () => {
      const changer = await issue(['update:token'], inSeconds(60));
      const stronger = await issue(['*'], inSeconds(600));
      const { status, body } = await update(changer, stronger, { expiresAt: inSeconds(500) });
      expect([status, body.expiresAt]).toEqual([200, inSeconds(500)]);
    });

    it('is not found if it belongs to another project', async () => {
      const changer = await issue(['*']);
      const elsewhere = await app.createProject();
      const foreign = await app.createToken(elsewhere.id, ['read:agent']);
      const answer = await update(changer, foreign, { name: 'x' });
      expect(answer.status).toBe(404);
      expect((await shown(foreign)).name).toBe('test');
    });
  });

  describe('that was widened depends on the token that widened it', () => {
    it('and cannot outlive it', async () => {
      const limit = inSeconds(60);
      const widener = await issue(['update:token', 'delete:*'], limit);
      const other = await issue(['read:agent']);
      await expectRefusal(widener, other, { permissions: ['read:agent', 'delete:agent'] }, outliving(limit));
      const change = { permissions: ['read:agent', 'delete:agent'], expiresAt: limit };
      const { status, body } = await update(widener, other, change);
      expect([status, body.expiresAt]).toEqual([200, limit]);
    });

    it('and expires earlier when that token does', async () => {
      const widener = await issue(['update:token', 'delete:*']);
      const other = await issue([]);
      await update(widener, other, { permissions: ['delete:*'] });
      await update('operator', widener, { expiresAt: inSeconds(30) });
      expect((await shown(other)).expiresAt).toBe(inSeconds(30));
    });

    it.each([
      ['permissions', { permissions: ['create:token', 'delete:agent'] }],
      ['time', { expiresAt: null }],
    ])('and is revoked with it, together with its own descendants (more %s)', async (_, change) => {
      const widener = await issue(['update:token', '*:agent', 'create:token']);
      const other = await issue(['create:token'], inSeconds(60));
      const child = await create(other, []);
      expect((await update(widener, other, change)).status).toBe(200);
      await revoke(widener);
      expect((await shown(other)).status).toBe('revoked');
      expect((await shown(child)).status).toBe('revoked');
    });

    it('but not on one that only renamed or narrowed it', async () => {
      const changer = await issue(['update:token', '*:agent'], inSeconds(600));
      const other = await issue(['read:agent', 'delete:agent']);
      await update(changer, other, {
        name: 'renamed',
        permissions: ['read:agent'],
        expiresAt: inSeconds(60),
      });
      await revoke(changer);
      expect((await shown(other)).status).toBe('expiring');
    });

    it('and still depends on the token that created it', async () => {
      const maker = await issue(['create:token', 'update:token', 'read:agent', 'delete:agent']);
      const child = await create(maker, ['read:agent']);
      expect((await update(maker, child, { permissions: ['delete:agent'] })).status).toBe(200);
      const helper = await create(maker, ['update:token', 'read:agent']);
      expect((await update(helper, child, { permissions: ['read:agent'] })).status).toBe(200);
      await revoke(maker);
      expect((await shown(child)).status).toBe('revoked');
    });

    it('and is refused if it would have to depend on two unrelated tokens', async () => {
      const maker = await issue(['create:token']);
      const child = await create(maker, []);
      const stranger = await issue(['update:token', 'read:agent']);
      await expectRefusal(
        stranger,
        child,
        { permissions: ['read:agent'] },
        problemBody(
          'permission_denied',
          'This token depends on the token that created or widened it, so your token cannot grant it more. Use an access token.',
        ),
      );
      expect((await update('operator', child, { permissions: ['read:agent'] })).status).toBe(200);
    });

    it('and is refused if the widening token was created with it', async () => {
      const maker = await issue(['create:token', 'update:token']);
      const child = await create(maker, ['update:token']);
      await update('operator', child, { permissions: ['update:token', 'read:agent'] });
      const answer = await update(child, maker, {
        permissions: ['create:token', 'update:token', 'read:agent'],
      });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ code: 'permission_denied' });
    });
  });
});
