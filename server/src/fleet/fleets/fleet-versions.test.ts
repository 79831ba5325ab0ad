import type { FleetVersion } from '@muster/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { withResolvers } from '../../foundation/with-resolvers.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { FleetConfigChecker } from './check-fleet-config.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

afterEach(() => void vi.restoreAllMocks());

const rawConfig = '[INPUT]\n    Name dummy\n\n[OUTPUT]\n    Name  stdout\n    Match *\n';
const contents = Buffer.from('# a file\n').toString('base64');

function call<Body>(method: string, path: string, body?: object) {
  return app.request<Body>(method, path, { as: { access: app.admin }, ...(body && { body }) });
}

async function start() {
  const project = await app.createProject();
  const { body } = await call<{ id: string; versionID: string }>(
    'POST',
    `/v1/projects/${project.id}/fleets`,
    {
      name: 'edge',
      rawConfig,
      note: 'the first',
    },
  );
  return { project, url: `/v1/fleets/${body.id}`, ...body };
}

async function numbersOf(url: string): Promise<number[]> {
  return (await call<FleetVersion[]>('GET', `${url}/versions`)).body.map(({ number }) => number);
}

describe('POST /v1/fleets/{fleetID}/versions', () => {
  it('stores a version that no agent gets, and the same content once', async () => {
    const { url, versionID } = await start();
    const draft = {
      rawConfig: 'pipeline: {inputs: [{name: dummy}]}\n',
      configFormat: 'YML',
      note: 'a draft',
    };
    const { status, body } = await call<FleetVersion>('POST', `${url}/versions`, draft);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      number: 2,
      configFormat: 'yaml',
      note: 'a draft',
      isCurrent: false,
      files: [],
    });
    const again = await call<FleetVersion>('POST', `${url}/versions`, { ...draft, note: 'another note' });
    expect(again.body).toEqual(body);
    expect(await numbersOf(url)).toEqual([2, 1]);
    const { body: whole } = await call('GET', `/v1/fleet_versions/${body.id}`);
    expect(whole).toEqual({ ...body, rawConfig: draft.rawConfig });
    expect((await call('GET', url)).body).toMatchObject({ rawConfig, currentVersion: { id: versionID } });
  });
});

describe('GET /v1/fleet_versions/{fleetVersionID}/diff', () => {
  it('compares with the version before, or with the one that is asked for', async () => {
    const { url, versionID: first } = await start();
    const { body: two } = await call<FleetVersion>('POST', `${url}/versions`, {
      rawConfig: rawConfig.replace('dummy', 'random'),
      files: [{ name: 'parsers.conf', contents }],
    });
    const { body: diff } = await call('GET', `/v1/fleet_versions/${two.id}/diff`);
    expect(diff).toEqual({
      from: { id: first, number: 1, createdAt: expect.any(String) },
      to: { id: two.id, number: 2, createdAt: two.createdAt },
      diff: expect.stringMatching(
        /^--- version 1\t.+\n\+\+\+ version 2\t.+\n@@ -1,5 \+1,5 @@\n \[INPUT\]\n- {4}Name dummy\n\+ {4}Name random\n/,
      ),
      addedLines: 1,
      removedLines: 1,
      isCoarse: false,
      addedFiles: ['parsers.conf'],
      changedFiles: [],
      removedFiles: [],
    });
    const { body: same } = await call(
      'GET',
      `/v1/fleet_versions/${two.id}/diff?against=${two.id.toUpperCase()}`,
    );
    expect(same).toMatchObject({ diff: '', addedLines: 0, addedFiles: [] });
    const { body: whole } = await call('GET', `/v1/fleet_versions/${first}/diff`);
    expect(whole).toMatchObject({ from: null, addedLines: 6 });
  });

  it('does not show versions of another project', async () => {
    const { versionID } = await start();
    const other = await start();
    expect(
      (await call('GET', `/v1/fleet_versions/${versionID}/diff?against=${other.versionID}`)).status,
    ).toBe(404);
    const { token } = await app.createToken(other.project.id, ['read:fleet']);
    const { status } = await app.request('GET', `/v1/fleet_versions/${versionID}`, {
      as: { project: token },
    });
    expect(status).toBe(404);
  });
});

