import { type Problem, routes } from '@muster/contract';
import { BodyValidators } from '@muster/http/requests/validate-body';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

let test: TestApp;
let project: TestProject;
beforeAll(async () => {
  test = await startTestApp();
  project = await test.createProject();
});
afterAll(() => test.close());

describe('a body that differs from its schema', () => {
  it.each<[string, unknown, Problem['fields']]>([
    ['an absent field', {}, [{ path: '/name', message: 'is missing' }]],
    ['a number for a text', { name: 1 }, [{ path: '/name', message: 'must be a string' }]],
    ['null for a text', { name: null }, [{ path: '/name', message: 'must be a string' }]],
    ['an empty text', { name: '' }, [{ path: '/name', message: 'must not be empty' }]],
    [
      'a text that is too long',
      { name: '🙂'.repeat(129) },
      [{ path: '/name', message: 'must have at most 128 characters' }],
    ],
    [
      'a text for a list or null',
      { name: 'a', permissions: 'read:*' },
      [{ path: '/permissions', message: 'must be an array or null' }],
    ],
    [
      'a number in a list',
      { name: 'a', permissions: ['read:*', 1] },
      [{ path: '/permissions/1', message: 'must be a string' }],
    ],
    [
      'a list that is too long',
      { name: 'a', permissions: Array.from({ length: 65 }, () => 'read:*') },
      [{ path: '/permissions', message: 'must have at most 64 elements' }],
    ],
    [
      'a mistyped field',
      { name: 'a', permision: [] },
      [{ path: '/permision', message: "is unknown; did you mean 'permissions'?" }],
    ],
    ['an unknown field', { name: 'a', colour: 'red' }, [{ path: '/colour', message: 'is unknown' }]],
    [
      'an unknown field with a slash, as RFC 6901 writes it',
      { name: 'a', 'a/b~c': 1 },
      [{ path: '/a~1b~0c', message: 'is unknown' }],
    ],
    ['a list', [{ name: 'a' }], [{ path: '', message: 'must be an object' }]],
    ['a text', '"a"', [{ path: '', message: 'must be an object' }]],
    ['a number', '1', [{ path: '', message: 'must be an object' }]],
    ['null', 'null', [{ path: '', message: 'must be an object' }]],
  ])('422 invalid_body: %s', async (_name, body, fields = []) => {
    const answer = await createToken(body);
    expect(answer.status).toBe(422);
    const [{ path = '', message = '' } = {}] = fields;
    const detail = `${path === '' ? 'The body' : `'${path}'`} ${message}${message.endsWith('?') ? '' : '.'}`;
    expect(answer.body).toEqual(problemBody('invalid_body', detail, fields));
  });

  it('201: with texts of exactly the maximum length, counted in code points', async () => {
    const { status, body } = await createToken({ name: '🙂'.repeat(128) });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: '🙂'.repeat(128) });
  });
});

describe('a body that no database can store', () => {
  it.each<[string, string, string, string]>([
    ['NUL in a text', '{"name":"a\\u0000b"}', '/name', 'contains NUL (U+0000); remove it'],
    ['NUL in a name', '{"name":"a","a\\u0000":1}', '/a\0', 'contains NUL (U+0000); remove it'],
    [
      'half of a surrogate pair',
      '{"name":"\\ud83d"}',
      '/name',
      'contains half of a surrogate pair; send whole characters',
    ],
    [
      'the other half',
      '{"name":"\\ude42a"}',
      '/name',
      'contains half of a surrogate pair; send whole characters',
    ],
    [
      'half of a surrogate pair in a name',
      '{"name":"a","\\ud83d":1}',
      '/\ufffd',
      'contains half of a surrogate pair; send whole characters',
    ],
  ])('422 invalid_body: %s', async (_name, body, path, message) => {
    const answer = await createToken(body);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual(problemBody('invalid_body', `'${path}' ${message}.`, [{ path, message }]));
  });

  it('422 invalid_body: nested too deep', async () => {
    const metadata = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`;
    const answer = await register(`{"name":"a","machineID":"deep","metadata":${metadata}}`);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      detail: expect.stringMatching(/is nested deeper than 32 levels\.$/),
    });
  });

  it('422 invalid_body: with too many values', async () => {
    const metadata = JSON.stringify({ list: Array.from({ length: 30_000 }, () => 0) });
    const answer = await register(`{"name":"a","machineID":"wide","metadata":${metadata}}`);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ detail: 'The body contains more than 20000 values.' });
  });

  it('201: nested and large like real metadata', async () => {
    const metadata = JSON.stringify({
      k8s: { labels: Array.from({ length: 1_000 }, (_, label) => ({ label })) },
    });
    const answer = await register(`{"name":"a","machineID":"real","metadata":${metadata}}`);
    expect(answer.status).toBe(201);
  });
});

describe('the schemas of the contract', () => {
  it('can all be compiled in strict mode', () => {
    const validators = new BodyValidators();
    const bodies = Object.values(routes).flatMap((route) =>
      'body' in route && route.body ? [route.body] : [],
    );
    expect(bodies.length).toBeGreaterThan(8);
    for (const { schema } of bodies) expect(() => validators.compile(schema)).not.toThrow();
  });
});

function createToken(body: unknown) {
  return test.request('POST', `/v1/projects/${project.id}/tokens`, { as: { access: test.admin }, body });
}

function register(body: string) {
  return test.request('POST', '/v1/agents', { as: { project: project.token }, body });
}
