import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { MusterProcess } from '../../../server/src/testing/muster-process.ts';
import { send } from '../../replicas/send.ts';
import { untilKilled, whyNoAttachedStrace } from './attach-strace.ts';
import { FaultBench } from './fault-round.ts';
import { hangReads } from './hang-reads.ts';

const reason = await whyNoAttachedStrace();
if (reason !== undefined) process.stderr.write(`Skipped, reads that hang: ${reason}.\n`);

const benches: FaultBench[] = [];

async function createBench(): Promise<FaultBench> {
  const bench = new FaultBench();
  benches.push(bench);
  await bench.prepare();
  return bench;
}

let answering: FaultBench;
let stopping: FaultBench;
beforeAll(async () => {
  [answering, stopping] = await Promise.all([createBench(), createBench()]);
});
afterAll(() => {
  for (const bench of benches) bench.remove();
});

/** Also ended if the test fails. */
function start(bench: FaultBench, onTestFinished: TestContext['onTestFinished']): MusterProcess {
  const service = bench.startCopy();
  onTestFinished(async () => {
    if (!service.hasEnded) await service.end('SIGKILL');
  });
  return service;
}

/** The requests of this test, to one service. */
function requestsTo(url: string, { adminToken, projectID, agentID, token }: FaultBench['prepared']) {
  const once = { connection: 'close' };
  return {
    /** A new text makes the reader read pages again. */
    report: (error: string) =>
      send<{ id: string }>(`${url}/v1/agents/${agentID}/errors`, {
        headers: { ...once, 'x-project-token': token },
        body: { error },
      }),
    list: () =>
      send<{ error: string }[]>(`${url}/v1/projects/${projectID}/agent_errors`, {
        headers: { ...once, authorization: `Bearer ${adminToken}` },
      }),
    get: (path: string) => send(`${url}${path}`, { headers: once }),
  };
}

const unavailable = {
  type: '/errors/database_unavailable',
  title: 'Database unavailable',
  status: 503,
  detail: expect.any(String),
  error: expect.any(String),
  code: 'database_unavailable',
  requestID: expect.any(String),
};

describe.skipIf(reason !== undefined)(
  'a service whose disk does not answer reads',
  { concurrent: true },
  () => {
    it('returns 503, then immediately, until the disk answers', async ({ onTestFinished }) => {
      const service = start(answering, onTestFinished);
      const { report, list, get } = requestsTo(await service.ready(), answering.prepared);
      const { status, body: stored } = await report('before it hangs');
      expect(status).toBe(201);
      const answerAgain = await hangReads(service.pid, answering.dataDirectory);
      onTestFinished(answerAgain);

      // The check of readiness reads no file, so the service becomes unready only when it waits for these.
      const waiting = [list(), list()];
      expect(await get('/healthz')).toMatchObject({ status: 200 });
      for (const answer of await Promise.all(waiting)) {
        expect(answer).toMatchObject({ status: 503, body: unavailable });
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      // One after the other: if each waited for the limit of a read, the test would exceed its own limit.
      for (let count = 0; count < 30; count += 1) expect((await list()).status).toBe(503);
      expect((await get('/readyz')).status).toBe(503);
      expect(await get('/healthz')).toMatchObject({ status: 200 });
      // From memory.
      expect(await report('before it hangs')).toMatchObject({ status: 201, body: stored });
      await service.untilOutput('the disk with the data directory does not answer');

      await answerAgain();
      let after = await list();
      while (after.status === 503) after = await list();
      expect(after.body.map(({ error }) => error)).toEqual(['before it hangs']);
      // The writer may have waited for the disk, too, and may need a moment longer than the reader.
      let ready = await get('/readyz');
      while (ready.status === 503) ready = await get('/readyz');
      expect(ready).toMatchObject({ status: 200, body: { status: 'ready', database: 'sqlite' } });
      expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
    });

    it('ends on SIGTERM, and keeps everything that was acknowledged', async ({ onTestFinished }) => {
      const service = start(stopping, onTestFinished);
      const url = await service.ready();
      const { report, list } = requestsTo(url, stopping.prepared);
      expect(await report('before it hangs')).toMatchObject({ status: 201 });
      const answerAgain = await hangReads(service.pid, stopping.dataDirectory);
      onTestFinished(answerAgain);
      const waiting = list().catch(() => undefined);
      const ended = service.end('SIGTERM');
      await untilKilled(service.pid);
      // A process that waits for its disk ends only when the disk answers.
      await answerAgain();
      expect(await ended).toEqual({ code: null, signal: 'SIGKILL' });
      await waiting;

      const path = `/v1/projects/${stopping.prepared.projectID}/agent_errors`;
      const isKept = ({ body }: { readonly body: unknown }) =>
        JSON.stringify(body).includes('before it hangs');
      const promised = [{ what: 'the error', path, isKept }];
      const figures = { statuses: {}, slowestMilliseconds: 0, promised, readyStatus: 200, lastStatus: 201 };
      expect(await stopping.inspect(figures)).toEqual({ broken: [], integrity: 'ok' });
    });
  },
);
