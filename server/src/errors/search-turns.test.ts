import { once, setMaxListeners } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import type { AgentError } from '@muster/contract';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { problemBody } from '../testing/calls/problem-body.ts';
import { eventually } from '../testing/eventually.ts';
import { openPostgresSession, type PostgresSession } from '../testing/postgres/postgres-session.ts';
import { textOfMessage } from '../testing/receivers/text-of-message.ts';
import { startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';

const listSql = 'from "agent_errors" where "project_id"';
const tooMany = problemBody(
  'overloaded',
  'Too many searches run or wait for their turn. Wait for the seconds in Retry-After, run searches one after the other, and narrow each with since, until or agent_id.',
);

/** PostgreSQL only: here a search runs as long as the table is locked. On SQLite it runs in portions, see walk-in-portions.test.ts. */
describe('long searches', () => {
  let test: TestApp;
  let session: PostgresSession;
  let url: string;
  let project: TestProject;
  let viewer: string;
  let errorID: string;

  beforeAll(async () => {
    test = await startTestApp();
    url = await test.app.http.listen({ host: '127.0.0.1', port: 0 });
    session = await openPostgresSession(test.dataDirectory);
    project = await test.createProject();
    viewer = (await test.createToken(project.id, ['read:*'])).token;
    const agent = await test.registerAgent(project);
    const { body } = await test.request<AgentError>('POST', `/v1/agents/${agent.id}/errors`, {
      as: { project: project.token },
      body: { error: 'no upstream connections available' },
    });
    errorID = body.id;
  });

  afterEach(async () => {
    await session.query('rollback');
    vi.restoreAllMocks();
  });

  afterAll(async () => {
    await session.end();
    await test.close();
  });

  async function lockErrors(): Promise<void> {
    await session.query('begin');
    await session.query('lock table agent_errors in access exclusive mode');
  }

  const path = (query: string) => `/v1/projects/${project.id}/agent_errors${query}`;
  const search = (query: string, as: object = { project: viewer }) =>
    test.request<AgentError[]>('GET', path(query), { as });

  /** Returns the status. Uses its own connection, which is closed afterwards. */
  const searchByPort = async (query: string, signal: AbortSignal): Promise<number | undefined> => {
    const request = get(`${url}${path(query)}`, {
      headers: { 'x-project-token': viewer },
      agent: false,
      signal,
    });
    const [response] = await once(request, 'response');
    response.resume();
    return response.statusCode;
  };

  const countBlocked = async (): Promise<number> => {
    const rows = await session.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0",
      [listSql],
    );
    return rows.length;
  };

  const countConnections = () => promisify(test.app.http.server.getConnections).call(test.app.http.server);

  it.each([
    ['text', '?q=UPSTREAM', 1],
    ['fleet', '?fleet_id=edge', 0],
    ['dismissal', '?dismissed=true', 0],
  ])('by %s use two of the connections, and leave the others free', async (_, query, found) => {
    await lockErrors();
    let settled = 0;
    const underWay = Array.from({ length: 60 }, () => search(query).finally(() => settled++));
    await session.waitForBlocked(listSql, 2);
    await eventually(() => expect(settled).toBe(38));

    const ofProject = await test.request('GET', `/v1/projects/${project.id}`, { as: { access: test.admin } });
    expect(ofProject.status).toBe(200);
    const ofOther = search(query, { access: test.admin });
    await session.waitForBlocked(listSql, 3);

    await session.query('rollback');
    expect(await ofOther).toMatchObject({ status: 200 });
    const answers = await Promise.all(underWay);
    const answered = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect([answered.length, refused.length]).toEqual([2 + 20, 38]);
    for (const { body } of answered) {
      expect(body.map(({ id }) => id)).toEqual(Array(found).fill(errorID));
    }
    for (const { status, headers, body } of refused) {
      expect([status, headers['retry-after'], body]).toEqual([503, '5', tooMany]);
    }
  });

  it('do not start after their client has hung up', async () => {
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    await lockErrors();
    const running = [search('?q=upstream'), search('?q=upstream')];
    await session.waitForBlocked(listSql, 2);
    const client = new AbortController();
    setMaxListeners(0, client.signal);
    const others = Array.from({ length: 21 }, () => searchByPort('?q=nobody-waits', client.signal));
    // One exceeds the queue, so all others are waiting now.
    expect(await Promise.race(others)).toBe(503);
    client.abort();
    const outcomes = await Promise.allSettled(others);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(20);
    await eventually(async () => expect(await countConnections()).toBe(0));

    await session.query('rollback');
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
    expect((await search('?q=upstream')).body).toHaveLength(1);
    expect(textOfMessage(statements.mock.calls.map(([first]) => first))).not.toContain('nobody-waits');
  });

  it('are cancelled on the server when their client hangs up, and no other query is', async () => {
    await lockErrors();
    const client = new AbortController();
    const gone = searchByPort('?q=upstream', client.signal).catch(() => 'gone');
    await session.waitForBlocked(listSql, 1);
    const staying = search('?q=upstream');
    await session.waitForBlocked(listSql, 2);
    client.abort();
    expect(await gone).toBe('gone');
    await eventually(async () => expect(await countBlocked()).toBe(1));
    await session.query('rollback');
    expect((await staying).body).toHaveLength(1);
    // On all connections.
    const after = await Promise.all(Array.from({ length: 12 }, () => search('?dismissed=false')));
    expect(after.map(({ status }) => status)).toEqual(Array(12).fill(200));
  });

  it('are answered if a client has closed its half of the connection, but do not wait', async () => {
    const searchAndClose = async (): Promise<string> => {
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
      socket.end(`GET ${path('?q=upstream')} HTTP/1.1\r\nHost: muster\r\nX-Project-Token: ${viewer}\r\n\r\n`);
      const chunks: unknown[] = await socket.toArray();
      return chunks.map(String).join('');
    };
    expect(await searchAndClose()).toContain(errorID);
    await lockErrors();
    const running = [search('?q=upstream'), search('?q=upstream')];
    await session.waitForBlocked(listSql, 2);
    expect(await searchAndClose()).toContain(JSON.stringify(tooMany.detail));
    await session.query('rollback');
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
  });

  it('that exceed the statement timeout are refused with the advice to narrow the search', async () => {
    await lockErrors();
    const searching = search('?q=upstream');
    await session.waitForBlocked(listSql, 1);
    await session.query(
      'select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and strpos(query, $1) > 0 and pid <> pg_backend_pid()',
      [listSql],
    );
    const answer = await searching;
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '30']);
    expect(answer.body).toEqual(
      problemBody(
        'database_unavailable',
        'The search was cancelled because it took too long: it must read too many errors, or the database is busy. Narrow it with since, until or agent_id.',
      ),
    );
    await session.query('rollback');
    expect((await search('?q=upstream')).body).toHaveLength(1);
  });

  it('do not delay lists that use an index', async () => {
    await lockErrors();
    const searches = [search('?q=upstream'), search('?q=upstream'), search('?q=upstream')];
    await session.waitForBlocked(listSql, 2);
    const lists = [search(''), search('?dismissed=false'), search('?since=2026-01-01T00:00:00Z')];
    // Two searches and two lists: the maximum of one caller.
    await session.waitForBlocked(listSql, 4);
    await session.query('rollback');
    for (const { status } of await Promise.all([...searches, ...lists])) expect(status).toBe(200);
  });
});
