import { type CreatedProject, type Project, presets, readProjectToken, type Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const missingID = '0192f0a0-0000-7000-8000-000000000000';
const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

function nowText(): string {
  return new Date(app.clock.now()).toISOString();
}

async function create(body: unknown) {
  return app.request<CreatedProject>('POST', '/v1/projects', { as: { access: app.admin }, body });
}

async function get(id: string) {
  return app.request<Project>('GET', `/v1/projects/${id}`, { as: { access: app.admin } });
}

async function update(id: string, body: unknown) {
  return app.request<Project>('PATCH', `/v1/projects/${id}`, { as: { access: app.admin }, body });
}

function notFound(id: string) {
  return problemBody('not_found', `There is no project ${id} that this credential can see.`);
}

const invalidNames = [
  [{}, '/name', 'is missing'],
  [{ name: '' }, '/name', 'must not be empty'],
  [{ name: null }, '/name', 'must be a string'],
  [{ name: 'x'.repeat(129) }, '/name', 'must have at most 128 characters'],
  [{ name: '🚀'.repeat(129) }, '/name', 'must have at most 128 characters'],
  [{ name: 'a\0' }, '/name', 'contains NUL (U+0000); remove it'],
  [{ name: '\udfff' }, '/name', 'contains half of a surrogate pair; send whole characters'],
  [{ name: 'x', names: 1 }, '/names', "is unknown; did you mean 'name'?"],
  [{ name: 'x', id: missingID }, '/id', 'is unknown'],
  [[], '', 'must be an object'],
] as const;

function invalid(path: string, message: string) {
  const detail = `${path === '' ? 'The body' : `'${path}'`} ${message}${message.endsWith('?') ? '' : '.'}`;
  return problemBody('invalid_body', detail, [{ path, message }]);
}

describe('POST /v1/projects', () => {
  describe('201', () => {
    it('returns the id, the first token and the time, and nothing else', async () => {
      const { status, body } = await create({ name: 'fleet' });
      expect(status).toBe(201);
      expect(body).toEqual({
        id: expect.stringMatching(uuidv7),
        token: expect.any(String),
        createdAt: nowText(),
      });
      expect(readProjectToken(body.token)?.projectID).toBe(body.id);
    });

    it('must not be cached, because it contains a token', async () => {
      expect((await create({ name: 'fleet' })).headers['cache-control']).toBe('no-store');
    });

    it('creates one token, `default`, with the permissions that an agent needs', async () => {
      const { body } = await create({ name: 'fleet' });
      const me = await app.request<{ id: string }>('GET', '/v1/me', { as: { access: app.admin } });
      const tokens = await app.request<Token[]>('GET', `/v1/projects/${body.id}/tokens?status=all`, {
        as: { access: app.admin },
      });
      expect(tokens.body).toEqual([
        {
          id: readProjectToken(body.token)?.tokenID,
          token: `mst_p_…${body.token.slice(-4)}`,
          name: 'default',
          permissions: presets.agent,
          createdAt: nowText(),
          expiresAt: null,
          lastUsedAt: null,
          status: 'active',
          allowedNetworks: null,
          reportsPerSecond: null,
          rotatedAt: null,
          earlierValues: [],
          createdBy: { kind: 'user', id: me.body.id, name: 'administrator' },
          parentID: null,
          revokedAt: null,
          revokedBy: null,
          revokeReason: null,
          leakedAt: null,
          leakSource: null,
          agentsCount: 0,
        },
      ]);
    });

    it('returns a token with which an agent can register and report an error at once', async () => {
      const { body } = await create({ name: 'fleet' });
      const as = { project: body.token };
      const reported = await app.request('POST', '/v1/machines/web-01/errors', {
        as,
        body: { error: 'no route' },
      });
      expect(reported.status).toBe(201);
    });

    it('allows two projects with the same name', async () => {
      const { body: one } = await create({ name: 'same' });
      const { body: other } = await create({ name: 'same' });
      expect(other.id).not.toBe(one.id);
    });

    it.each(['x', '🚀'.repeat(128), '  spaces kept  ', 'e\u0301'])(
      'stores the name unchanged: %j',
      async (name) => {
        const { body } = await create({ name });
        expect((await get(body.id)).body.name).toBe(name);
      },
    );
  });

  describe('422', () => {
    it.each(invalidNames)('refuses %j', async (sent, path, message) => {
      const answer = await create(sent);
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual(invalid(path, message));
    });
  });
});

/** The usage of a new project. */
const usage = { agents: 0, maxAgents: 100_000, storedBytes: null, maxStoredBytes: null };

describe('GET /v1/projects/{projectID}', () => {
  describe('200', () => {
    it('returns the whole project', async () => {
      const { body } = await create({ name: 'fleet' });
      const answer = await get(body.id);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        id: body.id,
        name: 'fleet',
        createdAt: body.createdAt,
        updatedAt: body.createdAt,
        usage,
      });
    });

    it('accepts the id in upper case', async () => {
      const { body } = await create({ name: 'fleet' });
      expect((await get(body.id.toUpperCase())).body.id).toBe(body.id);
    });

    it('returns its own project to a project token', async () => {
      const project = await app.createProject();
      const { token } = await app.createToken(project.id, ['read:project']);
      const answer = await app.request<Project>('GET', `/v1/projects/${project.id}`, {
        as: { project: token },
      });
      expect([answer.status, answer.body.id]).toEqual([200, project.id]);
    });
  });

  describe('400', () => {
    it('refuses an invalid id', async () => {
      const answer = await get('fleet');
      const message = 'is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000';
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody('invalid_path_parameter', `The path parameter 'projectID' ${message}.`, [
          { path: 'projectID', message },
        ]),
      );
    });
  });

  describe('404', () => {
    it('refuses a project that does not exist', async () => {
      const answer = await get(missingID);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(notFound(missingID));
    });
  });
});

describe('PATCH /v1/projects/{projectID}', () => {
  describe('200', () => {
    it('renames the project and returns it', async () => {
      const { body: created } = await create({ name: 'fleet' });
      app.clock.advance(1_000);
      const { status, body } = await update(created.id, { name: 'renamed' });
      expect(status).toBe(200);
      expect(body).toEqual({
        id: created.id,
        name: 'renamed',
        createdAt: created.createdAt,
        updatedAt: nowText(),
      });
      expect((await get(created.id)).body).toEqual({ ...body, usage });
    });

    it('changes nothing if the body has no field', async () => {
      const { body: created } = await create({ name: 'fleet' });
      app.clock.advance(1_000);
      const { status, body } = await update(created.id, {});
      expect(status).toBe(200);
      expect(body).toMatchObject({ name: 'fleet', updatedAt: created.createdAt });
    });
  });

  describe('404', () => {
    it('refuses a project that does not exist', async () => {
      const answer = await update(missingID, { name: 'x' });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(notFound(missingID));
    });
  });

  describe('422', () => {
    it.each(invalidNames.slice(1))('refuses %j and changes nothing', async (sent, path, message) => {
      const { body: created } = await create({ name: 'fleet' });
      const answer = await update(created.id, sent);
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual(invalid(path, message));
      expect((await get(created.id)).body.name).toBe('fleet');
    });
  });
});
