import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { AgentClient } from '../demo/src/agent-client.ts';
import { releases } from '../demo/src/configurations.ts';
import { Fleet } from '../demo/src/fleet.ts';
import { Statistics } from '../demo/src/statistics.ts';
import { startTestApp } from '../server/src/testing/start-test-app.ts';

describe('a service that does not answer a request', () => {
  it.each([
    ['a registration', 'POST', '/v1/agents'],
    ['what an agent runs', 'PATCH', undefined],
    ['a report', 'POST', undefined],
  ])('makes the demo slower, and does not end it: %s', async (_, method, path) => {
    const { app: service, createProject, close } = await startTestApp();
    const { token } = await createProject();
    let hung = 0;
    const server = createServer((request, response) => {
      const isIt = request.method === method && (path ?? request.url) === request.url && hung === 0;
      if (isIt && (path !== undefined || /errors$|agents\/[^/]+$/.test(request.url ?? ''))) hung += 1;
      else service.http.server.emit('request', request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await service.http.ready();
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const waits: number[] = [];
    const client = new AgentClient(new URL(`http://127.0.0.1:${port}`), {
      answerTimeoutMilliseconds: 100,
      wait: async (milliseconds) => waits.push(milliseconds),
    });
    const statistics = new Statistics();
    const fleet = new Fleet(12, {
      client,
      access: { projectToken: token, projectID: '' },
      statistics,
      signal: new AbortController().signal,
    });
    try {
      await fleet.register(undefined, () => undefined);
      await fleet.rollOut(releases.broken, fleet.withRole('rollout'), () => undefined);
      await fleet.live(AbortSignal.abort(), () => undefined);
      expect(hung).toBe(1);
      expect(fleet.registered).toHaveLength(12);
      const faults = fleet.registered.filter(({ fault, isRunning }) => isRunning && fault !== undefined);
      expect(statistics.stored + statistics.ignored).toBe(faults.length);
      expect(waits.length).toBeGreaterThanOrEqual(1);
      expect(waits[0]).toBeGreaterThanOrEqual(125);
      expect(waits[0]).toBeLessThanOrEqual(250);
    } finally {
      server.closeAllConnections();
      server.close();
      await close();
    }
  });
});
