import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bodyOf,
  type Row,
  rows,
  send,
  type Target,
  titled,
  urlOf,
} from '../../../testing/calls/credential-table.ts';
import {
  type Credentials,
  startTestApp,
  type TestApp,
  type TestProject,
} from '../../../testing/start-test-app.ts';

const expected = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

let app: TestApp;
let address: string;
let project: TestProject;
/** Credentials by the outcome of a request with them. Each is sent to each route. */
let credentials: Readonly<Record<string, Credentials>>;

beforeAll(async () => {
  app = await startTestApp({ logLevel: 'info' });
  const { http } = app.app;
  await http.listen({ host: '127.0.0.1', port: 0 });
  address = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`; // it listens on TCP
  project = await app.createProject();
  credentials = {
    'no credential': {},
    'an access token': { access: app.admin },
    'a project token with every permission': {
      project: (await app.createToken(project.id, ['*'])).token,
    },
    'a project token without any permission': { project: (await app.createToken(project.id, [])).token },
    'an agent token': { agent: (await app.registerAgent(project)).token },
    'the token of a core instance': { core_instance: (await app.createCoreInstance(project)).token },
    'a credential that is no token': { access: 'nonsense' },
  };
});

afterAll(() => app.close());

/** Documentation is public and the same for everybody. Caches may keep it if they revalidate it. */
const isReferencePage = ({ path }: Row) => path === '/docs';

describe('Cache-Control: no-store and X-Content-Type-Options: nosniff', () => {
  describe.each(titled(rows.filter((row) => !isReferencePage(row))))('%s', (_title, row) => {
    it('are sent for every credential', async () => {
      const statuses = new Set<number>();
      let target = await row.target(app, project);
      for (const [whose, as] of Object.entries(credentials)) {
        const { status, headers } = await send(app, row, target, { as });
        expect({ whose, headers }).toEqual({ whose, headers: expect.objectContaining(expected) });
        statuses.add(status);
        // A refused request has left the target as it was.
        if (status < 400) target = await row.target(app, project);
      }
      expect(statuses).toContain(row.success);
    });

    it('are sent if the content of the request is refused', async () => {
      const url = urlOf(row, await row.target(app, project), 'nonsense=1');
      for (const [whose, as] of Object.entries(credentials)) {
        const { status, headers } = await app.request(row.method, url, { as });
        expect({ whose, status: status >= 400, headers }).toEqual({
          whose,
          status: true,
          headers: expect.objectContaining(expected),
        });
      }
    });

    it('are sent over a connection, also if the shortcut answers a report', async () => {
      const as = app.admin;
      const agent = await row.target(app, project);
      const headers: Record<string, string> = row.path.endsWith('/errors')
        ? { 'x-project-token': project.token, 'content-type': 'application/json' }
        : { authorization: `Bearer ${as}`, 'content-type': row.mediaType ?? 'application/json' };
      // For the second one, the credential is remembered.
      for (let time = 0; time < 2; time += 1) {
        const answer = await fetch(address + urlOf(row, agent), {
          method: row.method,
          headers,
          ...(row.body === undefined ? {} : { body: payloadOf(row, agent) }),
        });
        await answer.arrayBuffer();
        expect(Object.fromEntries(answer.headers)).toMatchObject(expected);
      }
    });
  });

  it('only nosniff is sent with the documentation, which caches may keep and revalidate', async () => {
    for (const path of ['/docs', '/docs/style.css', '/docs/page.js', '/errors/not_found']) {
      const { headers } = await inject(path);
      expect({ path, headers }).toEqual({
        path,
        headers: expect.objectContaining({ ...expected, 'cache-control': 'no-cache' }),
      });
    }
  });

  it('are sent with a 304, a redirect, an answer to HEAD, and an unknown route', async () => {
    const { headers } = await inject('/docs/style.css');
    const again = await inject('/docs/style.css', { 'if-none-match': String(headers.etag) });
    expect(again).toMatchObject({ statusCode: 304, headers: { 'x-content-type-options': 'nosniff' } });
    expect(await inject('/docs/')).toMatchObject({ statusCode: 308, headers: expected });
    expect(await inject('/nothing')).toMatchObject({ statusCode: 404, headers: expected });
    expect(await inject('/%zz')).toMatchObject({ statusCode: 400, headers: expected });
    const head = await app.app.http.inject({
      method: 'HEAD',
      url: '/v1/me',
      headers: { authorization: `Bearer ${app.admin}` },
    });
    expect(head).toMatchObject({ statusCode: 200, headers: expected });
  });
});

function inject(url: string, headers: Record<string, string> = {}) {
  return app.app.http.inject({ method: 'GET', url, headers });
}

function payloadOf(row: Row, target: Target): string | Uint8Array<ArrayBuffer> {
  const body = bodyOf(row, target);
  return Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body);
}
