import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@muster/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { LiveConnection } from './live-connection.ts';

const projectID = '0192f0a0-0000-7000-8000-000000000001';
let server: Server;
let streams: ServerResponse[];
let ended: number;
let log: string[];
let live: LiveConnection;
let now: number;

beforeEach(async () => {
  streams = [];
  ended = 0;
  now = 1_000;
  log = [];
  server = createServer((request, response) => {
    log.push(`asked after ${request.headers['last-event-id'] ?? 'now'}`);
    response.on('close', () => {
      ended += 1;
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1\nid: 7\n\n');
    streams.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // what `listen` with a host and a port gives
  live = new LiveConnection({
    client: createClient({ url: `http://127.0.0.1:${port}` }),
    projectID,
    now: () => now,
    onBegin: () => log.push('began'),
    onReturn: () => log.push('returned'),
    onEvent: ({ type }) => log.push(type),
    onRefusal: (error) => log.push(String(error)),
  });
});

afterEach(async () => {
  live.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('the live connection', () => {
  it('says that it begins now, so that what was read before is read again', async () => {
    live.start();
    await eventually(() => expect(live.state()).toBe('open'));
    expect(log).toEqual(['asked after now', 'began']);
  });

  it('knows until when it missed nothing', async () => {
    live.start();
    await eventually(() => expect(live.state()).toBe('open'));
    now = 61_000;
    server.close();
    streams[0]?.destroy();
    await eventually(() => expect(live.state()).toBe('cut'));
    now = 62_000;
    expect(live.currentAt()).toBe(61_000);
  });

  it('goes on after the last event when the stream breaks', async () => {
    live.start();
    await eventually(() => expect(live.state()).toBe('open'));
    streams[0]?.end('id: 8\nevent: agent.deleted\ndata: {"type":"agent.deleted"}\n\n');
    await eventually(() => expect(streams).toHaveLength(2));
    await eventually(() => expect(live.state()).toBe('open'));
    expect(log).toEqual(['asked after now', 'began', 'agent.deleted', 'asked after 8', 'returned']);
  });

  it('holds no connection while it is stopped, and begins anew after that', async () => {
    live.start();
    await eventually(() => expect(live.state()).toBe('open'));
    live.stop();
    await eventually(() => expect(ended).toBe(1));
    expect(live.state()).toBe('opening');
    live.start();
    await eventually(() => expect(live.state()).toBe('open'));
    expect(log).toEqual(['asked after now', 'began', 'asked after now', 'began']);
  });

  it('is opened once, however often it is started', async () => {
    live.start();
    live.start();
    await eventually(() => expect(live.state()).toBe('open'));
    expect(streams).toHaveLength(1);
  });
});
