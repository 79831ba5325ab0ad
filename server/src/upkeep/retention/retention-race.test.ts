import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { eventually } from '../../testing/eventually.ts';
import { openPostgresSession, type PostgresSession } from '../../testing/postgres/postgres-session.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase } from '../../testing/test-database.ts';

const dayMilliseconds = 86_400_000;

/** PostgreSQL only: SQLite has one writer, so nothing can change while a portion is removed. */
describe('retention while due errors are changed', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const clock = createTestClock();
  let test: TestApp;
  let errors: ReturnType<typeof callAgentErrors>;
  let session: PostgresSession;

  afterEach(() => test.close());

  beforeAll(async () => {
    session = await openPostgresSession(dataDirectory);
  });

  beforeEach(async () => {
    test = await startTestApp({ dataDirectory, clock, config: { retentionDays: 30 } });
    errors = callAgentErrors(test);
  });

  afterAll(async () => {
    await session.end();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  async function startDue(texts: readonly string[]) {
    const project = await test.createProject();
    const { id: agentID } = await test.registerAgent(project);
    const reports = texts.map((error) => ({ error }));
    const { body } = await errors.reportAll(project, agentID, reports);
    const ids = body.map(({ id }) => id);
    await session.query(
      "update agent_errors set dismissed_at = $2, dismissed_by_kind = 'system' where agent_id = $1",
      [agentID, clock.now()],
    );
    clock.advance(31 * dayMilliseconds);
    return { project, agentID, ids };
  }

  /** Starts retention by deleting a project. */
  async function startRetention(): Promise<void> {
    const { id } = await test.createProject();
    await test.request('DELETE', `/v1/projects/${id}`, { as: { access: test.admin } });
  }

  /** Waits until these are the rows of these agents. */
  const untilLeft = (agentIDs: readonly string[], rows: readonly unknown[]) =>
    eventually(async () =>
      expect(
        await session.query(
          'select error, dismissed_at::float8 as "dismissedAt" from agent_errors where agent_id = any($1) order by id',
          [agentIDs],
        ),
      ).toEqual(rows),
    );

  it('keeps an error that is reopened while it waits, whose id a 201 may have returned', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `error ${index}`);
    const { project, agentID, ids } = await startDue(texts);
    const [held, reopened] = [ids[0] ?? '', ids[49] ?? ''];
    await session.query('begin');
    await session.query('select 1 from agent_errors where id = $1 for update', [held]);
    await startRetention();
    await session.waitForBlocked('delete from "agent_errors"', 1);

    expect(await errors.reopen(reopened)).toMatchObject({ status: 200, body: { dismissedAt: null } });
    const report = await errors.report(project, agentID, 'error 49');
    expect(report).toMatchObject({ status: 201, headers: { 'muster-agent-error': 'ignored' } });
    expect(report.body.id).toBe(reopened);

    await session.query('rollback');
    await untilLeft([agentID], [{ error: 'error 49', dismissedAt: null }]);
  });

  it('keeps an error that was dismissed again meanwhile: its days start again', async () => {
    const { agentID, ids } = await startDue(['held', 'dismissed anew']);
    await session.query('begin');
    await session.query('select 1 from agent_errors where id = $1 for update', [ids[0]]);
    await startRetention();
    await session.waitForBlocked('delete from "agent_errors"', 1);
    await errors.reopen(ids[1] ?? '');
    await errors.dismiss(ids[1] ?? '');
    await session.query('rollback');
    await untilLeft([agentID], [{ error: 'dismissed anew', dismissedAt: clock.now() }]);
  });

  it('reads only one portion at a time, even if the statistics show no due rows', async () => {
    const { agentID, ids } = await startDue(['dismissed']);
    await session.query('update agent_errors set dismissed_at = null');
    await session.query(
      `insert into agent_errors
         (agent_id, id, project_id, error, error_digest, epoch, created_at, occurrences, last_seen_at)
       select agent_id, gen_random_uuid(), project_id, n::text, sha256(n::text::bytea), epoch, 1, 1, 1
       from agent_errors, generate_series(1, 19999) as n where id = $1`,
      [ids[0]],
    );
    await session.query('analyze agent_errors');
    await session.query('update agent_errors set dismissed_at = 1 where agent_id = $1', [agentID]);
    await startRetention();
    // A nested loop over due rows and the rows of a portion would exceed the statement timeout.
    await untilLeft([agentID], []);
  });

  it('removes all other rows when one row of a full portion is kept', async () => {
    const texts = Array.from({ length: 1000 }, (_, index) => `error ${index}`);
    const portion = await startDue(texts);
    const rest = await startDue(['of the next portion']);
    await session.query('begin');
    await session.query('update agent_errors set dismissed_at = null where id = $1', [portion.ids[500]]);
    await startRetention();
    await session.waitForBlocked('delete from "agent_errors"', 1);
    await session.query('commit');
    await untilLeft([portion.agentID, rest.agentID], [{ error: 'error 500', dismissedAt: null }]);
  });
});
