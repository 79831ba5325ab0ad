import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;
let project: TestProject;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
  project = await app.createProject();
});

afterAll(() => app.close());

const largestBody = 4 * 1024 * 1024;

/** A registration body of the given number of bytes. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ name: 'n', machineID: 'large', rawConfig: '' });
  return JSON.stringify({ name: 'n', machineID: 'large', rawConfig: 'x'.repeat(bytes - empty.length) });
}

/** Nested JSON objects of the given depth. */
function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

describe('POST /v1/agents', () => {
  describe('400', () => {
    it('for a missing body', async () => {
      const answer = await app.request('POST', '/v1/agents', { as: { project: project.token } });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody('invalid_json', 'The body is empty, but this route takes a JSON body.'),
      );
    });

    it('for invalid JSON, without quoting it', async () => {
      const answer = await agents.register(project, '{"name": "n", "rawConfig": "hunter2');
      expect(answer.status).toBe(400);
      expect(answer.text).not.toContain('hunter2');
    });

    it('for any query parameter', async () => {
      const answer = await app.request('POST', '/v1/agents?name=n', {
        as: { project: project.token },
        body: { name: 'n', machineID: 'm' },
      });
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody('unknown_query_parameter', "There is no query parameter 'name'. This route takes none.", [
          { path: 'name', message: 'is unknown' },
        ]),
      );
    });
  });

  describe('401', () => {
    it('without a credential', async () => {
      const answer = await app.request('POST', '/v1/agents', { body: { name: 'n', machineID: 'm' } });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('X-Project-Token realm="muster"');
      expect(answer.body).toEqual(problemBody('missing_credential', 'Send a credential as X-Project-Token.'));
    });

    it('once the project token is revoked, while its agents keep working', async () => {
      const { id, token } = await app.createToken(project.id, ['create:agent']);
      const { body: agent } = await agents.register({ id: project.id, token }, { name: 'n', machineID: 'r' });
      await app.request('DELETE', `/v1/project_tokens/${id}`, { as: { access: app.admin } });
      const again = await agents.register({ id: project.id, token }, { name: 'n', machineID: 'r' });
      expect(again.status).toBe(401);
      expect(again.body).toEqual(problemBody('revoked_credential'));
      expect(await agents.tryToken(agent.token)).toBe(200);
    });
  });

  describe('403', () => {
    it('for a project token without create:agent', async () => {
      const { token } = await app.createToken(project.id, ['update:agent', 'read:*']);
      const answer = await agents.register({ id: project.id, token }, { name: 'n', machineID: 'm403' });
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual(
        problemBody(
          'permission_denied',
          "This needs the permission 'create:agent', and this credential has only 'update:agent', 'read:*'. Use a token that has it, or add it to this one.",
        ),
      );
      expect((await agents.list(project.id)).body.map(({ machineID }) => machineID)).not.toContain('m403');
    });

    it.each(['access', 'agent'] as const)('for %s credentials', async (kind) => {
      const { token } = await app.registerAgent(project, 'm403');
      const answer = await app.request('POST', '/v1/agents', {
        as: { [kind]: kind === 'agent' ? token : app.admin },
        body: { name: 'n', machineID: 'm403' },
      });
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual(
        problemBody('credential_kind_not_accepted', 'This route takes X-Project-Token.'),
      );
    });
  });

  describe('413', () => {
    it('for one byte more than 4 MiB, naming the limit, while exactly 4 MiB are accepted', async () => {
      const allowed = await agents.register(project, bodyOf(largestBody));
      expect(allowed.status).toBe(201);
      const { length } = JSON.parse(bodyOf(largestBody)).rawConfig;
      expect((await agents.get(allowed.body.id)).rawConfig).toContain(`has ${length} characters`);
      const refused = await agents.register(project, bodyOf(largestBody + 1));
      expect(refused.status).toBe(413);
      expect(refused.body).toEqual(
        problemBody(
          'body_too_large',
          'The body is larger than 4194304 bytes, the most that this route takes. Send less in one request.',
        ),
      );
    });
  });

  describe('415', () => {
    it('for a body of another media type', async () => {
      const answer = await app.request('POST', '/v1/agents', {
        as: { project: project.token },
        body: 'name=n',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(answer.status).toBe(415);
      expect(answer.body).toEqual(
        problemBody('unsupported_media_type', 'The body must be sent as Content-Type: application/json.'),
      );
    });
  });

  describe('422', () => {
    const valid = { name: 'n', machineID: 'm422' };
    const invalid: readonly (readonly [string, unknown, string, string])[] = [
      ['no name', { machineID: 'm422' }, '/name', 'is missing'],
      ['no machine id', { name: 'n' }, '/machineID', 'is missing'],
      ['an empty machine id', { ...valid, machineID: '' }, '/machineID', 'must not be empty'],
      ['an empty name', { ...valid, name: '' }, '/name', 'must not be empty'],
      ['a name that is null', { ...valid, name: null }, '/name', 'must be a string'],
      [
        'a machine id of 257',
        { ...valid, machineID: 'm'.repeat(257) },
        '/machineID',
        'must have at most 256 characters',
      ],
      ['a version that is a number', { ...valid, version: 5 }, '/version', 'must be a string or null'],
      [
        'a configuration that is an object',
        { ...valid, rawConfig: {} },
        '/rawConfig',
        'must be a string or null',
      ],
      ['metadata that is a list', { ...valid, metadata: [] }, '/metadata', 'must be an object or null'],
      ['a tag that is empty', { ...valid, tags: ['a', ''] }, '/tags/1', 'must not be empty'],
      ['101 tags', { ...valid, tags: Array(101).fill('t') }, '/tags', 'must have at most 100 elements'],
      [
        'NUL in a configuration',
        { ...valid, rawConfig: 'a\0b' },
        '/rawConfig',
        'contains NUL (U+0000); remove it',
      ],
      [
        'half a character',
        { ...valid, name: '\ud83d' },
        '/name',
        'contains half of a surrogate pair; send whole characters',
      ],
      ['a list', [valid], '', 'must be an object'],
      ['null', 'null', '', 'must be an object'],
    ];

    it.each(invalid)('for %s', async (_what, body, path, message) => {
      const answer = await agents.register(project, body);
      expect(answer.status).toBe(422);
      const subject = path === '' ? 'The body' : `'${path}'`;
      expect(answer.body).toEqual(problemBody('invalid_body', `${subject} ${message}.`, [{ path, message }]));
    });

    it('and nothing is stored', async () => {
      const { body } = await agents.list(project.id);
      expect(body.map(({ machineID }) => machineID)).not.toContain('m422');
    });
  });
});

