import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listAgents } from '@muster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type RunningCoreInstance,
  startCoreInstance,
} from '../../../core-instance/src/start-core-instance.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { Line } from '../../core-instance/line.ts';
import { type Dashboard, startDashboard } from './start-dashboard.ts';

const hour = 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'muster-site-outage-'));

let dashboard: Dashboard;
let line: Line;
let site: RunningCoreInstance;

beforeAll(async () => {
  dashboard = await startDashboard();
  const { app, address } = dashboard;
  line = await Line.to(Number(new URL(address).port));
  const { token } = await app.test.createToken(app.project.id, ['create:core_instance']);
  const ignore = () => undefined;
  site = await startCoreInstance({
    url: new URL(line.url),
    stateDirectory: folder,
    host: '127.0.0.1',
    port: 0,
    name: 'plant-7',
    version: '0.1.0',
    readProjectToken: async () => token,
    env: {},
    log: { info: ignore, warn: ignore, error: ignore },
    clock: app.test.clock.now,
    monotonic: app.test.clock.now,
    // It tries again soon, and not all the time.
    random: () => 0.02,
    forwarding: { flushMilliseconds: 20 },
  });
  await eventually(async () => expect((await fetch(`${siteAddress()}/readyz`)).status).toBe(200));
});
afterAll(async () => {
  await site.stop();
  line.close();
  await dashboard.close();
  rmSync(folder, { recursive: true });
});

const siteAddress = () => `http://127.0.0.1:${site.port}`;

async function report(error: string): Promise<number> {
  const { status } = await fetch(`${siteAddress()}/v1/machines/p7-press-04/errors`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Project-Token': dashboard.app.project.token },
    body: JSON.stringify({ error }),
  });
  return status;
}

describe('an outage of six hours between a site and Muster', () => {
  it('leaves every error on the screen, with the time at which it happened', async () => {
    const { app, admin } = dashboard;
    const { clock } = app.test;
    line.mode = 'cut';
    const expected: string[][] = [];
    for (let past = 0; past < 6; past += 1) {
      const text = `sensor ${'abcdef'[past]} does not answer`;
      expect(await report(text)).toBe(201);
      expected.unshift([text, new Date(clock.now()).toISOString()]);
      clock.advance(hour);
    }
    line.mode = 'pass';
    const projectID = app.project.id;
    let agentID = '';
    await eventually(async () => {
      const { items } = await listAgents(admin, { projectID, name: 'p7-press-04' }).first();
      const [agent] = items;
      expect(agent?.openErrorsCount).toBe(6);
      agentID = agent?.id ?? '';
    });

    const page = await dashboard.open(`/projects/${projectID}/agents/${agentID}`);
    const shown = await Promise.all(
      expected.map(async ([text = '']) => {
        // What is wrong comes before what happened.
        const row = page
          .locator('li', { hasText: text })
          .filter({ has: page.locator('time') })
          .first();
        await row.waitFor();
        const time = row.locator('time').first();
        return [text, await time.getAttribute('datetime'), await time.innerText()];
      }),
    );
    expect(shown).toEqual(expected.map(([text, at = '']) => [text, at, at.slice(11, 19)]));
    expect(dashboard.faults).toEqual([]);
  });
});
