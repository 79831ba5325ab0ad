import type { Fleet, FleetFile, FleetVersion } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { changeRows } from '../../testing/rows/change-rows.ts';
import { readAuditLog } from '../../testing/rows/read-audit-log.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { testEngine } from '../../testing/test-database.ts';
import { FleetVersionService } from './fleet-version-service.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const rawConfig = '[INPUT]\n    Name dummy\n\n[OUTPUT]\n    Name  stdout\n    Match *\n';
const id = expect.stringMatching(/^[0-9a-f-]{36}$/);

function call<Body>(method: string, path: string, body?: object) {
  return app.request<Body>(method, path, { as: { access: app.admin }, ...(body && { body }) });
}

function create(project: TestProject, body: object) {
  return call<{ id: string; versionID: string }>('POST', `/v1/projects/${project.id}/fleets`, body);
}

describe('POST /v1/projects/{projectID}/fleets', () => {
  it('creates a fleet with its first version', async () => {
    const project = await app.createProject();
    const { status, body } = await create(project, { name: 'edge', rawConfig, tags: ['eu'], note: 'first' });
    expect(status).toBe(201);
    expect(body).toEqual({ id, versionID: id, createdAt: expect.any(String) });
    const fleet = await call<Fleet>('GET', `/v1/fleets/${body.id}`);
    expect(fleet.body).toEqual({
      id: body.id,
      projectID: project.id,
      name: 'edge',
      minFluentBitVersion: '',
      rawConfig,
      configFormat: 'classic',
      tags: ['eu'],
      reporting: 'on',
      currentVersion: { id: body.versionID, number: 1, publishedAt: expect.any(String) },
      agentsCount: { active: 0, inactive: 0, withErrors: 0, errors: 0 },
      createdAt: expect.any(String),
      createdBy: { kind: 'user', id, name: 'administrator' },
      updatedAt: expect.any(String),
    });
    const log = await readAuditLog(app);
    expect(
      log.find(({ projectID, action }) => projectID === project.id && action === 'fleet.created'),
    ).toMatchObject({
      target: { kind: 'fleet', id: body.id, name: 'edge' },
      after: { name: 'edge', reporting: 'on', tags: ['eu'], version: 1 },
    });
    expect(JSON.stringify(log)).not.toContain('stdout');
  });

  it('accepts what an older client sends for fields that it does not set', async () => {
    const project = await app.createProject();
    const body = {
      name: 'edge',
      tags: null,
      configFormat: '',
      minFluentBitVersion: '',
      rawConfig: '',
      Files: null,
    };
    const created = await create(project, body);
    expect(created).toMatchObject({ status: 201, body: { versionID: null } });
    const { body: fleet } = await call<Fleet>('GET', `/v1/fleets/${created.body.id}`);
    expect(fleet).toMatchObject({ rawConfig: '', currentVersion: null, configFormat: 'classic' });
    const { status, body: refused } = await call('GET', `/v1/fleets/${created.body.id}/config`);
    expect([status, refused]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  });

  it.each(['edge one', 'édge', 'a&b', '', 'a'.repeat(33), 'a/b'])('refuses the name %j', async (name) => {
    const project = await app.createProject();
    expect(await create(project, { name })).toMatchObject({
      status: 422,
      body: { code: 'invalid_body', fields: [{ path: '/name' }] },
    });
  });

  it('names the fleet that has the name', async () => {
    const project = await app.createProject();
    const { body: first } = await create(project, { name: 'edge' });
    const { status, body } = await create(project, { name: 'edge' });
    expect(status).toBe(409);
    expect(body).toEqual({
      ...problemBody(
        'fleet_name_taken',
        `The fleet ${first.id} of this project is called 'edge'. Choose another name, or change that one.`,
      ),
      fields: [{ path: '/name', message: `'edge' is the name of the fleet ${first.id}` }],
    });
    expect((await create(await app.createProject(), { name: 'edge' })).status).toBe(201);
  });

  it('frees the name of a deleted fleet', async () => {
    const project = await app.createProject();
    const { body: first } = await create(project, { name: 'edge', rawConfig });
    const deleted = await call('DELETE', `/v1/fleets/${first.id}`);
    expect(deleted).toMatchObject({ status: 200, body: { deleted: true, deletedAt: expect.any(String) } });
    expect((await call('GET', `/v1/fleets/${first.id}`)).status).toBe(404);
    expect((await call('GET', `/v1/fleets/${first.id}/config`)).status).toBe(404);
    expect((await create(project, { name: 'edge' })).status).toBe(201);
  });

  it('refuses one more than a thousand fleets', async () => {
    const project = await app.createProject();
    const { body: fleet } = await create(project, { name: 'fleet' });
    const copied =
      'project_id, minimum_version, tags, reporting, handle_key, created_at, created_by_kind, updated_at';
    const newID = "'00000000-0000-7000-8000-' || cast(100000000000 + i as text)";
    await changeRows(
      app.dataDirectory,
      `insert into fleets (id, name, number, ${copied})
       with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < 998)
       select ${testEngine === 'sqlite' ? newID : `(${newID})::uuid`}, 'fleet' || i, number + i, ${copied}
       from fleets, numbers where id = '${fleet.id}'`,
    );
    expect((await create(project, { name: 'last' })).status).toBe(201);
    expect(await create(project, { name: 'more' })).toMatchObject({
      status: 429,
      body: problemBody('too_many_fleets'),
    });
  });

  it('refuses an unknown format, and names the valid ones', async () => {
    const { status, body } = await create(await app.createProject(), {
      name: 'edge',
      rawConfig,
      configFormat: 'toml',
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      fields: [
        {
          path: '/configFormat',
          message:
            "'toml' is no format of a configuration: it must be one of ini, conf, classic, yml, yaml, json",
        },
      ],
    });
  });
});

describe('PATCH /v1/fleets/{fleetID}', () => {
  async function start() {
    const project = await app.createProject();
    const { body } = await create(project, { name: 'edge', rawConfig });
    return { project, url: `/v1/fleets/${body.id}`, ...body };
  }

  it('makes a version of another configuration, and none of the same one', async () => {
    const { url, versionID } = await start();
    const same = await call<{ versionID: string }>('PATCH', url, { rawConfig, tags: ['eu'] });
    expect(same).toMatchObject({ status: 200, body: { versionID, updatedAt: expect.any(String) } });
    const other = await call<{ versionID: string }>('PATCH', url, {
      rawConfig: rawConfig.replace('dummy', 'random'),
    });
    expect(other.body.versionID).not.toBe(versionID);
    const back = await call<{ versionID: string }>('PATCH', url, { rawConfig });
    const { body } = await call<Fleet>('GET', url);
    expect(body).toMatchObject({ tags: ['eu'], currentVersion: { id: back.body.versionID, number: 3 } });
  });

  it('keeps absent and null fields', async () => {
    const { url } = await start();
    const { body: before } = await call<Fleet>('GET', url);
    await call('PATCH', url, { name: 'core', tags: null, configFormat: '', rawConfig: null });
    const { body } = await call<Fleet>('GET', url);
    expect(body).toEqual({ ...before, name: 'core', updatedAt: body.updatedAt });
  });

  it('takes all files that are added at once, or asks to send them again', async () => {
    const { url } = await start();
    const contents = Buffer.from('[PARSER]\n').toString('base64');
    const names = Array.from({ length: 24 }, (_, index) => `parsers-${index}.conf`);
    const answers = await Promise.all(
      names.map(async (name) => ({ name, answer: await call('POST', `${url}/files`, { name, contents }) })),
    );
    const refused = answers.filter(({ answer }) => answer.status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const { answer } of refused) {
      expect(answer).toMatchObject({
        status: 503,
        body: problemBody(
          'overloaded',
          'Others kept changing the same fleet, so that nothing was changed. Send the request again.',
        ),
      });
      expect(answer.headers['retry-after']).toBe('1');
    }
    const { body: files } = await call<FleetFile[]>('GET', `${url}/files`);
    const added = answers.flatMap(({ name, answer }) => (answer.status === 200 ? [name] : []));
    expect(files.map(({ name }) => name).sort()).toEqual(added.sort());
  });

  it.each(['PATCH', 'POST'])(
    '%s of a configuration keeps a file that is added while it is checked',
    async (method) => {
      const { url } = await start();
      const contents = Buffer.from('# a file\n').toString('base64');
      const { prepare } = FleetVersionService.prototype;
      vi.spyOn(FleetVersionService.prototype, 'prepare').mockImplementationOnce(async function (
        this: FleetVersionService,
        ...given
      ) {
        const content = await prepare.apply(this, given);
        expect((await call('POST', `${url}/files`, { name: 'parsers.conf', contents })).status).toBe(200);
        return content;
      });
      const other = { rawConfig: rawConfig.replace('dummy', 'cpu') };
      const { body } = await call<{ versionID?: string; id?: string }>(
        method,
        method === 'PATCH' ? url : `${url}/versions`,
        other,
      );
      const { body: version } = await call<FleetVersion>(
        'GET',
        `/v1/fleet_versions/${body.versionID ?? body.id}`,
      );
      expect(version).toMatchObject({ number: 3, ...other, files: [{ name: 'parsers.conf' }] });
      const { body: files } = await call<FleetFile[]>('GET', `${url}/files`);
      expect(files.map(({ name }) => name)).toEqual(['parsers.conf']);
    },
  );

  it('lets all agents get a version that exists, with its files', async () => {
    const { url, versionID: first } = await start();
    const contents = Buffer.from('# a file\n').toString('base64');
    await call('POST', `${url}/files`, { name: 'parsers.conf', contents });
    await call('POST', `${url}/files`, { name: 'more.conf', contents });
    const draft = { rawConfig: rawConfig.replace('cpu', 'mem'), files: [{ name: 'parsers.conf', contents }] };
    const { body: version } = await call<FleetVersion>('POST', `${url}/versions`, draft);
    const before = await call<FleetFile[]>('GET', `${url}/files`);

    const served = await call('PATCH', url, { versionID: version.id });
    expect(served).toMatchObject({ status: 200, body: { versionID: version.id } });
    const { body } = await call<Fleet>('GET', url);
    expect(body).toMatchObject({ rawConfig: draft.rawConfig, currentVersion: { id: version.id, number: 4 } });
    const parsers = before.body.filter(({ name }) => name === 'parsers.conf');
    expect((await call<FleetFile[]>('GET', `${url}/files`)).body).toEqual(parsers);

    await call('PATCH', url, { versionID: first });
    expect((await call<Fleet>('GET', url)).body).toMatchObject({ rawConfig, currentVersion: { number: 1 } });
    expect((await call<FleetFile[]>('GET', `${url}/files`)).body).toEqual([]);
    expect((await call<FleetVersion[]>('GET', `${url}/versions`)).body).toHaveLength(4);
  });

  it('refuses a version of another fleet, and one beside a configuration', async () => {
    const { url, versionID } = await start();
    const { url: other } = await start();
    expect(await call('PATCH', other, { versionID })).toMatchObject({
      status: 404,
      body: { detail: `The fleet 'edge' has no version ${versionID}. List its versions.` },
    });
    expect(await call('PATCH', url, { versionID, rawConfig: rawConfig.replace('cpu', 'mem') })).toMatchObject(
      {
        status: 422,
        body: {
          code: 'invalid_body',
          fields: [{ path: '/versionID', message: 'must not be sent with rawConfig: choose one of the two' }],
        },
      },
    );
    expect((await call<FleetVersion[]>('GET', `${url}/versions`)).body).toHaveLength(1);
  });

  it('refuses the name of another fleet', async () => {
    const { project, url } = await start();
    await create(project, { name: 'core' });
    expect(await call('PATCH', url, { name: 'core' })).toMatchObject({
      status: 409,
      body: { code: 'fleet_name_taken' },
    });
  });

  it('records what has changed, but no configuration', async () => {
    const { project, url, id: fleetID } = await start();
    await call('PATCH', url, { rawConfig: rawConfig.replace('dummy', 'random'), tags: ['eu'] });
    const [entry] = (await readAuditLog(app)).filter(
      ({ projectID, action }) => projectID === project.id && action === 'fleet.updated',
    );
    expect(entry).toMatchObject({
      target: { kind: 'fleet', id: fleetID, name: 'edge' },
      before: { tags: [], version: 1 },
      after: { tags: ['eu'], version: 2 },
    });
  });
});

describe('GET /v1/projects/{projectID}/fleets', () => {
  it('lists by name and tags, newest first, in pages', async () => {
    const project = await app.createProject();
    await create(project, { name: 'edge-1', tags: ['eu', 'arm'] });
    await create(project, { name: 'edge-2', tags: ['eu'] });
    await create(project, { name: 'core', tags: ['us'] });
    const list = async (query: string) => {
      const { body } = await call<Fleet[]>('GET', `/v1/projects/${project.id}/fleets${query}`);
      return body.map(({ name }) => name);
    };
    expect(await list('')).toEqual(['core', 'edge-2', 'edge-1']);
    expect(await list('?name=edge-1')).toEqual(['edge-1']);
    expect(await list('?name=edge-*')).toEqual(['edge-2', 'edge-1']);
    expect(await list('?tags_query=eu%20AND%20arm')).toEqual(['edge-1']);
    expect(await list('?tags_query=eu')).toEqual(['edge-2', 'edge-1']);
    const page = await call<Fleet[]>('GET', `/v1/projects/${project.id}/fleets?last=2`);
    expect(page.body.map(({ name }) => name)).toEqual(['core', 'edge-2']);
    const next = /<([^>]+)>; rel="next"/.exec(page.headers.link ?? '')?.[1] ?? '';
    expect((await call<Fleet[]>('GET', next)).body.map(({ name }) => name)).toEqual(['edge-1']);
  });
});

describe('GET /v1/search', () => {
  it('finds fleets by a part of the name, the whole name, or the id, in the order of names', async () => {
    const project = await app.createProject();
    const { body: edge } = await create(project, { name: 'edge' });
    const { body: east } = await create(project, { name: 'east' });
    const search = async (query: string) => {
      const { body } = await call<{ id: string }[]>(
        'GET',
        `/v1/search?project_id=${project.id.toUpperCase()}&resource=fleet${query}`,
      );
      return body;
    };
    const found = (one: { id: string }, name: string) => ({ id: one.id, name, ID: one.id, Name: name });
    expect(await search('')).toEqual([found(east, 'east'), found(edge, 'edge')]);
    expect(await search('&term=e&exact=false')).toEqual([found(east, 'east'), found(edge, 'edge')]);
    expect(await search('&term=e&exact=true')).toEqual([]);
    expect(await search('&term=edge&exact=true')).toEqual([found(edge, 'edge')]);
    expect(await search(`&term=${edge.id.toUpperCase()}&exact=false`)).toEqual([found(edge, 'edge')]);
  });

  it('refuses other resources', async () => {
    const { id: projectID } = await app.createProject();
    const { status, body } = await call('GET', `/v1/search?project_id=${projectID}&resource=pipeline`);
    expect(status).toBe(422);
    expect(body).toEqual(
      problemBody(
        'unknown_search_resource',
        "Resources of the kind 'pipeline' cannot be searched for: resource must be 'fleet'.",
      ),
    );
  });
});
