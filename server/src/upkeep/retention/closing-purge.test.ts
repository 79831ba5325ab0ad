import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Kysely } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../foundation/database/open-database.ts';
import type { Tables } from '../../foundation/database/tables.ts';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { textOfMessage } from '../../testing/receivers/text-of-message.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { dropTestDatabase, prepareTestDatabase } from '../../testing/test-database.ts';

/** Two of the portions in which rows are removed. */
const portions = 2;
const portionSize = 1_000;

let dataDirectory: string;
let test: TestApp;
beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  test = await startTestApp({ dataDirectory, config: { maxOpenErrorsPerAgent: 0 } });
});
afterEach(async () => {
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

async function startAgent(): Promise<{ project: TestProject; agentID: string }> {
  const project = await test.createProject();
  const { id: agentID } = await test.registerAgent(project);
  for (let portion = 0; portion < portions; portion += 1) {
    const reports = Array.from({ length: portionSize }, (_, index) => ({ error: `${portion} ${index}` }));
    const { status } = await callAgentErrors(test).reportAll(project, agentID, reports);
    expect(status).toBe(201);
  }
  return { project, agentID };
}

/** Called while no app is running. */
async function onTables<Result>(ask: (tables: Kysely<Tables>) => Promise<Result>): Promise<Result> {
  const databaseUrl = await prepareTestDatabase(dataDirectory);
  const database = await openDatabase({ dataDirectory, databaseUrl, onConnectionError: () => undefined });
  const result = await ask(database.read);
  await database.close();
  return result;
}

function countErrors(): Promise<number> {
  return onTables(async (tables) => {
    const rows = await tables.selectFrom('agent_errors').select('id').execute();
    return rows.length;
  });
}

/** Resolves when the app has closed. */
function closeAtFirstDeletion(): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (statement: unknown): void => {
      if (!/delete from \W*agent_error/.test(textOfMessage(statement))) return;
      vi.restoreAllMocks();
      test.close().then(resolve, reject);
    };
    const post = Worker.prototype.postMessage;
    vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message) {
      Reflect.apply(post, this, [message]);
      look(message);
    });
    const query = pg.Client.prototype.query;
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, statement: unknown) {
      const querying: unknown = Reflect.apply(query, this, [statement]);
      look(statement);
      return querying as never; // the return type of the overload that our pool uses
    });
  });
}

/** Retention also runs at a start that is followed by a stop at once. */
async function expectNextStartToGoOn(): Promise<void> {
  expect(await countErrors()).toBe(portionSize);
  await (await startTestApp({ dataDirectory })).close();
  expect(await countErrors()).toBe(0);
}

describe('a service that closes', () => {
  it('does not wait until all of a deleted project is removed: the next start continues', async () => {
    const { project } = await startAgent();
    const closed = closeAtFirstDeletion();
    const { status } = await test.request('DELETE', `/v1/projects/${project.id}`, {
      as: { access: test.admin },
    });
    expect(status).toBe(204);
    await closed;
    await expectNextStartToGoOn();
  });

  it('answers the deletion of an agent before everything is removed: the next start continues', async () => {
    const { agentID } = await startAgent();
    const closed = closeAtFirstDeletion();
    expect((await callAgentErrors(test).deleteAgent(agentID)).status).toBe(204);
    await closed;
    await expectNextStartToGoOn();
  });
});