describe('files of a fleet', () => {
  it('make a version with each change', async () => {
    const { url } = await start();
    const { status, body: file } = await call<{ id: string }>('POST', `${url}/files`, {
      name: 'a.conf',
      contents,
    });
    expect(status).toBe(200);
    const of = `/v1/fleet_files/${file.id}`;
    expect((await call('GET', of)).body).toEqual({
      id: file.id,
      name: 'a.conf',
      contents,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await call('PATCH', of, { name: 'b.conf' })).status).toBe(204);
    expect((await call('GET', `${url}/files`)).body).toMatchObject([
      { id: file.id, name: 'b.conf', contents },
    ]);
    // The same content again is no version.
    expect((await call('PATCH', of, { contents })).status).toBe(204);
    expect((await call('DELETE', of)).status).toBe(204);
    expect((await call('GET', of)).status).toBe(404);
    expect((await call('GET', `${url}/files`)).body).toEqual([]);
    const { body: versions } = await call<FleetVersion[]>('GET', `${url}/versions`);
    expect(
      versions.map(({ number, files, isCurrent }) => [number, files.map(({ name }) => name), isCurrent]),
    ).toEqual([
      [4, [], true],
      [3, ['b.conf'], false],
      [2, ['a.conf'], false],
      [1, [], false],
    ]);
  });

  it.each(['../../etc/passwd', 'a/b', 'config.yaml', 'header.conf', '.hidden', '..'])(
    'refuses the name %j, with which agents overwrite something',
    async (name) => {
      const { url } = await start();
      expect(await call('POST', `${url}/files`, { name, contents })).toMatchObject({
        status: 422,
        body: { code: 'invalid_fleet_config', fields: [{ path: '/files' }] },
      });
      expect(await numbersOf(url)).toEqual([1]);
    },
  );

  it.each(['YQ', 'YQ=', 'Y-_=', 'a b='])(
    'refuses the contents %j, of which agents lose a part',
    async (bad) => {
      const { url } = await start();
      expect(await call('POST', `${url}/files`, { name: 'a.conf', contents: bad })).toMatchObject({
        status: 422,
        body: { code: 'invalid_body', fields: [{ path: '/contents' }] },
      });
    },
  );

  it('refuses a name that another file has, a file that is too large, and too much of all', async () => {
    const { url } = await start();
    const add = (name: string, bytes: number) =>
      call<{ code: string }>('POST', `${url}/files`, {
        name,
        contents: Buffer.alloc(bytes).toString('base64'),
      });
    expect((await add('a', 1_048_576)).status).toBe(200);
    expect(await add('a', 1)).toMatchObject({ status: 409, body: { code: 'fleet_file_name_taken' } });
    expect(await add('b', 1_048_577)).toMatchObject({ status: 422, body: { code: 'fleet_file_too_large' } });
    for (const name of ['b', 'c', 'd']) expect((await add(name, 1_048_576)).status).toBe(200);
    expect(await add('e', 1)).toMatchObject({ status: 403, body: { code: 'fleet_files_quota_exceeded' } });
  });
});