describe('POST /v1/agents with hostile metadata', () => {
  it('keeps field names that have a meaning in JavaScript', async () => {
    const metadata =
      '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"toString":1,"toJSON":"x","":null,"a.b/c~d":[1,[2]]}';
    const body = `{"name":"n","machineID":"proto","__proto__":{"tags":["polluted"]},"metadata":${metadata}}`;
    const { status, body: agent } = await agents.register(project, body);
    expect(status).toBe(201);
    const { text } = await app.request('GET', `/v1/agents/${agent.id}`, { as: { access: app.admin } });
    expect(text).toContain(`"metadata":${metadata}`);
    const list = await agents.list(project.id);
    expect(list.text).toContain(`"metadata":${metadata}`);
    expect((await agents.get(agent.id)).tags).toEqual([]);
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });

  it('accepts 32 levels including the body, and refuses any larger number', async () => {
    const send = (levels: number) =>
      agents.register(project, `{"name":"n","machineID":"deep","metadata":${nested(levels)}}`);
    expect((await send(31)).status).toBe(201);
    for (const levels of [32, 33, 90_000]) {
      const answer = await send(levels);
      expect(answer.status).toBe(422);
      const path = `/metadata${'/a'.repeat(31)}`;
      expect(answer.body).toEqual(
        problemBody('invalid_body', `'${path}' is nested deeper than 32 levels.`, [
          { path, message: 'is nested deeper than 32 levels' },
        ]),
      );
    }
  });

  it('leaves out what exceeds 65,536 bytes of JSON', async () => {
    const send = (length: number) =>
      agents.register(project, { name: 'n', machineID: 'long', metadata: { a: 'x'.repeat(length - 8) } });
    expect((await send(65_536)).headers['muster-left-out']).toBeUndefined();
    const { status, headers, body } = await send(65_537);
    expect({ status, leftOut: headers['muster-left-out'] }).toEqual({ status: 201, leftOut: 'metadata' });
    expect((await agents.get(body.id)).metadata).toEqual({});
  });

  it('refuses millions of values without reading them all, even in fields that are not stored', async () => {
    const many = `[${'[],'.repeat(1_300_000)}1]`;
    for (const body of [
      `{"name":"n","machineID":"many","metadata":{"a":${many}}}`,
      `{"name":"n","machineID":"many","surprise":${many}}`,
    ]) {
      const answer = await agents.register(project, body);
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual(
        problemBody('invalid_body', 'The body contains more than 100000 values.', [
          { path: '', message: 'contains more than 100000 values' },
        ]),
      );
    }
  });

  it('does not repeat a name of a megabyte in its answer', async () => {
    const answer = await agents.register(
      project,
      `{"name":"n","machineID":"m","metadata":{"${'k'.repeat(1_000_000)}":"\\u0000"}}`,
    );
    expect(answer.status).toBe(422);
    expect(answer.text.length).toBeLessThan(1_500);
  });
});
