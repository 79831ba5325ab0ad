import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { nextPage } from '../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
});

afterAll(() => app.close());

const missingID = '0192f0a0-0000-7000-8000-000000000000';

/** A project with one agent per description. The machine id is the name. */
async function projectWith(
  ...descriptions: readonly { readonly name: string; readonly [field: string]: unknown }[]
) {
  const project = await app.createProject();
  for (const one of descriptions) await agents.register(project, { machineID: one.name, ...one });
  return project;
}

async function namesOf(project: TestProject, query: string): Promise<string[]> {
  const { status, body, text } = await agents.list(project.id, query);
  expect(status, text).toBe(200);
  return body.map(({ name }) => name);
}

describe('GET /v1/projects/{projectID}/agents', () => {
  describe('200', () => {
    it('returns an empty list for a project without agents', async () => {
      const project = await app.createProject();
      const answer = await agents.list(project.id);
      expect(answer).toMatchObject({ status: 200, body: [] });
      expect(answer.headers.link).toBeUndefined();
    });

    it('returns everything about an agent except its configuration', async () => {
      const project = await projectWith({
        name: 'a',
        rawConfig: '[INPUT]\n',
        tags: ['t'],
        metadata: { a: 1 },
      });
      const { body } = await agents.list(project.id);
      expect(body).toHaveLength(1);
      const [{ id = missingID } = {}] = body;
      const { rawConfig, ...rest } = await agents.get(id);
      expect(rawConfig).toBe('[INPUT]\n');
      expect(body).toEqual([rest]);
    });

    it('returns the newest first, and no deleted agents or agents of other projects', async () => {
      const project = await projectWith({ name: 'a' }, { name: 'b' }, { name: 'c' });
      await projectWith({ name: 'theirs' });
      const [, middle] = (await agents.list(project.id)).body;
      await agents.delete(middle?.id ?? missingID);
      expect(await namesOf(project, '')).toEqual(['c', 'a']);
    });

    it('keeps the position of an agent that registers again', async () => {
      const project = await projectWith({ name: 'a' }, { name: 'b' });
      app.clock.advance(1_000);
      await agents.register(project, { name: 'a again', machineID: 'a' });
      expect(await namesOf(project, '')).toEqual(['b', 'a again']);
    });

    it('ends a page early if descriptions are large, and links to the rest', async () => {
      const names = Array.from({ length: 70 }, (_, index) => `host-${index}`);
      const text = 'x'.repeat(65_000);
      const project = await projectWith(...names.map((name) => ({ name, metadata: { text } })));
      // 64 of them fit into 4 MiB.
      const first = await agents.list(project.id, '?last=1000&name=host-*');
      expect(first.body).toHaveLength(64);
      const path = `/v1/projects/${project.id}/agents`;
      const next = nextPage(first) ?? '';
      expect(next).toMatch(/[?&]name=host-\*&before=/);
      const second = await agents.list(project.id, next.slice(path.length));
      expect(nextPage(second)).toBeUndefined();
      expect([...first.body, ...second.body].map(({ name }) => name)).toEqual(names.reverse());
    });

    it('gives the same answer to a project token with read:agent', async () => {
      const project = await projectWith({ name: 'a' });
      const { token } = await app.createToken(project.id, ['read:agent']);
      const { body } = await app.request('GET', `/v1/projects/${project.id}/agents`, {
        as: { project: token },
      });
      expect(body).toEqual((await agents.list(project.id)).body);
    });
  });

  describe('200 with filters', () => {
    it('name: matches exactly, with * for any number of characters; every other character is literal', async () => {
      const names = ['web-01', 'web-02', 'Web-01', 'db-01', 'web-0%', 'a[b]c', 'a?c', 'abc', 'x\\y', '*'];
      const project = await projectWith(...names.map((name) => ({ name })));
      const find = (pattern: string) => namesOf(project, `?name=${encodeURIComponent(pattern)}`);
      expect(await find('web-01')).toEqual(['web-01']);
      expect(await find('web-*')).toEqual(['web-0%', 'web-02', 'web-01']);
      expect(await find('*-01')).toEqual(['db-01', 'Web-01', 'web-01']);
      expect(await find('*b*0*')).toEqual(['web-0%', 'db-01', 'Web-01', 'web-02', 'web-01']);
      expect(await find('web-0_*')).toEqual([]);
      expect(await find('web-0%')).toEqual(['web-0%']);
      expect(await find('w%*')).toEqual([]);
      expect(await find('a[b]*')).toEqual(['a[b]c']);
      expect(await find('a?*')).toEqual(['a?c']);
      expect(await find('x\\*')).toEqual(['x\\y']);
      expect(await find('*')).toEqual(names.toReversed());
    });

    it('q: finds a part of the name or of the machine id, in any case of ASCII letters', async () => {
      const project = await app.createProject();
      for (const [name, machineID] of [
        ['Web-01', 'host-a'],
        ['db', 'host-WEB'],
        ['cache', 'host-c%'],
      ] as const) {
        await agents.register(project, { name, machineID });
      }
      expect(await namesOf(project, '?q=web')).toEqual(['db', 'Web-01']);
      expect(await namesOf(project, '?q=C%25')).toEqual(['cache']);
      expect(await namesOf(project, '?q=x')).toEqual([]);
    });

    it('version: matches exactly', async () => {
      const project = await projectWith(
        { name: 'a', version: '5.1.1' },
        { name: 'b', version: '5.1' },
        { name: 'c' },
      );
      expect(await namesOf(project, '?version=5.1')).toEqual(['b']);
      expect(await namesOf(project, '?version=5')).toEqual([]);
    });

    it('name: a crafted pattern is not slow', async () => {
      const project = await projectWith({ name: 'a'.repeat(256) });
      expect(await namesOf(project, `?name=${'*a'.repeat(127)}*b`)).toEqual([]);
    });

    it('tag: agents that have exactly this tag', async () => {
      const project = await projectWith(
        { name: 'both', tags: ['edge', 'eu'] },
        { name: 'one', tags: ['edge'] },
        { name: 'longer', tags: ['edge-2', '["edge"]'] },
        { name: 'none', tags: null },
        { name: 'number', tags: ['1', 'true', 'null'] },
      );
      expect(await namesOf(project, '?tag=edge')).toEqual(['one', 'both']);
      expect(await namesOf(project, '?tag=eu')).toEqual(['both']);
      expect(await namesOf(project, '?tag=Edge')).toEqual([]);
      expect(await namesOf(project, '?tag=1')).toEqual(['number']);
      expect(await namesOf(project, `?tag=${encodeURIComponent('["edge"]')}`)).toEqual(['longer']);
    });

    it('fleet_id: agents that report this fleet', async () => {
      const project = await projectWith(
        { name: 'a', fleetID: 'edge' },
        { name: 'b', fleetID: '8b1c0d9e-1111-4a2b-9c3d-000000000001' },
        { name: 'c' },
      );
      expect(await namesOf(project, '?fleet_id=edge')).toEqual(['a']);
      expect(await namesOf(project, '?fleet_id=8b1c0d9e-1111-4a2b-9c3d-000000000001')).toEqual(['b']);
      expect(await namesOf(project, '?fleet_id=ed*')).toEqual([]);
    });

    it('status: agents with or without an open error of their current configuration', async () => {
      const project = await projectWith({ name: 'sick' }, { name: 'well' });
      await app.request('POST', '/v1/machines/sick/errors', {
        as: { project: project.token },
        body: { error: 'no upstream connections available' },
      });
      expect(await namesOf(project, '?status=unhealthy')).toEqual(['sick']);
      expect(await namesOf(project, '?status=healthy')).toEqual(['well']);
      expect((await agents.list(project.id)).body.map(({ status }) => status)).toEqual([
        'healthy',
        'unhealthy',
      ]);
    });

    it('all filters together', async () => {
      const project = await projectWith(
        { name: 'web-01', tags: ['eu'], fleetID: 'edge' },
        { name: 'web-02', tags: ['us'], fleetID: 'edge' },
        { name: 'web-03', tags: ['eu'], fleetID: 'core' },
        { name: 'db-01', tags: ['eu'], fleetID: 'edge' },
      );
      expect(await namesOf(project, '?name=web-*&tag=eu&fleet_id=edge&status=healthy&last=10')).toEqual([
        'web-01',
      ]);
    });
  });

  describe('200 in pages', () => {
    it('links to the next page with the filters, and never skips or repeats', async () => {
      const names = Array.from({ length: 7 }, (_, index) => `web-${index}`);
      const project = await projectWith(...names.map((name) => ({ name, tags: ['a b&c'] })), { name: 'db' });
      const path = `/v1/projects/${project.id}/agents`;
      const seen: string[][] = [];
      let next: string | undefined = `${path}?last=3&name=web-*&tag=a%20b%26c`;
      while (next !== undefined) {
        const page = await agents.list(project.id, next.slice(path.length));
        seen.push(page.body.map(({ name }) => name));
        next = nextPage(page);
        // Additions and deletions must not shift the pages.
        await agents.register(project, {
          name: `web-late-${seen.length}`,
          machineID: `late ${seen.length}`,
          tags: ['a b&c'],
        });
        const [gone] = page.body;
        await agents.delete(gone?.id ?? missingID);
      }
      expect(seen).toEqual([['web-6', 'web-5', 'web-4'], ['web-3', 'web-2', 'web-1'], ['web-0']]);
    });

    it('of 100 if last is absent or 0', async () => {
      const project = await projectWith(...Array.from({ length: 101 }, (_, index) => ({ name: `${index}` })));
      expect((await agents.list(project.id)).body).toHaveLength(100);
      const answer = await agents.list(project.id, '?last=0');
      expect(answer.body).toHaveLength(100);
      const link = nextPage(answer);
      expect(link).toContain('last=0');
      const rest = await app.request<unknown[]>('GET', link ?? '', { as: { access: app.admin } });
      expect(rest.body).toHaveLength(1);
      expect(rest.headers.link).toBeUndefined();
      expect((await agents.list(project.id, '?last=101')).headers.link).toBeUndefined();
    });
  });

  describe('400', () => {
    it.each([
      ['last=1001', 'last', "is '1001', but must be a whole number, 0 to 1000"],
      ['last=-1', 'last', "is '-1', but must be a whole number, 0 to 1000"],
      [
        'status=Healthy',
        'status',
        "is 'Healthy', but must be one of healthy, unhealthy, offline, stopped, unknown",
      ],
      ['status=', 'status', "is '', but must be one of healthy, unhealthy, offline, stopped, unknown"],
      ['name=', 'name', 'has 0 characters, but must have 1 to 256'],
      ['tag=a&tag=b', 'tag', 'is given more than once; give it once'],
      ['fleet_id=a%00', 'fleet_id', 'contains NUL or half a character; remove it'],
    ])('for ?%s', async (query, name, message) => {
      const project = await app.createProject();
      const answer = await agents.list(project.id, `?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody('invalid_query_parameter', `The query parameter '${name}' ${message}.`, [
          { path: name, message },
        ]),
      );
    });

    it('for an unknown parameter, suggesting the nearest one', async () => {
      const project = await app.createProject();
      const answer = await agents.list(project.id, '?fleetid=edge');
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody(
          'unknown_query_parameter',
          "There is no query parameter 'fleetid'. Did you mean 'fleet_id'?",
          [{ path: 'fleetid', message: 'is unknown' }],
        ),
      );
    });

    it("for a cursor of another project's list", async () => {
      const project = await projectWith({ name: 'a' }, { name: 'b' });
      const other = await projectWith({ name: 'a' }, { name: 'b' });
      const link = nextPage(await agents.list(other.id, '?last=1')) ?? '';
      const answer = await agents.list(project.id, link.slice(link.indexOf('?')));
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'invalid_cursor' });
    });
  });

  describe('403', () => {
    it('for a project token without read:agent', async () => {
      const project = await app.createProject();
      const answer = await app.request('GET', `/v1/projects/${project.id}/agents`, {
        as: { project: project.token },
      });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({
        code: 'permission_denied',
        detail: expect.stringContaining("'read:agent'"),
      });
    });

    it('for an agent', async () => {
      const project = await app.createProject();
      const { token } = await app.registerAgent(project);
      const answer = await app.request('GET', `/v1/projects/${project.id}/agents`, { as: { agent: token } });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ code: 'credential_kind_not_accepted' });
    });
  });

  describe('404', () => {
    it('for a missing, a deleted, and another project, with the same answer', async () => {
      const [own, other, deleted] = [
        await app.createProject(),
        await app.createProject(),
        await app.createProject(),
      ];
      await app.request('DELETE', `/v1/projects/${deleted.id}`, { as: { access: app.admin } });
      const { token } = await app.createToken(own.id, ['*']);
      for (const id of [missingID, other.id, deleted.id]) {
        const answer = await app.request('GET', `/v1/projects/${id}/agents`, { as: { project: token } });
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual(
          problemBody('not_found', `There is no project ${id} that this credential can see.`),
        );
      }
    });
  });
});

describe('GET /v1/projects/{projectID}/fleets', () => {
  it('returns the fleets that agents report, with the number of their agents', async () => {
    const project = await projectWith(
      { name: 'a', fleetID: 'edge' },
      { name: 'b', fleetID: 'core' },
      { name: 'c', fleetID: 'edge' },
      { name: 'd' },
      { name: 'e', fleetID: 'gone' },
    );
    await projectWith({ name: 'theirs', fleetID: 'theirs' });
    const [{ id = missingID } = {}] = (await agents.list(project.id)).body;
    await agents.delete(id);
    const answer = await app.request('GET', `/v1/projects/${project.id}/reported_fleets`, {
      as: { access: app.admin },
    });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        fleets: [
          { id: 'core', name: null, agentsCount: 1 },
          { id: 'edge', name: null, agentsCount: 2 },
        ],
      },
    ]);
  });
});
