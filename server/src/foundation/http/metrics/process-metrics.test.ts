import { closeSync, openSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';
import { countOpenFiles } from './process-metrics.ts';

let test: TestApp;
let port: number;
const clients: Socket[] = [];

beforeAll(async () => {
  test = await startTestApp();
  const address = await test.app.http.listen({ host: '127.0.0.1', port: 0 });
  port = Number(new URL(address).port);
});

afterEach(async () => {
  vi.restoreAllMocks();
  for (const client of clients.splice(0)) client.destroy();
  await waitForConnections(0);
});

afterAll(() => test.close());

async function openConnections(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const client = connect(port, '127.0.0.1');
    clients.push(client);
    await new Promise((resolve, reject) => client.once('connect', resolve).once('error', reject));
  }
  await waitForConnections(clients.length);
}

/** A scrape through the whole stack, without a connection. */
async function readMetric(name: string): Promise<number | undefined> {
  const { text } = await test.request('GET', '/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

async function waitForConnections(count: number): Promise<void> {
  await eventually(async () => expect(await readMetric('muster_http_connections')).toBe(count));
}

describe('GET /metrics', () => {
  it('counts open connections, and no closed ones', async () => {
    await openConnections(30);
    for (const client of clients.splice(0, 20)) client.destroy();
    await waitForConnections(10);
  });

  it('never iterates over the connections, so that thousands of them cost no time', async () => {
    // Not in the types, but it exists, and the library would call it.
    const process = globalThis.process as NodeJS.Process & Record<string, () => unknown[]>;
    const walks = ['_getActiveHandles', '_getActiveRequests', 'getActiveResourcesInfo'].map((name) => {
      expect(process[name]).toBeTypeOf('function');
      return vi.spyOn(process, name);
    });
    await openConnections(3);
    const { text } = await test.request('GET', '/metrics');
    expect(walks.map((walk) => walk.mock.calls)).toEqual([[], [], []]);
    expect(text).not.toContain('muster_nodejs_active_');
    expect(text).toContain('muster_nodejs_eventloop_lag_seconds ');
  });

  describe.runIf(process.platform === 'linux')('on Linux', () => {
    // Retried, because the database may open or close a connection meanwhile.
    it('counts open file descriptors', async () => {
      await eventually(async () => {
        const before = (await readMetric('muster_process_open_fds')) ?? 0;
        const opened = Array.from({ length: 50 }, () => openSync('/dev/null', 'r'));
        const during = await readMetric('muster_process_open_fds');
        for (const one of opened) closeSync(one);
        expect(during).toBe(before + 50);
        expect(await readMetric('muster_process_max_fds')).toBeGreaterThan(before);
      });
    });

    it('also counts them on kernels that do not report their number', async () => {
      await eventually(async () => {
        // The directory handle is itself an open descriptor.
        const listed = readdirSync('/proc/self/fd').length - 1;
        expect([await countOpenFiles(), await countOpenFiles(() => 0)]).toEqual([listed, listed]);
      });
    });
  });
});
