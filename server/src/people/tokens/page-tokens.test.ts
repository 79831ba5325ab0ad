import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { type Answer, startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

async function get(url: string) {
  return app.request<Token[]>('GET', url, { as: { access: app.admin } });
}

async function list(projectID: string, query = '') {
  return get(`/v1/projects/${projectID}/tokens${query}`);
}

/** Creates tokens named `1` to `count`. Returns their ids, oldest first. */
async function createTokens(projectID: string, count: number, prefix = ''): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const { body } = await app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
      as: { access: app.admin },
      body: { name: `${prefix}${number}` },
    });
    ids.push(body.id);
  }
  return ids;
}

/** A project with tokens named `1` to `count`, and its first token, `default`. */
async function projectWithTokens(count: number): Promise<{ id: string; tokenIDs: readonly string[] }> {
  const { id } = await app.createProject();
  const [first] = (await list(id)).body;
  return { id, tokenIDs: [first?.id ?? '', ...(await createTokens(id, count))] };
}

async function revoke(tokenID: string | undefined): Promise<void> {
  const { status } = await app.request('DELETE', `/v1/project_tokens/${tokenID}`, {
    as: { access: app.admin },
  });
  expect(status).toBe(204);
}

function nextUrl({ headers }: Answer): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(headers.link ?? '')?.[1];
}

function cursorOf(answer: Answer): string {
  return new URL(nextUrl(answer) ?? '', 'http://muster').searchParams.get('before') ?? 'no cursor';
}

/** Follows the links from a first page to the last; `between` runs after each page. */
async function followLinks(
  url: string,
  between: (page: readonly Token[]) => Promise<void> = async () => undefined,
) {
  const pages: Token[][] = [];
  for (let next: string | undefined = url; next !== undefined; ) {
    const answer: Answer<Token[]> = await get(next);
    expect(answer.status).toBe(200);
    pages.push(answer.body);
    await between(answer.body);
    next = nextUrl(answer);
  }
  return pages;
}

