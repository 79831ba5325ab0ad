import { isWellFormedToken, presets, readProjectToken, type Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { testStart } from '../../testing/test-clock.ts';

const missingID = '0192f0a0-0000-7000-8000-000000000000';
const now = new Date(testStart).toISOString();

let app: TestApp;
let administratorID: string;

beforeAll(async () => {
  app = await startTestApp();
  const { body } = await app.request<{ id: string }>('GET', '/v1/me', { as: { access: app.admin } });
  administratorID = body.id;
});

afterAll(() => app.close());

async function create(body: unknown, projectID?: string) {
  const project = projectID ?? (await app.createProject()).id;
  return app.request<Token>('POST', `/v1/projects/${project}/tokens`, { as: { access: app.admin }, body });
}

describe('POST /v1/projects/{projectID}/tokens', () => {
  describe('201', () => {
    it('returns the whole token, with its value and nothing else', async () => {
      const answer = await create({ name: 'ci', permissions: ['create:*'] });
      expect(answer.status).toBe(201);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.body).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        token: expect.any(String),
        name: 'ci',
        permissions: ['create:*'],
        createdAt: now,
        expiresAt: null,
        lastUsedAt: null,
        status: 'active',
        allowedNetworks: null,
        reportsPerSecond: null,
        rotatedAt: null,
        earlierValues: [],
        createdBy: { kind: 'user', id: administratorID, name: 'administrator' },
        parentID: null,
        revokedAt: null,
        revokedBy: null,
        revokeReason: null,
        leakedAt: null,
        leakSource: null,
        agentsCount: 0,
      });
    });

    it('returns a value that contains the ids of the project and of the token, in this order', async () => {
      const project = await app.createProject();
      const { body } = await create({ name: 'ci' }, project.id);
      expect(isWellFormedToken('project', body.token)).toBe(true);
      expect(readProjectToken(body.token)).toEqual({ projectID: project.id, tokenID: body.id });
      const [payload = ''] = body.token.split('.');
      expect(Buffer.from(payload, 'base64url').toString()).toBe(
        `{"ProjectID":"${project.id}","TokenID":"${body.id}"}`,
      );
    });

    it('must not be cached, because it contains the value', async () => {
      const { headers } = await create({ name: 'ci' });
      expect(headers['cache-control']).toBe('no-store');
    });

    it('returns a value that works at once', async () => {
      const project = await app.createProject();
      const { body } = await create({ name: 'ci', permissions: ['read:project'] }, project.id);
      const { status } = await app.request('GET', `/v1/projects/${project.id}`, {
        as: { project: body.token },
      });
      expect(status).toBe(200);
    });

    it('gives two tokens with the same name different ids and values', async () => {
      const project = await app.createProject();
      const { body: one } = await create({ name: 'same' }, project.id);
      const { body: other } = await create({ name: 'same' }, project.id);
      expect(other.id).not.toBe(one.id);
      expect(other.token).not.toBe(one.token);
    });

    it('names the project token that created it', async () => {
      const project = await app.createProject();
      const maker = await app.createToken(project.id, ['create:token']);
      const answer = await app.request<Token>('POST', `/v1/projects/${project.id}/tokens`, {
        as: { project: maker.token },
        body: { name: 'made by a token', permissions: [] },
      });
      expect(answer.status).toBe(201);
      expect(answer.body).toMatchObject({
        createdBy: { kind: 'project_token', id: maker.id, name: 'test' },
        parentID: maker.id,
      });
    });

    it('accepts the id of the project in upper case', async () => {
      const project = await app.createProject();
      expect((await create({ name: 'ci' }, project.id.toUpperCase())).status).toBe(201);
    });

    describe('permissions', () => {
      it.each([
        ['absent', undefined],
        ['null', null],
      ])('%s grants what an agent needs', async (_, permissions) => {
        const { body } = await create({ name: 'ci', permissions });
        expect(body.permissions).toEqual([
          'create:agent',
          'create:agent_error',
          'update:agent',
          'read:fleet',
        ]);
        expect(body.permissions).toEqual(presets.agent);
      });

      it('grant nothing if empty', async () => {
        const project = await app.createProject();
        const { body } = await create({ name: 'ci', permissions: [] }, project.id);
        expect(body.permissions).toEqual([]);
        const answer = await app.request('GET', `/v1/projects/${project.id}`, {
          as: { project: body.token },
        });
        expect(answer.status).toBe(403);
      });

      it('are deduplicated in the order of first appearance', async () => {
        const { body } = await create({
          name: 'ci',
          permissions: ['read:*', 'create:*', 'read:*', 'create:*'],
        });
        expect(body.permissions).toEqual(['read:*', 'create:*']);
      });

      it('can be 64, including repeats', async () => {
        const { status, body } = await create({ name: 'ci', permissions: Array(64).fill('read:agent') });
        expect(status).toBe(201);
        expect(body.permissions).toEqual(['read:agent']);
      });

      it.each(['*', '*:*', 'create:*', '*:agent_error', 'delete:audit_log'])('can be %s', async (grant) => {
        const { status, body } = await create({ name: 'ci', permissions: [grant] });
        expect(status).toBe(201);
        expect(body.permissions).toEqual([grant]);
      });
    });

    describe('name', () => {
      it.each([
        ['one character', 'x'],
        ['128 ASCII characters', 'x'.repeat(128)],
        ['128 characters outside the basic plane, which are 256 code units', '🚀'.repeat(128)],
        ['unnormalised text', 'e\u0301'],
        ['leading and trailing space', '  ci\t'],
        ['markup', '<b>&amp;"\'</b>'],
        ['control characters other than NUL', '\u0001\u007f\u2028\ufeff'],
      ])('is stored unchanged: %s', async (_, name) => {
        const project = await app.createProject();
        const { status, body } = await create({ name }, project.id);
        expect(status).toBe(201);
        expect(body.name).toBe(name);
        const stored = await app.request<Token>('GET', `/v1/project_tokens/${body.id}`, {
          as: { access: app.admin },
        });
        expect(stored.body.name).toBe(name);
      });
    });

    describe('expiresAt', () => {
      it.each([
        ['2027-01-31T00:00:00Z', '2027-01-31T00:00:00.000Z'],
        ['2027-01-31t00:00:00z', '2027-01-31T00:00:00.000Z'],
        ['2027-01-31T02:00:00+02:00', '2027-01-31T00:00:00.000Z'],
        ['2027-01-30T18:30:00-05:30', '2027-01-31T00:00:00.000Z'],
        ['2027-01-31T00:00:00.5Z', '2027-01-31T00:00:00.500Z'],
        ['2027-01-31T00:00:00.123456789Z', '2027-01-31T00:00:00.123Z'],
        ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
        ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
      ])('%s is returned as %s', async (expiresAt, answered) => {
        const { status, body } = await create({ name: 'ci', expiresAt });
        expect(status).toBe(201);
        expect(body.expiresAt).toBe(answered);
      });

      it('null means never', async () => {
        const { status, body } = await create({ name: 'ci', expiresAt: null });
        expect(status).toBe(201);
        expect(body.expiresAt).toBeNull();
      });

      it('within seven days makes the token `expiring` from the start', async () => {
        const day = 86_400_000;
        const { body: soon } = await create({
          name: 'ci',
          expiresAt: new Date(testStart + 7 * day).toISOString(),
        });
        const { body: later } = await create({
          name: 'ci',
          expiresAt: new Date(testStart + 7 * day + 1).toISOString(),
        });
        expect([soon.status, later.status]).toEqual(['expiring', 'active']);
      });
    });
  });

  describe('404', () => {
    it('refuses a project that does not exist', async () => {
      const answer = await create({ name: 'ci' }, missingID);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(
        problemBody('not_found', `There is no project ${missingID} that this credential can see.`),
      );
    });

    it('refuses a project that was deleted', async () => {
      const project = await app.createProject();
      await app.request('DELETE', `/v1/projects/${project.id}`, { as: { access: app.admin } });
      expect((await create({ name: 'ci' }, project.id)).status).toBe(404);
    });
  });
});
