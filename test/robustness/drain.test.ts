import { rmSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { expectProblem, expectUsable } from './expect-answer.ts';
import { KeepAliveClient } from './keep-alive-client.ts';
import { faultsIn, type ListeningApp, startListeningApp } from './listening-app.ts';
import { exchange, RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';

describe('a service that stops', () => {
  it('answers everything on open connections, and says that each of them ends', async () => {
    // Clients may send their next request as late as a loaded machine lets them.
    const app = await startListeningApp({ httpLimits: { drainIdleMilliseconds: 90_000 } });
    const load = Array.from(
      { length: 16 },
      (_, client) =>
        new KeepAliveClient(app.port, (count) => report(app, `client ${client}, report ${count % 7}`)),
    );
    const running = load.map((client) => client.run());
    await until(() => load.every(({ answered }) => answered > 20));
    app.test.app.stopAccepting();
    const closed = app.test.close();
    await Promise.all(running);
    await closed;
    // No request was lost, and each connection ended with an answer that said so.
    expect(load.map(({ unanswered }) => unanswered)).toEqual(load.map(() => 0));
    expect(load.map(({ saysThatItEnds }) => saysThatItEnds)).toEqual(load.map(() => true));
    expect(load.flatMap(({ statuses }) => [...statuses])).toEqual(load.map(() => 201));
    expect(faultsIn(app.test.logs)).toEqual([]);
  });

  it('GET /readyz: 503 shutting_down, while everything else is answered', async () => {
    const app = await startListeningApp();
    const connection = await RawConnection.open(app.port);
    await expectUsable(connection);
    app.test.app.stopAccepting();
    expectProblem(await exchange(app.port, requestText({ target: '/readyz' })), 'shutting_down');
    expect(await exchange(app.port, requestText({}))).toMatchObject({
      status: 200,
      headers: { connection: 'close' },
    });
    expect(await exchange(app.port, report(app, 'while it stops'))).toMatchObject({
      status: 201,
      headers: { connection: 'close' },
    });
    connection.send(requestText({ target: '/v1/nothing' }));
    const answer = await connection.nextAnswer();
    expectProblem(answer, 'route_not_found');
    expect(answer?.headers.connection).toBe('close');
    await connection.closed();
    await app.test.close();
  });

  it('accepts no new connections once it is closed', async () => {
    const app = await startListeningApp();
    await app.test.close();
    await expect(RawConnection.open(app.port)).rejects.toThrow('ECONNREFUSED');
  });

  it('waits for the rest of a request that has begun to arrive', async () => {
    const app = await startListeningApp();
    const connection = await RawConnection.open(app.port);
    const whole = report(app, 'in two parts');
    connection.send(whole.subarray(0, whole.length - 5));
    // A later request on another connection is read later.
    await exchange(app.port, requestText({}));
    app.test.app.stopAccepting();
    const closed = app.test.close();
    connection.send(whole.subarray(whole.length - 5));
    expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    await connection.closed();
    await closed;
  });

  it.each<[string, (app: ListeningApp) => Buffer]>([
    ['that was opened and never used', () => Buffer.alloc(0)],
    ['that is idle after a request', () => requestText({})],
    ['with half of a request line', () => Buffer.from('GET /hea')],
    ['with a body that never comes', (app) => report(app, 'never').subarray(0, -5)],
  ])('does not wait for a connection %s', async (_name, bytes) => {
    const app = await startListeningApp({
      httpLimits: { drainIdleMilliseconds: 100, drainMilliseconds: 300 },
    });
    const connection = await RawConnection.open(app.port);
    connection.send(bytes(app));
    await expectUsable(await RawConnection.open(app.port));
    app.test.app.stopAccepting();
    // It would wait for minutes or for ever, so that the test would exceed its time limit.
    await app.test.close();
    await connection.closed();
    expect(faultsIn(app.test.logs)).toEqual([]);
  });

  it('closes without an error, however long that takes', async () => {
    const app = await startListeningApp({ httpLimits: { drainIdleMilliseconds: 60_000 } });
    const connection = await RawConnection.open(app.port);
    await expectUsable(connection);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    app.test.app.stopAccepting();
    const closed = app.test.close();
    while (vi.getTimerCount() === 0) await nextTurn();
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await closed;
    await connection.closed();
    expect(faultsIn(app.test.logs)).toEqual([]);
  });

  it('keeps acknowledged reports', async () => {
    const app = await startListeningApp();
    const dataDirectory = app.test.dataDirectory;
    expect(await exchange(app.port, report(app, 'acknowledged'))).toMatchObject({ status: 201 });
    app.test.app.stopAccepting();
    await app.test.app.close();
    const again = await startListeningApp({ dataDirectory });
    const { body } = await again.test.request<{ error: string; occurrences: number }[]>(
      'GET',
      app.reportPath,
      {
        as: { project: await readingToken(again, app.project.id) },
      },
    );
    expect(body).toMatchObject([{ error: 'acknowledged', occurrences: 1 }]);
    await again.test.close();
    rmSync(dataDirectory, { recursive: true });
  });
});

function report(app: ListeningApp, error: string): Buffer {
  return requestText({
    method: 'POST',
    target: app.reportPath,
    headers: [`X-Project-Token: ${app.project.token}`, 'Content-Type: application/json'],
    body: JSON.stringify({ error }),
  });
}

/** The administrator's token changes at a restart. */
async function readingToken({ test }: ListeningApp, projectID: string): Promise<string> {
  return (await test.createToken(projectID, ['read:agent_error'])).token;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(5);
}
