import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../foundation/database/database.ts';
import { openDatabase } from '../../foundation/database/open-database.ts';
import type { Config } from '../../foundation/settings/config.ts';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { eventually } from '../../testing/eventually.ts';
import { changeRows } from '../../testing/rows/change-rows.ts';
import { dismissAllErrors } from '../../testing/rows/stored-errors.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { dropTestDatabase, prepareTestDatabase } from '../../testing/test-database.ts';
import { wordOf } from '../../testing/word-of.ts';
import { RetentionService } from './retention-service.ts';

const dayMilliseconds = 86_400_000;

describe('retention', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  const clock = createTestClock();
  let test: TestApp;
  let errors: ReturnType<typeof callAgentErrors>;

  async function startApp(config: Partial<Config> = {}): Promise<void> {
    test = await startTestApp({ dataDirectory, clock, config: { retentionDays: 30, ...config } });
    errors = callAgentErrors(test);
  }

  /** Retention runs at each start, and an app that closes waits until the first thousand rows are removed. */
  async function runRetention(): Promise<void> {
    for (let restart = 0; restart < 2; restart += 1) {
      await test.close();
      await startApp();
    }
  }

  /** Called while the app is closed. */
  async function changeTables(change: (database: Database) => Promise<unknown>): Promise<void> {
    await test.close();
    const database = await openDatabase({
      dataDirectory,
      databaseUrl: await prepareTestDatabase(dataDirectory),
      onConnectionError: () => undefined,
    });
    await change(database);
    await database.close();
    await startApp();
  }

  beforeAll(() => startApp());

  afterAll(async () => {
    await test.close();
    await dropTestDatabase(dataDirectory);
    rmSync(dataDirectory, { recursive: true });
  });

  async function start(
    texts: readonly string[],
  ): Promise<{ project: TestProject; agentID: string; ids: string[] }> {
    const project = await test.createProject();
    const { id: agentID } = await test.registerAgent(project);
    const { body } = await errors.reportAll(
      project,
      agentID,
      texts.map((error) => ({ error })),
    );
    return { project, agentID, ids: body.map(({ id }) => id) };
  }

  async function dismissAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) await errors.dismiss(id);
  }

  async function textsOf(agentID: string): Promise<string[]> {
    return (await errors.listOfAgent(agentID, '?last=1000')).body.map(({ error }) => error);
  }

  it('removes an error when the retention days have passed since its dismissal, and not a millisecond earlier', async () => {
    const { agentID, ids } = await start(['first', 'second']);
    await dismissAll(ids.slice(0, 1));
    clock.advance(1);
    await dismissAll(ids.slice(1));
    clock.advance(30 * dayMilliseconds - 1);
    await runRetention();
    expect(await textsOf(agentID)).toEqual(['second', 'first']);
    clock.advance(1);
    await runRetention();
    expect(await textsOf(agentID)).toEqual(['second']);
    clock.advance(1);
    await runRetention();
    expect(await textsOf(agentID)).toEqual([]);
  });

  it('counts from the dismissal, not from the creation', async () => {
    const { agentID, ids } = await start(['old']);
    clock.advance(100 * dayMilliseconds);
    await dismissAll(ids);
    clock.advance(30 * dayMilliseconds);
    await runRetention();
    expect(await textsOf(agentID)).toEqual(['old']);
  });

  it('never removes an open error of any age, nor one that was reopened', async () => {
    const { agentID, ids } = await start(['open', 'reopened', 'dismissed']);
    await dismissAll(ids.slice(1));
    clock.advance(29 * dayMilliseconds);
    await errors.reopen(ids[1] ?? '');
    clock.advance(1_000 * dayMilliseconds);
    await runRetention();
    expect(await textsOf(agentID)).toEqual(['reopened', 'open']);
  });

  it('removes more than one portion', async () => {
    // A cause for each, because one may have only a share of an agent's open errors.
    const texts = Array.from({ length: 1000 }, (_, index) => `no ${wordOf(index)}`);
    const [one, other] = [await start(texts), await start(texts)];
    await changeTables((database) => dismissAllErrors(database, clock.now()));
    clock.advance(31 * dayMilliseconds);
    await runRetention();
    await eventually(async () => expect(await textsOf(one.agentID)).toEqual([]));
    await eventually(async () => expect(await textsOf(other.agentID)).toEqual([]));
  });

  it('also runs when a project is deleted', async () => {
    const { agentID, ids } = await start(['due']);
    const doomed = await start(['x']);
    await dismissAll(ids);
    clock.advance(31 * dayMilliseconds);
    await test.request('DELETE', `/v1/projects/${doomed.project.id}`, { as: { access: test.admin } });
    await eventually(async () => expect(await textsOf(agentID)).toEqual([]));
  });

  it('answers 404 for the id of a removed error', async () => {
    const { ids } = await start(['due']);
    await dismissAll(ids);
    clock.advance(31 * dayMilliseconds);
    await runRetention();
    expect((await errors.reopen(ids[0] ?? '')).status).toBe(404);
  });

  it('removes errors that remain because the process ended while an agent was deleted', async () => {
    const { project, agentID } = await start(['left behind']);
    await changeTables(({ write }) =>
      write.updateTable('agents').set({ deleted_at: 1 }).where('id', '=', agentID).execute(),
    );
    await runRetention();
    expect((await errors.listOfProject(project.id)).body).toEqual([]);
  });

  it('looks at all deleted agents after a start, and later at those since a day before the last run', async () => {
    const [marker, early, late] = [await start(['marker']), await start(['early']), await start(['late'])];
    const deleteAt = (agentID: string, milliseconds: number) =>
      changeRows(dataDirectory, `update agents set deleted_at = ${milliseconds} where id = '${agentID}'`);
    const run = async () => {
      const { id } = await test.createProject();
      await test.request('DELETE', `/v1/projects/${id}`, { as: { access: test.admin } });
    };
    const textsIn = async ({ id }: TestProject) =>
      (await errors.listOfProject(id)).body.map(({ error }) => error);
    await deleteAt(marker.agentID, clock.now());
    await run();
    await eventually(async () => expect(await textsIn(marker.project)).toEqual([]));
    await deleteAt(early.agentID, clock.now() - dayMilliseconds - 1);
    await deleteAt(late.agentID, clock.now() - dayMilliseconds);
    await run();
    await eventually(async () => expect(await textsIn(late.project)).toEqual([]));
    expect(await textsIn(early.project)).toEqual(['early']);
    await runRetention();
    expect(await textsIn(early.project)).toEqual([]);
  });

  it('removes the configurations of agents whose project was deleted', async () => {
    const project = await test.createProject();
    const agent = await test.registerAgent(project, 'web-01');
    await test.request('DELETE', `/v1/projects/${project.id}`, { as: { access: test.admin } });
    await runRetention();
    const kept: string[] = [];
    await changeTables(async ({ write }) => {
      const rows = await write.selectFrom('agent_configs').select('agent_id').execute();
      kept.push(...rows.map((row) => row.agent_id));
    });
    expect(kept).not.toContain(agent.id);
  });
});

