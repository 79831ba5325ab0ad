import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runRequests } from './fault-requests.ts';
import { FaultBench } from './fault-round.ts';

let bench: FaultBench;
let moved: string;
beforeAll(async () => {
  bench = new FaultBench();
  await bench.prepare();
  moved = join(bench.folder, 'moved');
});
beforeEach(() => rmSync(moved, { recursive: true, force: true }));
afterAll(() => bench.remove());

/** Returns its status; undefined if a background write failed first and ended the service. */
async function report(url: string): Promise<number | undefined> {
  const { agentID, token } = bench.prepared;
  return statusOf(`${url}/v1/agents/${agentID}/errors`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-project-token': token },
    body: '{"error":"to files that nobody finds again"}',
  });
}

async function statusOf(url: string, init?: RequestInit): Promise<number | undefined> {
  try {
    return (await fetch(url, init)).status;
  } catch {
    return undefined;
  }
}

const refusals = [503, undefined];

describe('a data directory that goes away while the service runs', () => {
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
      expect(refusals).toContain(await report(url));
      expect(await service.ended).toEqual({ code: 1, signal: null });
      expect(service.output).toContain('the embedded database has failed');
      expect(service.output).toContain(
        `${join(bench.dataDirectory, file)} was removed, moved or replaced while Muster had it open, so further writes would be lost. Restore the data directory, and start Muster again.`,
      );
    },
  );

  it('is removed: the readiness check detects it', async () => {
    const service = bench.startCopy();
    const url = await service.ready();
    rmSync(bench.dataDirectory, { recursive: true });
    expect(refusals).toContain(await statusOf(`${url}/readyz`));
    expect(await service.ended).toEqual({ code: 1, signal: null });
  });

  it('is moved and put back: a restarted service has everything that was acknowledged', async () => {
    const service = bench.startCopy();
    const url = await service.ready();
    const requests = await runRequests(url, bench.prepared);
    renameSync(bench.dataDirectory, moved);
    expect(refusals).toContain(await report(url));
    expect(await service.ended).toEqual({ code: 1, signal: null });
    renameSync(moved, bench.dataDirectory);
    expect(await bench.inspect(requests)).toEqual({ broken: [], integrity: 'ok' });
  });
});