describe('GET /v1/projects/{projectID}/tokens, page by page', () => {
  describe('200', () => {
    it('returns 100 tokens if `last` is absent or 0, otherwise as many as requested, up to 1000', async () => {
      const { id } = await projectWithTokens(101);
      expect((await list(id)).body).toHaveLength(100);
      expect((await list(id, '?last=0')).body).toHaveLength(100);
      expect((await list(id, '?last=1')).body).toHaveLength(1);
      expect((await list(id, '?last=101')).body).toHaveLength(101);
      expect((await list(id, '?last=1000')).body).toHaveLength(102);
    });

    it('links to the next page if there is one', async () => {
      const { id } = await projectWithTokens(5);
      const pages = await followLinks(`/v1/projects/${id}/tokens?last=2`);
      expect(pages.map((page) => page.map(({ name }) => name))).toEqual([
        ['5', '4'],
        ['3', '2'],
        ['1', 'default'],
      ]);
    });

    it('has no link if the page contains exactly the rest', async () => {
      const { id } = await projectWithTokens(2);
      const answer = await list(id, '?last=3');
      expect(answer.body).toHaveLength(3);
      expect(answer.headers.link).toBeUndefined();
    });

    it('has no link if nothing is found', async () => {
      const { id } = await projectWithTokens(1);
      const answer = await list(id, '?name=absent');
      expect(answer.body).toEqual([]);
      expect(answer.headers.link).toBeUndefined();
    });

    it('keeps every filter in the link', async () => {
      const { id } = await app.createProject();
      await createTokens(id, 3, 'ci & 🚀 ');
      const filters = `last=1&name=${encodeURIComponent('ci & 🚀*')}&status=all`;
      const first = await list(id, `?${filters}`);
      const link = new URL(nextUrl(first) ?? '', 'http://muster');
      expect(link.pathname).toBe(`/v1/projects/${id}/tokens`);
      expect(Object.fromEntries(link.searchParams)).toEqual({
        last: '1',
        name: 'ci & 🚀*',
        status: 'all',
        before: expect.stringMatching(/^[\w-]+$/),
      });
      const pages = await followLinks(`/v1/projects/${id}/tokens?${filters}`);
      expect(pages.map((page) => page.map(({ name }) => name))).toEqual([
        ['ci & 🚀 3'],
        ['ci & 🚀 2'],
        ['ci & 🚀 1'],
      ]);
    });

    it('lists those that expire, the soonest first, with the same order in pages of one', async () => {
      const { id } = await app.createProject();
      const inDays = (days: number) => new Date(app.clock.now() + days * 86_400_000).toISOString();
      for (const [name, days] of [
        ['in 40', 40],
        ['in 3', 3],
        ['also in 40', 40],
        ['never', undefined],
        ['in 20', 20],
      ] as const) {
        await app.request('POST', `/v1/projects/${id}/tokens`, {
          as: { access: app.admin },
          body: { name, ...(days === undefined ? {} : { expiresAt: inDays(days) }) },
        });
      }
      const names = (tokens: readonly Token[]) => tokens.map(({ name }) => name);
      const soonest = ['in 3', 'in 20', 'in 40', 'also in 40'];
      expect(names((await list(id, '?sort=expiresAt')).body)).toEqual(soonest);
      const pages = await followLinks(`/v1/projects/${id}/tokens?sort=expiresAt&last=1`);
      expect(pages.map(names)).toEqual(soonest.map((name) => [name]));
      expect(names((await list(id, '?sort=expiresAt&status=active&name=*40')).body)).toEqual([
        'in 40',
        'also in 40',
      ]);
      const cursor = cursorOf(await list(id, '?sort=expiresAt&last=1'));
      const other = await list(id, `?before=${cursor}`);
      expect([other.status, other.body]).toMatchObject([400, { code: 'invalid_cursor' }]);
      app.clock.advance(4 * 86_400_000);
      expect(names((await list(id, '?sort=expiresAt&last=1')).body)).toEqual(['in 20']);
      expect(names((await list(id, '?sort=createdAt&last=1')).body)).toEqual(['in 20']);
    });

    it('accepts a cursor with filters and a page size that differ from those of its page', async () => {
      const { id } = await projectWithTokens(5);
      const before = cursorOf(await list(id, '?last=2'));
      const { body } = await list(id, `?before=${before}&last=1000&name=*1`);
      expect(body.map(({ name }) => name)).toEqual(['1']);
    });

    it('neither skips nor repeats existing tokens while tokens are added and revoked', async () => {
      const { id, tokenIDs } = await projectWithTokens(20);
      const revoked = new Set<string>();
      const seen: string[] = [];
      const pages = await followLinks(`/v1/projects/${id}/tokens?last=4`, async (page) => {
        seen.push(...page.map((token) => token.id));
        // The row of the cursor, a row before it, and the next row.
        const next = tokenIDs[tokenIDs.length - seen.length - 1];
        for (const victim of [page.at(-1)?.id, page[0]?.id, next]) {
          if (victim === undefined) continue;
          await revoke(victim);
          revoked.add(victim);
        }
        await createTokens(id, 2, 'added ');
      });
      const found = pages.flat().map((token) => token.id);
      expect(new Set(found).size).toBe(found.length);
      expect(found.filter((tokenID) => !tokenIDs.includes(tokenID))).toEqual([]);
      const stillThere = tokenIDs.filter((tokenID) => !revoked.has(tokenID));
      expect(stillThere.filter((tokenID) => !found.includes(tokenID))).toEqual([]);
      expect(pages.length).toBeGreaterThan(3);
    });

    it('returns each existing token once if the status is not filtered', async () => {
      const { id, tokenIDs } = await projectWithTokens(9);
      const pages = await followLinks(`/v1/projects/${id}/tokens?last=3&status=all`, async (page) => {
        await revoke(page.at(-1)?.id);
        await revoke(tokenIDs[0]);
        await createTokens(id, 4, 'added ');
      });
      expect(pages.flat().map((token) => token.id)).toEqual([...tokenIDs].reverse());
    });
  });

  describe('400', () => {
    it.each(['1001', '-1', '1.5', '1e2', '', ' 1', '+1', '0x10', 'all', '9'.repeat(16), '٣'])(
      'refuses %j as `last`',
      async (last) => {
        const { id } = await app.createProject();
        const answer = await list(id, `?last=${encodeURIComponent(last)}`);
        const message = `is '${last}', but must be a whole number, 0 to 1000`;
        expect(answer.status).toBe(400);
        expect(answer.body).toEqual(
          problemBody('invalid_query_parameter', `The query parameter 'last' ${message}.`, [
            { path: 'last', message },
          ]),
        );
      },
    );

    async function expectInvalidCursor(projectID: string, cursor: string): Promise<void> {
      const answer = await list(projectID, `?before=${encodeURIComponent(cursor)}`);
      expect(answer.status, cursor).toBe(400);
      expect(answer.body).toEqual(
        problemBody(
          'invalid_cursor',
          'The cursor in `before` was not answered by this list. Follow the Link header with rel="next" as it is, or leave `before` out to start again.',
          [{ path: 'before', message: 'is not a cursor of this list' }],
        ),
      );
    }

    it('refuses a cursor in which any one character was changed', async () => {
      const { id } = await projectWithTokens(2);
      const cursor = cursorOf(await list(id, '?last=1'));
      for (let index = 0; index < cursor.length; index += 1) {
        const other = cursor[index] === 'A' ? 'B' : 'A';
        await expectInvalidCursor(id, cursor.slice(0, index) + other + cursor.slice(index + 1));
      }
    });

    it('refuses a cursor that was truncated, extended, padded or encoded differently', async () => {
      const { id } = await projectWithTokens(2);
      const cursor = cursorOf(await list(id, '?last=1'));
      const bytes = Buffer.from(cursor, 'base64url');
      const others = [cursor.slice(0, -1), `${cursor}A`, `${cursor}=`, ` ${cursor}`, `${cursor}\n`];
      for (const other of [...others, bytes.toString('hex'), '~', '\u{1f680}'])
        await expectInvalidCursor(id, other);
    });

    it('refuses an id as a cursor', async () => {
      const { id, tokenIDs } = await projectWithTokens(1);
      await expectInvalidCursor(id, tokenIDs[0] ?? '');
    });

    it("refuses a cursor of another project's tokens", async () => {
      const other = await projectWithTokens(2);
      const { id } = await projectWithTokens(2);
      await expectInvalidCursor(id, cursorOf(await list(other.id, '?last=1')));
    });

    it('refuses a cursor of another list of the same project', async () => {
      const project = await app.createProject();
      const { token } = await app.createToken(project.id, ['create:agent']);
      await app.registerAgent({ id: project.id, token });
      await app.registerAgent({ id: project.id, token });
      await expectInvalidCursor(project.id, cursorOf(await get(`/v1/projects/${project.id}/agents?last=1`)));
      await expectInvalidCursor(project.id, cursorOf(await get('/v1/projects?last=1')));
    });

    it.each(['?before=', `?before=${'A'.repeat(257)}`])(
      'refuses %s, whose length is not that of a cursor',
      async (query) => {
        const { id } = await app.createProject();
        const answer = await list(id, query);
        expect(answer.status).toBe(400);
        expect(answer.body).toMatchObject({ code: 'invalid_query_parameter', fields: [{ path: 'before' }] });
      },
    );
  });
});
