import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { startTestApp, type TestApp } from '../../server/src/testing/start-test-app.ts';
import { prepareTestDatabase } from '../../server/src/testing/test-database.ts';

let test: TestApp;
let other: pg.Client;
/** Within a transaction, the view of waiting sessions does not change. */
let watcher: pg.Client;

beforeAll(async () => {
  // At the most verbose log level, reports take no shortcut.
  test = await startTestApp({ logLevel: 'info' });
  await test.app.http.listen({ host: '127.0.0.1', port: 0 });
  const connectionString = await prepareTestDatabase(test.dataDirectory);
  other = new pg.Client({ connectionString });
  watcher = new pg.Client({ connectionString });
  await other.connect();
  await watcher.connect();
});

afterAll(async () => {
  await other.end();
  await watcher.end();
  await test.close();
});

/** Simulates a replica that stores the same text and has not committed yet: the next insert waits for it. */
async function storeWithoutCommit(agentID: string, text: string): Promise<void> {
  await other.query('begin');
  await other.query(
    `insert into agent_errors
       (agent_id, id, project_id, error, error_digest, epoch, config_id, created_at, occurrences, last_seen_at)
     select id, gen_random_uuid(), project_id, $2, sha256(convert_to($2, 'UTF8')), epoch, config_id, 0, 1, 0
     from agents where id = $1`,
    [agentID, text],
  );
}

async function countWaiting(): Promise<number> {
  const { rows } = await watcher.query(
    `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
}

it('the deletion of an agent waits for reports that are being stored, and removes them', async () => {
  const errors = callAgentErrors(test);
  const project = await test.createProject();
  const { id } = await test.registerAgent(project);
  await storeWithoutCommit(id, 'text');
  const report = errors.report(project, id, 'text');
  await eventually(async () => expect(await countWaiting()).toBe(1));
  const deletion = errors.deleteAgent(id);
  await eventually(async () => expect(await countWaiting()).toBe(2));

  await other.query('rollback');

  expect((await report).status).toBe(201);
  expect((await deletion).status).toBe(204);
  expect((await errors.listOfProject(project.id)).body).toEqual([]);
  expect((await other.query('select * from agent_errors')).rows).toEqual([]);
});

it('a report whose agent another replica has deleted is stored for a new one, and counts once towards the limit of its token', async () => {
  const project = await test.createProject();
  const { body } = await test.request<{ token: string }>('POST', `/v1/projects/${project.id}/tokens`, {
    as: { access: test.admin },
    body: { name: 'two', permissions: ['create:agent', 'create:agent_error'], reportsPerSecond: 2 },
  });
  const { port } = test.app.http.server.address() as AddressInfo; // a TCP server's
  const report = async (error: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/machines/m-1/errors`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-project-token': body.token },
      body: JSON.stringify({ error }),
    });
    return [answer.status, answer.headers.get('muster-agent-error')];
  };
  expect(await report('one')).toEqual([201, 'created']);
  await other.query('update agents set deleted_at = 1 where project_id = $1', [project.id]);

  expect(await report('two')).toEqual([201, 'created']);

  expect((await report('three'))[0]).toBe(429);
  expect((await callAgentErrors(test).listOfProject(project.id)).body).toMatchObject([
    { error: 'two' },
    { error: 'one' },
  ]);
});
