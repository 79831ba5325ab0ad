import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { MusterProcess } from '../../../server/src/testing/muster-process.ts';
import { send } from '../../replicas/send.ts';
import { whyNoAttachedStrace } from './attach-strace.ts';
import { failSyncs } from './fail-syncs.ts';
import { type Promised, type RequestFigures, runRequests } from './fault-requests.ts';
import { FaultBench, type FaultRound } from './fault-round.ts';
import { failCalls, type Injection } from './inject.ts';
import { judgeRound } from './judge-round.ts';

const reason = await whyNoAttachedStrace();
if (reason !== undefined) process.stderr.write(`Skipped, syncs that fail: ${reason}.\n`);

let bench: FaultBench;
beforeAll(async () => {
  bench = new FaultBench();
  await bench.prepare();
});
afterAll(() => bench.remove());

/** Also ended if the test fails. */
function start(onTestFinished: TestContext['onTestFinished']): MusterProcess {
  const service = bench.startCopy();
  onTestFinished(async () => {
    if (!service.hasEnded) await service.end('SIGKILL');
  });
  return service;
}

async function report(url: string, error: string): Promise<number> {
  const { agentID, token } = bench.prepared;
  const headers = { connection: 'close', 'x-project-token': token };
  const { status } = await send(`${url}/v1/agents/${agentID}/errors`, { headers, body: { error } });
  return status;
}

/** Stops the service and checks, without faults, what it has acknowledged: everything before the fault, too. */
async function endRound(service: MusterProcess, requests: RequestFigures): Promise<FaultRound> {
  const end = await service.end('SIGTERM');
  const before: Promised = {
    what: 'the error before the fault',
    path: `/v1/projects/${bench.prepared.projectID}/agent_errors?last=1000`,
    isKept: ({ body }) => JSON.stringify(body).includes('"before the fault"'),
  };
  const after = await bench.inspect({ ...requests, promised: [...requests.promised, before] });
  return { requests, ...after, end, stopMilliseconds: 0, output: service.output };
}

/** The short version; in `npm run faults:sqlite` every call fails in turn. */
describe.skipIf(reason !== undefined)('a service on a disk that fails', () => {
  it('every sync while an error is reported: refuses the report, says why, and keeps everything that it acknowledges before and after', async ({
    onTestFinished,
  }) => {
    const service = start(onTestFinished);
    const url = await service.ready();
    expect(await report(url, 'before the fault')).toBe(201);
    const endFault = await failSyncs(service.pid, bench.dataDirectory);
    onTestFinished(endFault);
    expect(await report(url, 'during the fault')).toBe(503);
    await endFault();

    const requests = await runRequests(url, bench.prepared);
    expect(requests.statuses).toEqual({ 200: 2, 201: expect.any(Number), 204: 1 });
    expect(judgeRound(await endRound(service, requests), { isOver: true })).toEqual([]);
    expect(service.output).toMatch(/Check whether the disk|Free some space/);
  });

  it('every sync from some time on: acknowledges nothing more, and says what is wrong', async ({
    onTestFinished,
  }) => {
    const service = start(onTestFinished);
    const url = await service.ready();
    expect(await report(url, 'before the fault')).toBe(201);
    onTestFinished(await failSyncs(service.pid, bench.dataDirectory));

    const requests = await runRequests(url, bench.prepared);
    expect(requests.statuses).toEqual({ 503: expect.any(Number) });
    expect(judgeRound(await endRound(service, requests), { isOver: false })).toEqual([]);
    expect(service.output).toMatch(/Check whether the disk|Free some space/);
  });

  it('the first sync: does not start, and says why', async () => {
    const injection: Injection = { calls: ['fsync', 'fdatasync'], error: 'EIO', when: '1' };
    const round = await bench.run(failCalls(join(bench.folder, 'trace'), bench.dataDirectory, injection));
    expect(round).toMatchObject({
      requests: undefined,
      broken: [],
      integrity: 'ok',
      end: { code: 1, signal: null },
    });
    expect(round.output).toBe(
      `muster: ${join(bench.dataDirectory, 'muster.db')} cannot be opened: EIO: i/o error, fsync. The system does not let Muster read or write its files; the system's log says why. Check whether the disk with the data directory is full or failing, and check limits on the size of files.\n`,
    );
  });
});
