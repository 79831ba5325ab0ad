import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/agent-error-calls.ts';
import { openPostgresSession, type PostgresSession } from '../../testing/postgres-session.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';

const storedErrors = 30_000;
const reports = 64;

/** PostgreSQL only: statements on SQLite name their index. */
describe('a report to a project with many open errors', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  let test: TestApp;
  let session: PostgresSession;

  beforeEach(async () => {
    session = await openPostgresSession(dataDirectory);
    test = await startTestApp({ dataDirectory, config: { maxOpenErrorsPerAgent: 0 } });
  });

  afterEach(async () => {
    await session.end();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  it('reads none of them, even after a vacuum while no error was open', async () => {
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
