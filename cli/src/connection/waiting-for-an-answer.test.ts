import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { formatToken } from '@muster/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OwnedIntervals } from '../testing/owned-intervals.ts';
import { runIn } from '../testing/start-cli-test.ts';

let server: Server;
let url = '';
let intervals: OwnedIntervals;

/** A service that takes two seconds of the test's time for each answer. */
beforeEach(async () => {
  intervals = new OwnedIntervals();
  server = createServer((_request, response) => {
    intervals.pass(2_000);
    response.setHeader('content-type', 'application/json').end('[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const list = (columns?: number) =>
  runIn(tmpdir(), ['project', 'list', '--json'], {
    env: { MUSTER_URL: url, MUSTER_TOKEN: formatToken('access', new Uint8Array(32)) },
    every: intervals.every,
    ...(columns === undefined ? {} : { columns }),
  });

it('shows on a terminal how long an answer is awaited, apart from the data', async () => {
  const { stdout, stderr } = await list(80);
  const host = new URL(url).host;
  expect([stdout, stderr]).toEqual([
    '[]\n',
    `\rWaiting for ${host}: 1 s …\x1b[K\rWaiting for ${host}: 2 s …\x1b[K\r\x1b[K`,
  ]);
});

it('shows nothing elsewhere', async () => {
  expect(await list()).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' });
});
