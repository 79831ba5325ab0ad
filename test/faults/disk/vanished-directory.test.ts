import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runRequests } from './fault-requests.ts';
import { FaultBench } from './fault-round.ts';

/** Two or more processes each. */
const slow = { timeout: 120_000 };

let bench: FaultBench;
let moved: string;
beforeAll(async () => {
  bench = new FaultBench();
  await bench.prepare();
  moved = join(bench.folder, 'moved');
}, slow.timeout);
beforeEach(() => rmSync(moved, { recursive: true, force: true }));
afterAll(() => bench.remove());

function report(url: string): Promise<Response> {
  const { agentID, token } = bench.prepared;
  return fetch(`${url}/v1/agents/${agentID}/errors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-project-token': token },
    body: '{"error":"to files that nobody finds again"}',
  });
}

describe('a data directory that goes away while the service runs', slow, () => {
  const ways: readonly [string, string, () => void][] = [
    [
      'is replaced by a copy of itself',
      'muster.db',
      () => {
        renameSync(bench.dataDirectory, moved);
        cpSync(moved, bench.dataDirectory, { recursive: true });
      },
    ],
    ['loses its log', 'muster.db-wal', () => rmSync(join(bench.dataDirectory, 'muster.db-wal'))],
  ];

  it.each(ways)(
    '%s: nothing more is acknowledged, and the service ends and says why',
    async (_, file, goAway) => {
      const service = bench.startCopy();
      const url = await service.ready();
      goAway();
      const answer = await report(url);
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ code: 'database_unavailable' });
      expect(await service.ended).toEqual({ code: 1, signal: null });
      expect(service.output).toContain('the embedded database has failed');
      expect(service.output).toContain(
        `${join(bench.dataDirectory, file)} was removed, moved or replaced while Muster had it open: what is written now would be lost. Put the data directory back, and start Muster again.`,
      );
    },
  );

  it('is removed: a look at its readiness finds it out', async () => {
    const service = bench.startCopy();
    const url = await service.ready();
    rmSync(bench.dataDirectory, { recursive: true });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect(await service.ended).toEqual({ code: 1, signal: null });
  });

  it('is moved and put back: a service that is started again has all that was acknowledged', async () => {
    const service = bench.startCopy();
    const url = await service.ready();
    const requests = await runRequests(url, bench.prepared);
    renameSync(bench.dataDirectory, moved);
    expect((await report(url)).status).toBe(503);
    expect(await service.ended).toEqual({ code: 1, signal: null });
    renameSync(moved, bench.dataDirectory);
    expect(await bench.inspect(requests)).toEqual({ broken: [], integrity: 'ok' });
  });
});