describe('POST /v1/fleets/{fleetID}/validate', () => {
  it('takes turns by callers, people before tokens, and delays no change of a fleet', async () => {
    const { project, url } = await start();
    const other = await start();
    const hung: { readonly name: string; readonly end: () => void }[] = [];
    vi.spyOn(FleetConfigChecker.prototype, 'check').mockImplementation(({ rawConfig: name }) => {
      if (!name.startsWith('of ')) return Promise.resolve([]);
      return new Promise((resolve) => hung.push({ name, end: () => resolve([]) }));
    });
    const isFull = withResolvers<unknown>();
    const answered: string[] = [];
    const validate = async (name: string, as: { access: string } | { project: string }) => {
      const answer = await app.request('POST', `${url}/validate`, { as, body: { rawConfig: name } });
      if (answer.status !== 200) isFull.resolve(answer.body);
      else answered.push(name);
    };
    const answers = Array.from({ length: 12 }, () => validate('of a token', { project: project.token }));
    expect(await isFull.promise).toEqual(
      problemBody(
        'overloaded',
        'Too many configurations wait to be validated. Validate one after the other.',
      ),
    );
    const ofPerson = validate('of a person', { access: app.admin });
    expect((await call('PATCH', other.url, { rawConfig: `${rawConfig}# new` })).status).toBe(200);
    for (let ended = 0; ended < 12; ended += 1) {
      await vi.waitUntil(() => hung[ended] !== undefined);
      hung[ended]?.end();
    }
    await Promise.all([...answers, ofPerson]);
    expect(answered.slice(0, 3)).toContain('of a person');
    expect(answered).toHaveLength(12);
  });

  it('finds what is wrong, and stores nothing', async () => {
    const { url } = await start();
    const custom = `${rawConfig}\n[CUSTOM]\n    Name calyptia\n`;
    const { body } = await call('POST', `${url}/validate`, { rawConfig: custom });
    expect(body).toMatchObject({
      isValid: false,
      findings: [{ severity: 'error', code: 'custom_forbidden', line: 8 }],
    });
    const refused = await call('PATCH', url, { rawConfig: custom, skipConfigValidation: true });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        code: 'invalid_fleet_config',
        fields: [{ path: '/rawConfig', message: expect.stringContaining('line 8') }],
      },
    });
    expect(await numbersOf(url)).toEqual([1]);
    expect((await call('POST', `${url}/validate`, {})).body).toEqual({ isValid: true, findings: [] });
  });

  it('finds that a configuration is larger than a megabyte', async () => {
    const { url } = await start();
    const largest = `${rawConfig}${'#'.repeat(1_048_576 - rawConfig.length)}`;
    const validate = async (text: string) =>
      (await call('POST', `${url}/validate`, { rawConfig: text })).body;
    expect(await validate(largest)).toEqual({ isValid: true, findings: [] });
    expect(await validate(`${largest}#`)).toMatchObject({
      isValid: false,
      findings: [{ severity: 'error', code: 'too_large' }],
    });
  });

  it('warns of a secret that is written out', async () => {
    const { url } = await start();
    const secret = rawConfig.replace('    Name  stdout', '    Name  http\n    http_passwd Hunter2-Hunter2');
    const { body } = await call('POST', `${url}/validate`, { rawConfig: secret });
    expect(body).toMatchObject({
      isValid: true,
      findings: [{ severity: 'warning', code: 'literal_secret', line: 6 }],
    });
    expect(JSON.stringify(body)).not.toContain('Hunter2');
  });
});

describe('hostile content', () => {
  const bomb = Array.from({ length: 40 }, (_, level) =>
    level === 0 ? 'a0: &a0 [x, x]' : `a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`,
  ).join('\n');
  const large = `${rawConfig}${'#'.repeat(2 * 1024 * 1024)}`;
  const huge = `${rawConfig}${'#'.repeat(10 * 1024 * 1024)}`;

  it.each<[what: string, body: object, status: number, code: string]>([
    [
      'aliases that expand to a terabyte',
      { rawConfig: bomb, configFormat: 'yaml' },
      422,
      'invalid_fleet_config',
    ],
    ['2 MiB', { rawConfig: large }, 422, 'invalid_fleet_config'],
    ['10 MiB', { rawConfig: huge }, 413, 'body_too_large'],
  ])(
    'of %s is refused by every route that takes it, and nothing is stored',
    async (_, body, status, code) => {
      const { project, url } = await start();
      for (const [method, path, more] of [
        ['POST', `/v1/projects/${project.id}/fleets`, { name: 'other' }],
        ['PATCH', url, {}],
        ['POST', `${url}/versions`, {}],
      ] as const)
        expect(await call(method, path, { ...body, ...more })).toMatchObject({ status, body: { code } });
      expect(await numbersOf(url)).toEqual([1]);
      expect((await call<unknown[]>('GET', `/v1/projects/${project.id}/fleets`)).body).toHaveLength(1);
    },
  );

  it('in the name of a file is refused by every route that takes it', async () => {
    const { url } = await start();
    const { body: file } = await call<{ id: string }>('POST', `${url}/files`, { name: 'a.conf', contents });
    const name = '../../../etc/cron.d/muster';
    const refused = { status: 422, body: { code: 'invalid_fleet_config', fields: [{ path: '/files' }] } };
    expect(await call('PATCH', `/v1/fleet_files/${file.id}`, { name })).toMatchObject(refused);
    const draft = { rawConfig, files: [{ name, contents }] };
    expect(await call('POST', `${url}/versions`, draft)).toMatchObject(refused);
    expect(await numbersOf(url)).toEqual([2, 1]);
  });
});
