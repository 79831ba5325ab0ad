import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cursorCodec } from '../../foundation/http/answers/page-links.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const missingID = '0192f0a0-0000-7000-8000-000000000000';
const dayMilliseconds = 86_400_000;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

async function list(projectID: string, query = '') {
  return app.request<Token[]>('GET', `/v1/projects/${projectID}/tokens${query}`, {
    as: { access: app.admin },
  });
}

async function create(projectID: string, body: object): Promise<Token> {
  const answer = await app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
    as: { access: app.admin },
    body,
  });
  return answer.body;
}

/** A project with its `default` token and one token of each name, oldest first. */
async function projectWithTokens(...names: string[]) {
  const project = await app.createProject();
  for (const name of names) await create(project.id, { name });
  return project;
}

async function namesOf(projectID: string, query: string): Promise<string[]> {
  const { status, body } = await list(projectID, query);
  expect(status).toBe(200);
  return body.map(({ name }) => name);
}

function byName(name: string): string {
  return `?name=${encodeURIComponent(name)}`;
}

describe('GET /v1/projects/{projectID}/tokens', () => {
  describe('200', () => {
    it('returns each token as it was created, with a masked value', async () => {
      const project = await app.createProject();
      const created = await create(project.id, { name: 'ci', permissions: ['read:*'] });
      const { status, body } = await list(project.id, byName('ci'));
      expect(status).toBe(200);
      expect(body).toEqual([{ ...created, token: `mst_p_…${created.token.slice(-4)}` }]);
    });

    it('never shows more of a value than its last four characters', async () => {
      const project = await app.createProject();
      const { token } = await create(project.id, { name: 'ci' });
      const { text } = await list(project.id, '?status=all');
      const [payload = '', secret = ''] = token.split('.');
      expect(text).not.toContain(payload);
      expect(text).not.toContain(secret.slice('mst_p_'.length, -4));
      expect(text).not.toContain(token.slice(-5));
    });

    it('returns a JSON array, newest first, even for tokens created in the same millisecond', async () => {
      const project = await projectWithTokens('one', 'two', 'three');
      const { headers, body } = await list(project.id);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(body.map(({ name }) => name)).toEqual(['three', 'two', 'one', 'default']);
    });

    it('returns only the tokens of this project', async () => {
      await projectWithTokens('of another project');
      const project = await projectWithTokens('own');
      expect(await namesOf(project.id, '')).toEqual(['own', 'default']);
    });

    it('returns the tokens of its project to a project token', async () => {
      const project = await app.createProject();
      const { token } = await app.createToken(project.id, ['read:token']);
      const answer = await app.request<Token[]>('GET', `/v1/projects/${project.id}/tokens`, {
        as: { project: token },
      });
      expect(answer.body.map(({ name }) => name)).toEqual(['test', 'default']);
    });

    it('accepts the id of the project in upper case', async () => {
      const project = await app.createProject();
      expect(await namesOf(project.id.toUpperCase(), '')).toEqual(['default']);
    });

    it('shows who created each token: the service, a user or a token', async () => {
      const project = await app.createProject();
      const me = await app.request<{ id: string }>('GET', '/v1/me', { as: { access: app.admin } });
      const maker = await app.createToken(project.id, ['create:token']);
      await app.request('POST', `/v1/projects/${project.id}/tokens`, {
        as: { project: maker.token },
        body: { name: 'made by a token', permissions: [] },
      });
      const { body } = await list(project.id);
      expect(body.map(({ createdBy }) => createdBy)).toEqual([
        { kind: 'project_token', id: maker.id, name: 'test' },
        { kind: 'user', id: me.body.id, name: 'administrator' },
        { kind: 'user', id: me.body.id, name: 'administrator' },
      ]);
      const projects = await app.request<{ id: string }[]>('GET', '/v1/projects?name=default', {
        as: { access: app.admin },
      });
      const first = await list(projects.body[0]?.id ?? '');
      expect(first.body.map(({ createdBy }) => createdBy)).toEqual([
        { kind: 'system', id: null, name: null },
      ]);
    });
  });

  describe('200 by name', () => {
    it('matches the whole name exactly', async () => {
      const project = await projectWithTokens('ci', 'CI', 'ci ', 'ci-2', 'my ci');
      expect(await namesOf(project.id, byName('ci'))).toEqual(['ci']);
      expect(await namesOf(project.id, byName('ci '))).toEqual(['ci ']);
      expect(await namesOf(project.id, byName('c'))).toEqual([]);
    });

    it('returns every token with the name', async () => {
      const project = await projectWithTokens('same', 'same');
      expect(await namesOf(project.id, byName('same'))).toEqual(['same', 'same']);
    });

    it('matches any number of characters, including none, with * in any position', async () => {
      const project = await projectWithTokens('ci-', 'ci-linux', 'ci-mac', 'CI-linux', 'my-ci-linux');
      expect(await namesOf(project.id, byName('ci-*'))).toEqual(['ci-mac', 'ci-linux', 'ci-']);
      expect(await namesOf(project.id, byName('*linux'))).toEqual(['my-ci-linux', 'CI-linux', 'ci-linux']);
      expect(await namesOf(project.id, byName('c*-*x'))).toEqual(['ci-linux']);
      expect(await namesOf(project.id, byName('*ci*'))).toEqual(['my-ci-linux', 'ci-mac', 'ci-linux', 'ci-']);
      expect(await namesOf(project.id, byName('*'))).toHaveLength(6);
      expect(await namesOf(project.id, byName('***'))).toHaveLength(6);
    });

    it.each(['?', '[a-z]', '[', ']', '%', '_', '\\', "'", '"', '^', '[^a]'])(
      'matches %s literally, with and without *',
      async (special) => {
        const project = await projectWithTokens(`a${special}b`, 'axb', 'ab', 'axxb');
        expect(await namesOf(project.id, byName(`a${special}b`))).toEqual([`a${special}b`]);
        expect(await namesOf(project.id, byName(`a${special}*`))).toEqual([`a${special}b`]);
      },
    );

    it('matches any kind of character with *', async () => {
      const project = await projectWithTokens('🚀 rocket', 'line\nbreak', 'é');
      expect(await namesOf(project.id, byName('🚀*'))).toEqual(['🚀 rocket']);
      expect(await namesOf(project.id, byName('line*break'))).toEqual(['line\nbreak']);
      expect(await namesOf(project.id, byName('e\u0301'))).toEqual([]);
    });
  });

  describe('200 by status', () => {
    async function projectWithEachStatus() {
      const project = await app.createProject();
      const inDays = (days: number) => new Date(app.clock.now() + days * dayMilliseconds).toISOString();
      await create(project.id, { name: 'expired', expiresAt: inDays(1) });
      const revoked = await create(project.id, { name: 'revoked' });
      const revokedAndExpired = await create(project.id, {
        name: 'revoked, expired too',
        expiresAt: inDays(1),
      });
      app.clock.advance(dayMilliseconds);
      await create(project.id, { name: 'expiring', expiresAt: inDays(7) });
      await create(project.id, { name: 'active', expiresAt: inDays(7.5) });
      for (const { id } of [revoked, revokedAndExpired]) {
        await app.request('DELETE', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
      }
      return project;
    }

    it('returns active and expiring tokens by default', async () => {
      const project = await projectWithEachStatus();
      const { body } = await list(project.id);
      expect(body.map(({ name, status }) => [name, status])).toEqual([
        ['active', 'active'],
        ['expiring', 'expiring'],
        ['default', 'active'],
      ]);
    });

    it.each([
      ['active', ['active', 'default']],
      ['expiring', ['expiring']],
      ['expired', ['expired']],
      ['revoked', ['revoked, expired too', 'revoked']],
    ])('returns only %s tokens', async (status, names) => {
      const project = await projectWithEachStatus();
      const { body } = await list(project.id, `?status=${status}`);
      expect(body.map(({ name }) => name)).toEqual(names);
      expect(new Set(body.map((token) => token.status))).toEqual(new Set([status]));
    });

    it('returns all', async () => {
      const project = await projectWithEachStatus();
      const { body } = await list(project.id, '?status=all');
      expect(body.map(({ name, status }) => [name, status])).toEqual([
        ['active', 'active'],
        ['expiring', 'expiring'],
        ['revoked, expired too', 'revoked'],
        ['revoked', 'revoked'],
        ['expired', 'expired'],
        ['default', 'active'],
      ]);
    });

    it('can be combined with the name', async () => {
      const project = await projectWithEachStatus();
      expect(await namesOf(project.id, '?status=all&name=exp*')).toEqual(['expiring', 'expired']);
      expect(await namesOf(project.id, '?status=revoked&name=exp*')).toEqual([]);
    });
  });

  describe('400', () => {
    it('refuses an invalid id', async () => {
      const answer = await list('default');
      const message = 'is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000';
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody('invalid_path_parameter', `The path parameter 'projectID' ${message}.`, [
          { path: 'projectID', message },
        ]),
      );
    });

    it.each([0x7fff_ffff_ffff_ffffn, -0x8000_0000_0000_0000n])(
      'refuses a cursor with %s as the time of expiry, which no database answered',
      async (value) => {
        const { id } = await app.createProject();
        const place = Buffer.alloc(24);
        place.writeBigInt64BE(value, 16);
        const cursor = cursorCodec(2, 24).encode(`tokens of ${id} by expiry`, place);
        const answer = await list(id, `?sort=expiresAt&before=${cursor}`);
        expect(answer.status).toBe(400);
        expect(answer.body).toEqual(
          problemBody(
            'invalid_cursor',
            'The cursor in `before` was not answered by this list. Follow the Link header with rel="next" as it is, or leave `before` out to start again.',
            [{ path: 'before', message: 'is not a cursor of this list' }],
          ),
        );
      },
    );

    it.each([
      ['lst', "Did you mean 'last'?"],
      ['Name', "Did you mean 'name'?"],
      ['dismissed', 'This route takes last, before, name, status, sort.'],
    ])('refuses the unknown query parameter %s', async (name, hint) => {
      const { id } = await app.createProject();
      const answer = await list(id, `?${name}=1`);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody('unknown_query_parameter', `There is no query parameter '${name}'. ${hint}`, [
          { path: name, message: 'is unknown' },
        ]),
      );
    });

    it.each([
      ['name', '?name=', 'has 0 characters, but must have 1 to 256'],
      ['name', `?name=${'x'.repeat(257)}`, 'has 257 characters, but must have 1 to 256'],
      ['name', '?name=a&name=b', 'is given more than once; give it once'],
      ['name', '?name=a%00', 'contains NUL or half a character; remove it'],
      ['status', '?status=', "is '', but must be one of active, expiring, expired, revoked, all"],
      ['status', '?status=Active', "is 'Active', but must be one of active, expiring, expired, revoked, all"],
      ['status', '?status=all&status=all', 'is given more than once; give it once'],
    ])('refuses a %s such as %s', async (name, query, message) => {
      const { id } = await app.createProject();
      const answer = await list(id, query);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody('invalid_query_parameter', `The query parameter '${name}' ${message}.`, [
          { path: name, message },
        ]),
      );
    });
  });

  describe('404', () => {
    it('refuses a project that does not exist', async () => {
      const answer = await list(missingID);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(
        problemBody('not_found', `There is no project ${missingID} that this credential can see.`),
      );
    });

    it('refuses a project that was deleted', async () => {
      const project = await app.createProject();
      await app.request('DELETE', `/v1/projects/${project.id}`, { as: { access: app.admin } });
      expect((await list(project.id)).status).toBe(404);
    });
  });
});
