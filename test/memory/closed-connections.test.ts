import { afterAll, beforeAll, expect, it } from 'vitest';
import { reconnect } from '../../bench/load/reconnecting-client.ts';
import { requestText } from '../robustness/request-text.ts';
import { MemoryBench } from './memory-bench.ts';

let bench: MemoryBench;
beforeAll(async () => {
  bench = await MemoryBench.start();
});
afterAll(() => bench.stop());

/** The short version; the case `connections` of `npm run bench` opens half a million. */
it('6,000 connections that were opened, used for a report and closed leave no memory in use', async () => {
  const { url, project } = bench;
  const request = requestText({
    method: 'POST',
    target: '/v1/machines/reconnecting/errors',
    headers: [`X-Project-Token: ${project.token}`, 'Content-Type: application/json'],
    body: '{"error":"stands"}',
  }).toString('latin1');
  const open = (reports: number) => reconnect({ url, request, connections: 32, until: { reports } });
  await open(2_000);
  const before = await bench.heapMegabytes();
  expect((await open(6_000)).reports).toBe(6_000);
  // 2.5 KB for each, which an unfinished iterator once kept, would be 15 MB.
  await bench.untilHeapIsBelow(before + 2.5);
});
