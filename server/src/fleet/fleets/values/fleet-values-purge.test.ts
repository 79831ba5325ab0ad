import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readRows } from '../../../testing/rows/read-rows.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';
import { dropTestDatabase } from '../../../testing/test-database.ts';

const dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ dataDirectory });
});
afterAll(async () => {
  await app.close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

function call<Body>(method: string, path: string, body?: object) {
  return app.request<Body>(method, path, { as: { access: app.admin }, ...(body && { body }) });
}

async function restart(): Promise<void> {
  const { clock } = app;
  await app.close();
  app = await startTestApp({ dataDirectory, clock });
  await app.app.cleanedUp;
}

it('removes secrets that were replaced, and all values of a deleted fleet, when errors of that time are removed', async () => {
  const project = await app.createProject();
  const { body: fleet } = await call<{ id: string }>('POST', `/v1/projects/${project.id}/fleets`, {
    name: 'edge',
  });
  const url = `/v1/fleets/${fleet.id}`;
  const set = (kind: 'variables' | 'secrets', value: string) =>
    call('PATCH', `${url}/${kind}`, { set: [{ name: 'key', value }] });
  const rows = async () => {
    const values = await readRows(dataDirectory, 'select id from fleet_variables');
    return [values.length, (await readRows(dataDirectory, 'select id from fleet_secrets')).length];
  };
  const days = 86_400_000;
  await set('variables', 'eu');
  await set('secrets', 'first secret');
  await set('secrets', 'second secret');
  await restart();
  expect(await rows()).toEqual([1, 2]);
  app.clock.advance(400 * days);
  await restart();
  expect(await rows()).toEqual([1, 1]);
  await call('DELETE', url);
  await restart();
  // Agents of the fleet go on with what they have, and still report it.
  expect(await rows()).toEqual([0, 1]);
  app.clock.advance(400 * days);
  await restart();
  expect(await rows()).toEqual([0, 0]);
});