describe('RetentionService', () => {
  function startRetention(retentionDays: number) {
    const runs: string[] = [];
    const failures: unknown[] = [];
    let isBroken = false;
    const nothing = async () => undefined;
    const closing = new AbortController();
    const retention = new RetentionService({
      handleLeaks: async () => undefined,
      isMoveUnderWay: async () => false,
      forgetAgents: async () => undefined,
      agentErrors: {
        async purgeDeletedProjects() {
          runs.push('projects');
          if (isBroken) throw new Error('no database');
        },
        dismissSuperseded: nothing,
        async purgeDismissed(before) {
          runs.push(`before ${before}`);
        },
      },
      dismissals: {
        async purge(before) {
          runs.push(`dismissals before ${before}`);
        },
      },
      agents: {
        async purgeDeleted() {
          runs.push('configurations');
        },
      },
      errorGroups: { groupAll: nothing, removeEmpty: nothing },
      auditLog: { purge: async () => undefined },
      events: { purge: async () => undefined },
      rotations: { purge: async () => undefined },
      tokens: { purge: async () => undefined },
      purgeInvitations: async () => undefined,
      purgeSessions: async () => undefined,
      purgeAlerts: async () => undefined,
      purgeCoreInstances: async () => undefined,
      purgeFleets: async () => undefined,
      clock: () => 100 * dayMilliseconds,
      closing: closing.signal,
      retentionDays,
      dismissSupersededDays: 7,
      onFailure: (error) => failures.push(error),
    });
    return {
      retention,
      runs,
      failures,
      closing,
      break(broken: boolean) {
        isBroken = broken;
      },
    };
  }

  it('removes what is older than the days of retention', async () => {
    const { retention, runs } = startRetention(90);
    await retention.run();
    expect(runs).toEqual([
      'projects',
      'configurations',
      `before ${10 * dayMilliseconds}`,
      `dismissals before ${10 * dayMilliseconds}`,
    ]);
    await retention.close();
  });

  it('reports a failure and runs again the next time', async () => {
    const started = startRetention(90);
    started.break(true);
    await started.retention.run();
    expect(started.failures).toEqual([new Error('no database')]);
    expect(started.runs).toHaveLength(4);
    started.break(false);
    await started.retention.run();
    expect(started.runs).toHaveLength(8);
    expect(started.failures).toHaveLength(1);
    await started.retention.close();
  });

  it('begins no run once the service is closing', async () => {
    const { retention, runs, closing } = startRetention(90);
    closing.abort();
    await retention.run();
    expect(runs).toEqual([]);
    await retention.close();
  });
});
