import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectTables } from '../../server/src/foundation/database/copy/project-tables.ts';
import { callAgentErrors } from '../../server/src/testing/calls/agent-error-calls.ts';
import { callErrorGroups } from '../../server/src/testing/calls/error-group-calls.ts';
import { siteStatus } from '../../server/src/testing/calls/site-calls.ts';
import type { TestApp } from '../../server/src/testing/start-test-app.ts';
import { createTestClock } from '../../server/src/testing/test-clock.ts';
import { fillEveryTable } from '../backup/fill-every-table.ts';
import { type Installation, startInstallation } from './move-places.ts';

interface Page {
  readonly rows: readonly unknown[];
  /** Null: there are no more rows. */
  readonly last: unknown;
}

const minute = 60_000;

describe.each(['sqlite', 'postgres'] as const)('a project on %s that moves', (engine) => {
  let place: Installation;
  let app: TestApp;
  let projectID: string;

  beforeAll(async () => {
    place = await startInstallation(engine, { clock: createTestClock(), name: 'a' });
    app = place.app;
    ({ projectID } = await fillEveryTable(app, app.admin));
    // So that the service has listened for long enough to miss a site.
    app.clock.advance(10 * minute);
    await fillWithWork();
  });

  afterAll(() => place.close());

  /** What is done in the background by itself once time has passed: a site falls silent, and a mute ends. */
  async function fillWithWork(): Promise<void> {
    const as = { access: app.admin };
    const { id: tokenID, token } = await app.createToken(projectID, ['*:*']);
    const project = { id: projectID, token };
    const site = await app.createCoreInstance(project, { name: 'plant-8' });
    const [first, second] = [await app.registerAgent(project), await app.registerAgent(project)];
    const beat = {
      kind: 'heartbeat',
      at: app.clock.now(),
      by: { tokenID },
      agentID: first.id,
      heartbeat: { heartbeatSeconds: 30 },
    };
    const batch = await app.request('POST', '/v1/core_instances/self/batches', {
      as: { core_instance: site.token },
      body: { protocol: 1, sequence: 1, status: siteStatus(app.clock.now()), items: [beat] },
    });
    expect(batch.status, batch.text).toBe(200);
    const errors = callAgentErrors(app);
    const groups = callErrorGroups(app);
    await errors.report(project, first.id, 'a fault that is muted');
    const { body } = await groups.list(projectID, '?q=muted');
    const until = new Date(app.clock.now() + 1_000 * minute).toISOString();
    const muted = await groups.mute(body[0]?.id ?? '', { until, reason: 'known', moreAgents: 1 });
    expect(muted.body).toMatchObject({ muteEndsAtAgentsCount: 2 });
    await errors.report(project, second.id, 'a fault that is muted');
    await app.request('GET', `/v1/projects/${projectID}/summary`, { as });
    expect((await groups.get(body[0]?.id ?? '')).body).toMatchObject({ mutedUntil: until });
  }

  /** Everything that the service does by itself every few seconds. */
  async function work(): Promise<void> {
    const other = await app.createProject('another');
    await app.request('GET', `/v1/projects/${other.id}/summary`, { as: { access: app.admin } });
    await app.app.runAlerts();
    await app.app.endMutes();
    await app.app.runRollouts();
  }

  async function readRows(): Promise<Map<string, unknown>> {
    const tables = new Map<string, unknown>();
    for (const { name: table } of projectTables) {
      const rows: unknown[] = [];
      for (let after: unknown = null; after !== undefined; ) {
        const url = `/v1/projects/${projectID}/departure/rows`;
        const body = { table, after };
        const answer = await app.request<Page>('POST', url, { as: { access: app.admin }, body });
        expect(answer.status, answer.text).toBe(200);
        rows.push(...answer.body.rows);
        after = answer.body.last ?? undefined;
      }
      tables.set(table, rows);
    }
    return tables;
  }

  it('is changed by nothing that is done in the background', async () => {
    const runID = randomUUID();
    for (const step of ['freeze', 'leave']) {
      const { status, text } = await app.request('POST', `/v1/projects/${projectID}/departure`, {
        as: { access: app.admin },
        body: { step, runID, targetURL: 'https://b.example.com' },
      });
      expect(status, text).toBe(200);
    }
    const before = await readRows();
    for (let round = 0; round < 3; round += 1) {
      app.clock.advance(10 * minute);
      await work();
    }
    const after = await readRows();
    for (const [table, rows] of before) expect(after.get(table), table).toEqual(rows);
  });
});
