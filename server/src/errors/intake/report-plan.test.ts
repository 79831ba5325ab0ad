import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { openPostgresSession, type PostgresSession } from '../../testing/postgres/postgres-session.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';

const storedErrors = 12_000;
const reports = 64;

/** PostgreSQL only: statements on SQLite name their index. */
describe('a report to a project with many open errors', () => {
  let dataDirectory: string;
  let test: TestApp;
  let session: PostgresSession;

  beforeEach(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
    session = await openPostgresSession(dataDirectory);
  });

  afterEach(async () => {
    await session.end();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  it('reads none of them, even after a vacuum while no error was open', async () => {
    test = await startTestApp({ dataDirectory, config: { maxOpenErrorsPerAgent: 0 } });
    const errors = callAgentErrors(test);
    const project = await test.createProject();
    const { id: agentID } = await test.registerAgent(project);
    await session.query('alter table agent_errors set (autovacuum_enabled = false)');
    await session.query(
      `insert into agent_errors (
         agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at, dismissed_at)
       select $1, gen_random_uuid(), $2, 'error', sha256(n::text::bytea), 1, 1, 1, 1, 1
       from generate_series(1, ${storedErrors}) as n`,
      [agentID, project.id],
    );
    await session.query('vacuum analyze agent_errors');
    await session.query('update agent_errors set dismissed_at = null');
    const before = await rowsRead();
    const texts = Array.from({ length: reports }, (_, index) => ({ error: `new ${index}` }));
    const { status } = await errors.reportAll(project, agentID, texts);
    // PostgreSQL updates the statistics of a session when it ends.
    await test.close();
    expect(status).toBe(201);
    expect((await rowsRead()) - before).toBeLessThan(20 * reports);
  });

  it.each([
    { state: 'nothing was analyzed', before: [], after: [] },
    { state: 'all was analyzed', before: [], after: ['vacuum analyze agent_errors'] },
    {
      state: 'all was vacuumed while no error was dismissed',
      before: ['vacuum analyze agent_errors'],
      after: ['update agent_errors set dismissed_at = 1 where occurrences = 2'],
    },
    {
      state: 'all was vacuumed while all errors were dismissed',
      before: ['update agent_errors set dismissed_at = 1', 'vacuum analyze agent_errors'],
      after: ['update agent_errors set dismissed_at = null where occurrences = 1'],
    },
    {
      state: 'the project had nothing when it was analyzed',
      before: [
        'create table kept as table agent_errors',
        'truncate agent_errors',
        'vacuum analyze agent_errors',
      ],
      after: ['insert into agent_errors table kept'],
    },
  ])('and lists of an agent with few of them read few, where $state', async ({ before, after }) => {
    test = await startTestApp({ dataDirectory, config: { maxStoredBytesPerProject: 0 } });
    const project = await test.createProject();
    const { id: agentID } = await test.registerAgent(project);
    const { id: otherID } = await test.registerAgent(project);
    await session.query('alter table agent_errors set (autovacuum_enabled = false)');
    await session.query(
      `insert into agent_errors (
         agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at)
       select case when n % 1200 = 0 then $1::uuid else $2::uuid end, gen_random_uuid(), $3, 'error',
         sha256(n::text::bytea), 1, 1, 1 + n % 2, 1
       from generate_series(1, ${storedErrors}) as n`,
      [agentID, otherID, project.id],
    );
    // Half of the ten, and of all others.
    await session.query('update agent_errors set occurrences = 1 + get_byte(error_digest, 0) % 2');
    for (const statement of [...before, ...after]) await session.query(statement);
    // What the statements above have read is counted with the first.
    await rowsRead();
    const readBefore = await rowsRead();
    const errors = callAgentErrors(test);
    const as = { as: { access: test.admin } };
    for (const filter of ['', '?dismissed=true', '?dismissed=false']) {
      expect((await test.request('GET', `/v1/agents/${agentID}/errors${filter}`, as)).status).toBe(200);
    }
    const inbox = `/v1/projects/${project.id}/agent_errors?agent_id=${agentID}`;
    expect((await test.request('GET', inbox, as)).status).toBe(200);
    const first = await errors.reportAll(project, agentID, [{ error: 'one' }, { error: 'two' }]);
    expect(first.status).toBe(201);
    expect((await errors.report(project, agentID, 'three')).status).toBe(201);
    const { body } = await errors.report(project, agentID, 'four');
    expect((await errors.dismiss(body.id)).status).toBe(200);
    await test.close();
    expect((await rowsRead()) - readBefore).toBeLessThan(1_000);
  });

  async function rowsRead(): Promise<number> {
    await session.query('select pg_stat_force_next_flush()');
    await session.query('select pg_stat_clear_snapshot()');
    const [row] = await session.query<{ read: number }>(
      `select (sum(idx_tup_read) + (select sum(seq_tup_read) from pg_stat_user_tables))::float8 as read
       from pg_stat_user_indexes`,
    );
    return row?.read ?? 0;
  }
});
