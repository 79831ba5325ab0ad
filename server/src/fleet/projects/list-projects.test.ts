import type { Project } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

async function list(query = '') {
  return app.request<Project[]>('GET', `/v1/projects${query}`, { as: { access: app.admin } });
}

async function namesOf(query: string): Promise<string[]> {
  return (await list(query)).body.map(({ name }) => name);
}

describe('GET /v1/projects', () => {
  describe('200', () => {
    it('returns whole projects, newest first, including the one that every installation starts with', async () => {
      const { id } = await app.createProject('newest');
      const { status, body } = await list();
      const now = new Date(app.clock.now()).toISOString();
      expect(status).toBe(200);
      expect(body[0]).toEqual({ id, name: 'newest', createdAt: now, updatedAt: now });
      expect(body.at(-1)).toMatchObject({ name: 'default' });
    });

    it('returns only its own project to a project token', async () => {
      const project = await app.createProject('own');
      await app.createProject('of others');
      const { token } = await app.createToken(project.id, ['read:project']);
      const own = await app.request<Project[]>('GET', '/v1/projects', { as: { project: token } });
      expect(own.body.map(({ id }) => id)).toEqual([project.id]);
      const others = await app.request<Project[]>('GET', '/v1/projects?name=of+others', {
        as: { project: token },
      });
      expect([others.status, others.body]).toEqual([200, []]);
    });

    it('matches the whole name, with * for any run of characters', async () => {
      for (const name of ['shop', 'shop-eu', 'shop-us', 'Shop', 'my-shop', 'shop[eu]'])
        await app.createProject(name);
      expect(await namesOf('?name=shop')).toEqual(['shop']);
      expect(await namesOf('?name=shop-*')).toEqual(['shop-us', 'shop-eu']);
      expect(await namesOf('?name=*shop')).toEqual(['my-shop', 'shop']);
      expect(await namesOf(`?name=${encodeURIComponent('shop[*')}`)).toEqual(['shop[eu]']);
      expect(await namesOf('?name=sho')).toEqual([]);
    });

    it('pages through all projects with the filter, while projects are added and deleted', async () => {
      const ids: string[] = [];
      for (let number = 0; number < 7; number += 1) ids.push((await app.createProject(`paged ${number}`)).id);
      const seen: string[] = [];
      let next: string | undefined = '/v1/projects?last=2&name=paged*';
      while (next !== undefined) {
        const answer: Awaited<ReturnType<typeof list>> = await app.request('GET', next, {
          as: { access: app.admin },
        });
        seen.push(...answer.body.map(({ id }) => id));
        next = /^<(\/v1\/projects\?[^>]+)>; rel="next"$/.exec(answer.headers.link ?? '')?.[1];
        await app.createProject('paged later');
        await app.request('DELETE', `/v1/projects/${answer.body.at(-1)?.id}`, { as: { access: app.admin } });
      }
      expect(seen).toEqual(ids.reverse());
    });
  });

  describe('400', () => {
    it.each([
      ['status', '?status=all', "There is no query parameter 'status'. This route takes last, before, name."],
      ['names', '?names=x', "There is no query parameter 'names'. Did you mean 'name'?"],
    ])('refuses the unknown parameter %s', async (name, query, detail) => {
      const answer = await list(query);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(
        problemBody('unknown_query_parameter', detail, [{ path: name, message: 'is unknown' }]),
      );
    });

    it('refuses a cursor of another list', async () => {
      const project = await app.createProject();
      await app.createToken(project.id, []);
      const { headers } = await app.request('GET', `/v1/projects/${project.id}/tokens?last=1`, {
        as: { access: app.admin },
      });
      const cursor = /before=([\w-]+)/.exec(headers.link ?? '')?.[1];
      const answer = await list(`?before=${cursor}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'invalid_cursor' });
    });

    it('refuses `last` above 1000', async () => {
      expect((await list('?last=1000')).status).toBe(200);
      expect((await list('?last=1001')).body).toMatchObject({ code: 'invalid_query_parameter', status: 400 });
    });
  });
});
