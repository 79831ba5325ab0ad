import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import {
  type RequestOptions,
  startTestApp,
  type TestApp,
  type TestProject,
} from '../../testing/start-test-app.ts';

let app: TestApp;
let project: TestProject;

beforeAll(async () => {
  app = await startTestApp();
  project = await app.createProject();
});

afterAll(() => app.close());

async function send(options: RequestOptions, projectID = project.id) {
  return app.request('POST', `/v1/projects/${projectID}/tokens`, { as: { access: app.admin }, ...options });
}

async function create(body: unknown) {
  return send({ body });
}

describe('POST /v1/projects/{projectID}/tokens', () => {
  describe('400', () => {
    it.each(['not-an-id', '0192f0a0-0000-7000-8000-00000000000', `${'0'.repeat(32)}`, '%20'])(
      'refuses %s as the id of a project',
      async (id) => {
        const answer = await send({ body: { name: 'ci' } }, id);
        expect(answer.status).toBe(400);
        const message = 'is not a UUID, such as 0192f0a0-0000-7000-8000-000000000000';
        expect(answer.body).toEqual(
          problemBody('invalid_path_parameter', `The path parameter 'projectID' ${message}.`, [
            { path: 'projectID', message },
          ]),
        );
      },
    );

    it('refuses any query parameter', async () => {
      const answer = await app.request('POST', `/v1/projects/${project.id}/tokens?dryRun=true`, {
        as: { access: app.admin },
        body: { name: 'ci' },
      });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody(
          'unknown_query_parameter',
          "There is no query parameter 'dryRun'. This route takes none.",
          [{ path: 'dryRun', message: 'is unknown' }],
        ),
      );
    });

    it.each([
      ['{"name":', 'The body is not valid JSON: it ends too early, at position 8.'],
      ["{name:'ci'}", 'The body is not valid JSON at position 1.'],
      ['{"name":"ci"}}', 'The body is not valid JSON at position 13.'],
    ])('refuses a body that is not JSON: %s', async (body, detail) => {
      const answer = await send({ body });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(problemBody('invalid_json', detail));
    });

    it('refuses a body that is not UTF-8', async () => {
      const answer = await send({
        body: Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')]),
      });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(problemBody('invalid_json', 'The body is not valid UTF-8.'));
    });

    it('refuses a request without a body', async () => {
      const answer = await send({});
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody('invalid_json', 'The body is empty, but this route takes a JSON body.'),
      );
    });
  });

  describe('413', () => {
    it('refuses a body above 64 KiB and ends the connection', async () => {
      const answer = await create({ name: 'x'.repeat(64 * 1024) });
      expect(answer.status).toBe(413);
      expect(answer.headers.connection).toBe('close');
      expect(answer.body).toMatchObject({ code: 'body_too_large', error: 'body too large' });
    });

    it('accepts a body of exactly 64 KiB, and then checks its fields', async () => {
      const around = JSON.stringify({ name: '' }).length;
      expect((await create({ name: 'x'.repeat(64 * 1024 - around) })).status).toBe(422);
    });
  });

  describe('415', () => {
    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'multipart/form-data; boundary=x',
    ])('refuses %s', async (mediaType) => {
      const answer = await send({ body: '{"name":"ci"}', headers: { 'content-type': mediaType } });
      expect(answer.status).toBe(415);
      expect(answer.body).toEqual(
        problemBody('unsupported_media_type', 'The body must be sent as Content-Type: application/json.'),
      );
    });
  });

  describe('422', () => {
    async function expectInvalid(body: unknown, path: string, message: string): Promise<void> {
      const answer = await create(body);
      expect(answer.status).toBe(422);
      const detail = `${path === '' ? 'The body' : `'${path}'`} ${message}${message.endsWith('?') ? '' : '.'}`;
      expect(answer.body).toEqual(problemBody('invalid_body', detail, [{ path, message }]));
    }

    it.each([
      ['an array', []],
      ['null', null],
      ['a text', '"ci"'],
      ['a number', 1],
    ])('refuses %s as a body', async (_, body) => {
      await expectInvalid(body, '', 'must be an object');
    });

    it('refuses a missing name', async () => {
      await expectInvalid({ permissions: [] }, '/name', 'is missing');
    });

    it.each([null, 1, true, [], {}])('refuses %j as a name', async (name) => {
      await expectInvalid({ name }, '/name', 'must be a string');
    });

    it('refuses an empty name', async () => {
      await expectInvalid({ name: '' }, '/name', 'must not be empty');
    });

    it.each([
      ['ASCII characters', 'x'],
      ['characters outside the basic plane', '🚀'],
    ])('refuses a name of 129 %s', async (_, character) => {
      await expectInvalid({ name: character.repeat(129) }, '/name', 'must have at most 128 characters');
    });

    it('refuses NUL in the name', async () => {
      await expectInvalid({ name: 'a\0b' }, '/name', 'contains NUL (U+0000); remove it');
    });

    it.each([
      ['high', '{"name":"a\\ud800"}'],
      ['low', '{"name":"\\udc00a"}'],
      ['swapped', '{"name":"\\udc00\\ud800"}'],
    ])('refuses a lone surrogate in the name: %s', async (_, body) => {
      await expectInvalid(body, '/name', 'contains half of a surrogate pair; send whole characters');
    });

    it('refuses an unknown field, and suggests the nearest known one', async () => {
      await expectInvalid(
        { name: 'ci', permission: ['*'] },
        '/permission',
        "is unknown; did you mean 'permissions'?",
      );
      await expectInvalid(
        { name: 'ci', expires_at: null },
        '/expires_at',
        "is unknown; did you mean 'expiresAt'?",
      );
    });

    it.each(['id', 'token', 'createdBy', 'projectID', '__proto__', 'constructor'])(
      'refuses %s, which the service sets',
      async (field) => {
        const answer = await create(`{"name":"ci","${field}":"x"}`);
        expect(answer.status).toBe(422);
        expect(answer.body).toMatchObject({ code: 'invalid_body', fields: [{ path: `/${field}` }] });
      },
    );

    it('names an unknown field by a JSON pointer, with any characters in its name', async () => {
      await expectInvalid({ name: 'ci', 'odd/field~name': 1 }, '/odd~1field~0name', 'is unknown');
    });

    it.each([
      ['*', 'must be an array or null'],
      [{}, 'must be an array or null'],
      [0, 'must be an array or null'],
    ])('refuses %j as permissions', async (permissions, message) => {
      await expectInvalid({ name: 'ci', permissions }, '/permissions', message);
    });

    it('refuses 65 permissions, even if some repeat', async () => {
      await expectInvalid(
        { name: 'ci', permissions: Array(65).fill('read:agent') },
        '/permissions',
        'must have at most 64 elements',
      );
    });

    it('refuses a permission that is not a string', async () => {
      await expectInvalid({ name: 'ci', permissions: ['*', 1] }, '/permissions/1', 'must be a string');
      await expectInvalid({ name: 'ci', permissions: [null] }, '/permissions/0', 'must be a string');
    });

    it('lists every invalid permission at once, with the nearest valid one', async () => {
      const answer = await create({
        name: 'ci',
        permissions: ['creat:*', 'read:*', 'read:agnt', 'nonsense'],
      });
      const messages = [
        "'creat:*' is not a permission: did you mean 'create:*'?",
        "'read:agnt' is not a permission: did you mean 'read:agent'?",
        "'nonsense' is not a permission: write action:resource, such as 'create:agent_error' or 'read:*'.",
      ] as const;
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual(
        problemBody('invalid_permission', messages.join(' '), [
          { path: '/permissions/0', message: messages[0] },
          { path: '/permissions/2', message: messages[1] },
          { path: '/permissions/3', message: messages[2] },
        ]),
      );
    });

    it.each([
      '',
      ':',
      '*:',
      ':*',
      'create',
      'Create:*',
      'create: *',
      'create:*,read:*',
      '**',
      '*:*:*',
      'read:agents',
    ])('refuses %j as a permission', async (permission) => {
      const answer = await create({ name: 'ci', permissions: [permission] });
      expect(answer.status).toBe(422);
      expect(answer.body).toMatchObject({ code: 'invalid_permission', fields: [{ path: '/permissions/0' }] });
    });

    it.each([
      '',
      'tomorrow',
      '2027-01-31',
      '2027-01-31T00:00:00',
      '2027-01-31 00:00:00Z',
      '2027-1-31T00:00:00Z',
      '2027-02-30T00:00:00Z',
      '2027-02-29T00:00:00Z',
      '2027-04-31T00:00:00Z',
      '2027-13-01T00:00:00Z',
      '2027-01-31T24:00:00Z',
      '2027-01-31T23:59:60Z',
      '2027-01-31T00:00:00+24:00',
      '2027-01-31T00:00:00+00:60',
      '2027-01-31T00:00:00.Z',
      '+010000-01-01T00:00:00Z',
      '9999-12-31T23:59:59-01:00',
      '1800000000',
    ])('refuses %j as expiresAt', async (expiresAt) => {
      await expectInvalid(
        { name: 'ci', expiresAt },
        '/expiresAt',
        'must be an ISO 8601 time with its zone, such as 2027-01-31T00:00:00Z',
      );
    });

    it.each([0, 1_800_000_000_000, false, {}])('refuses %j as expiresAt', async (expiresAt) => {
      await expectInvalid({ name: 'ci', expiresAt }, '/expiresAt', 'must be a string or null');
    });

    it('refuses an expiresAt that is not in the future', async () => {
      const now = new Date(app.clock.now()).toISOString();
      await expectInvalid({ name: 'ci', expiresAt: now }, '/expiresAt', 'must be in the future');
      await expectInvalid(
        { name: 'ci', expiresAt: '1970-01-01T00:00:00Z' },
        '/expiresAt',
        'must be in the future',
      );
      const next = new Date(app.clock.now() + 1).toISOString();
      const { status, body } = await app.request<{ id: string }>(
        'POST',
        `/v1/projects/${(await app.createProject()).id}/tokens`,
        { as: { access: app.admin }, body: { name: 'ci', expiresAt: next } },
      );
      expect(status).toBe(201);
      expect(body.id).toBeDefined();
    });
  });

  it('stores nothing when it refuses', async () => {
    const { body } = await app.request('GET', `/v1/projects/${project.id}/tokens?status=all`, {
      as: { access: app.admin },
    });
    expect(body).toEqual([expect.objectContaining({ name: 'default' })]);
  });
});
