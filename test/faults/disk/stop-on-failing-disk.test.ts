import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSlowClient, type SlowKind } from '../../robustness/slow-client.ts';
import { runRequests } from './fault-requests.ts';
import { FaultBench } from './fault-round.ts';

let bench: FaultBench;
beforeAll(async () => {
  bench = new FaultBench();
  await bench.prepare();
});
afterAll(() => bench.remove());

/** Idle connections, which a stop waits for one second. Requests in progress get longer: test/robustness. */
const slowKinds: readonly SlowKind[] = ['sends nothing', 'stops in the middle of its headers'];

describe('SIGTERM on a disk that fails every write, with slow clients connected', () => {
  it('ends the service with 0, and keeps everything that was acknowledged', async () => {
    const service = bench.startCopy(['sh', '-c', 'ulimit -f 360 && exec "$@"', 'sh']);
    const url = await service.ready();
    const requests = await runRequests(url, bench.prepared);
    expect(requests.lastStatus).toBe(503);
    const options = { port: Number(new URL(url).port), credential: '', paceMilliseconds: 100 };
    const clients = await Promise.all(slowKinds.map((kind) => openSlowClient(kind, options)));
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    await Promise.all(clients.map((client) => client.closed()));
    expect(await bench.inspect(requests)).toEqual({ broken: [], integrity: 'ok' });
  });
});
