import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';
import { send } from '../replicas/send.ts';
import { KeepAliveClient } from './keep-alive-client.ts';
import { faultsIn } from './listening-app.ts';
import { exchange } from './raw-connection.ts';
import { requestText } from './request-text.ts';

const admin = randomBytes(24).toString('hex');
const asAdmin = { authorization: `Bearer ${admin}` };

let dataDirectory: string;
beforeAll(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-drain-'));
});
afterAll(() => rmSync(dataDirectory, { recursive: true, force: true }));

describe('muster serve under load', () => {
  it('SIGTERM: answers all requests, exits with 0, and keeps acknowledged data', async () => {
    const service = await start();
    const { body: project } = await send<{ id: string; token: string }>(`${service.url}/v1/projects`, {
      headers: asAdmin,
      body: { name: 'drained' },
    });
    const load = Array.from({ length: 8 }, (_, client) => {
      const error = `client ${client}`;
      return new KeepAliveClient(portOf(service), () => report(project.token, error));
    });
    const running = load.map((client) => client.run());
    while (load.some(({ answered }) => answered < 20)) await pause(5);
    const ended = service.end();
    await Promise.all(running);
    expect(await ended).toEqual({ code: 0, signal: null });

    expect(load.map(({ unanswered }) => unanswered)).toEqual(load.map(() => 0));
    expect(load.flatMap(({ statuses }) => [...statuses])).toEqual(load.map(() => 201));
    const lines = service.stderr.text.trim().split('\n');
    expect(faultsIn(lines)).toEqual([]);
    expect(lines.at(-1)).toContain('"msg":"stopped"');

    const again = await start();
    const { body: errors } = await send<{ error: string; occurrences: number }[]>(
      `${again.url}/v1/projects/${project.id}/agent_errors`,
      { headers: asAdmin },
    );
    const kept = errors.map(({ error, occurrences }) => ({ error, occurrences }));
    expect(kept.sort(byText)).toEqual(
      load.map(({ answered }, client) => ({ error: `client ${client}`, occurrences: answered })),
    );
    await again.end();
  });

  it('SIGINT: exits with 0 soon, even with an idle open connection', async () => {
    const service = await start();
    const held = exchange(portOf(service), '');
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect(await service.end('SIGINT')).toEqual({ code: 0, signal: null });
    expect(await held).toBeUndefined();
  });
});

function start(): Promise<MusterProcess> {
  return startMuster({ env: { MUSTER_DATA_DIR: dataDirectory, MUSTER_ADMIN_TOKEN: admin } });
}

function portOf({ url }: MusterProcess): number {
  return Number(new URL(url).port);
}

function report(token: string, error: string): Buffer {
  return requestText({
    method: 'POST',
    target: '/v1/machines/drained/errors',
    headers: [`X-Project-Token: ${token}`, 'Content-Type: application/json'],
    body: JSON.stringify({ error }),
  });
}

function byText(one: { readonly error: string }, other: { readonly error: string }): number {
  return one.error < other.error ? -1 : 1;
}
