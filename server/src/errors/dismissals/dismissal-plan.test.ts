import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dismissal } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../testing/eventually.ts';
import { openPostgresSession, type PostgresSession } from '../../testing/postgres/postgres-session.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';

const storedErrors = 30_000;

/** PostgreSQL only: statements on SQLite name their index. */
describe('a dismissal of many errors', () => {
  let dataDirectory: string;
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

  it('does not read all open errors for each portion, also after a vacuum while no error was open', async () => {
    const test = await startTestApp({ dataDirectory, config: { maxStoredBytesPerProject: 0 } });
    const project = await test.createProject();
    const { id: agentID } = await test.registerAgent(project);
    await session.query('alter table agent_errors set (autovacuum_enabled = false)');
    await insertErrors(agentID, project.id);
    await session.query('update agent_errors set dismissed_at = 1');
    await session.query('vacuum analyze agent_errors');
    await session.query('update agent_errors set dismissed_at = null');
    // What the statements above have read is counted with the first.
    await rowsRead();
    const before = await rowsRead();
    await dismissAll(test, project.id);
    // PostgreSQL updates the statistics of a session when it ends.
    await test.close();
    expect((await rowsRead()) - before).toBeLessThan(10 * storedErrors);
  });

  it('undoes it without comparing all of its errors with each portion, also if they were counted before they were dismissed', async () => {
    const test = await startTestApp({ dataDirectory, config: { maxStoredBytesPerProject: 0 } });
    const project = await test.createProject();
    const { id: agentID } = await test.registerAgent(project);
    await session.query('alter table agent_errors set (autovacuum_enabled = false)');
    await insertErrors(agentID, project.id);
    await session.query('vacuum analyze agent_errors');
    await rowsRead();
    const before = await rowsRead();
    const { id } = await dismissAll(test, project.id);
    const as = { access: test.admin };
    await test.request('POST', `/v1/dismissals/${id}/undo`, { as });
    await eventually(async () => {
      const { body } = await test.request<Dismissal>('GET', `/v1/dismissals/${id}`, { as });
      expect([body.state, body.undo?.reopenedCount]).toEqual(['undone', storedErrors]);
    });
    await test.close();
    // 10 for each error; up to 25 where another session's snapshot keeps what was removed from an index. Compared with each portion: 40.
    expect((await rowsRead()) - before).toBeLessThan(30 * storedErrors);
  });

  /** Open ones. Their ids are smaller than that of a later dismissal. */
  async function insertErrors(agentID: string, projectID: string): Promise<void> {
    await session.query(
      `insert into agent_errors (
         agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at)
       select $1, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $2, 'error',
         sha256(n::text::bytea), 1, 1, 1, 1
       from generate_series(1, ${storedErrors}) as n`,
      [agentID, projectID],
    );
  }

  async function dismissAll(test: TestApp, projectID: string): Promise<Dismissal> {
    const as = { access: test.admin };
    const { body } = await test.request<Dismissal>('POST', `/v1/projects/${projectID}/dismissals`, {
      as,
      body: { reason: 'seen', filter: { all: true } },
    });
    await eventually(async () => {
      const { body: now } = await test.request<Dismissal>('GET', `/v1/dismissals/${body.id}`, { as });
      expect([now.state, now.errorsCount]).toEqual(['done', storedErrors]);
    });
    return body;
  }

  async function rowsRead(): Promise<number> {
    await session.query('select pg_stat_force_next_flush()');
    await session.query('select pg_stat_clear_snapshot()');
    const [row] = await session.query<{ read: number }>(
      `select (sum(idx_tup_read) + (
         select seq_tup_read from pg_stat_user_tables where relname = 'agent_errors'))::float8 as read
       from pg_stat_user_indexes where relname = 'agent_errors'`,
    );
    return row?.read ?? 0;
  }
});
