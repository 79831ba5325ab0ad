import { TransactionBuilder } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AlertReceiver } from '../../../testing/receivers/alert-receiver.ts';
import { readRows } from '../../../testing/rows/read-rows.ts';
import { AlertScene } from '../../../testing/stages/alert-scene.ts';
import type { TestApp, TestProject } from '../../../testing/start-test-app.ts';

const alerts = new AlertScene();
const { admin, count, look, report, rule, told } = alerts;
let app: TestApp;
let project: TestProject;
let receiver: AlertReceiver;

beforeEach(async () => {
  ({ app, project, receiver } = await alerts.open());
});
afterEach(() => alerts.close());

describe('a rule that is changed while it looks', () => {
  /** Looks, and lets this happen before what was found is written. */
  async function lookDuring(change: () => Promise<unknown>): Promise<void> {
    await count();
    const { execute } = TransactionBuilder.prototype;
    vi.spyOn(TransactionBuilder.prototype, 'execute').mockImplementationOnce(async function (
      this: TransactionBuilder<unknown>,
      work,
    ) {
      await change();
      return Reflect.apply(execute, this, [work]);
    });
    await app.app.runAlerts();
    vi.restoreAllMocks();
  }
  let path: string;

  beforeEach(async () => {
    path = `/v1/alert_rules/${(await rule({ kind: 'new_group' })).id}`;
    await report(await app.registerAgent(project, 'web-1'), 'disk full');
  });

  it('tells nothing once it is deleted', async () => {
    await lookDuring(async () =>
      expect(await app.request('DELETE', path, admin())).toMatchObject({ status: 204 }),
    );
    await look();
    expect(told()).toEqual([]);
    expect(await readRows(app.dataDirectory, 'select id from alerts where is_open = 1')).toEqual([]);
  });

  it('tells nothing once it is disabled', async () => {
    await lookDuring(() => app.request('PATCH', path, { ...admin(), body: { enabled: false } }));
    await look();
    expect(told()).toEqual([]);
  });

  it('loses nothing of what it has found', async () => {
    await lookDuring(() => app.request('PATCH', path, { ...admin(), body: { name: 'News' } }));
    await look();
    expect(receiver.received.map(({ body }) => body.data.alerts[0].ruleName)).toEqual(['News']);
  });
});
