import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { bytesTaken } from '@muster/http/connections/bytes-taken';
import { defaultHttpLimits } from '@muster/http/connections/http-limits';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { expectAlive, expectProblem, expectUsable } from './expect-answer.ts';
import { faultsIn, type ListeningApp, startListeningApp } from './listening-app.ts';
import { exchange, RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';
import { manyAnswers, openSlowClient, type SlowKind, slowKinds } from './slow-client.ts';

/** Far longer than a loaded machine takes for a request. */
const limits = { slowClientMilliseconds: 3_000, checkMilliseconds: 50 };

let app: ListeningApp;
afterEach(() => {
  vi.useRealTimers();
});
beforeAll(async () => {
  app = await startListeningApp({ httpLimits: limits });
});
afterAll(async () => {
  expect(faultsIn(app.test.logs)).toEqual([]);
  await app.test.close();
});

describe('a client that', () => {
  it.concurrent.each<SlowKind>([
    'sends nothing',
    'stops in the middle of its headers',
    'sends its headers byte by byte',
    'stops in the middle of its body',
    'sends its body byte by byte',
    'sends its chunks byte by byte',
  ])('%s: 408 request_timeout, and its connection ends', async (kind) => {
    const connection = await open(kind);
    expectProblem(await connection.nextAnswer(), 'request_timeout');
    await connection.closed();
    await expectAlive(app.port);
  });

  it.concurrent('sends byte by byte a body that was refused: its connection ends without a second answer', async () => {
    const connection = await open('sends byte by byte a body that was refused');
    expectProblem(await connection.nextAnswer(), 'missing_credential');
    expect(await connection.nextAnswer()).toBeUndefined();
    await expectAlive(app.port);
  });

  it.concurrent('stops in the middle of its second request: 408 request_timeout after its first answer', async () => {
    const connection = await open('stops in the middle of its second request');
    expect(await connection.nextAnswer()).toMatchObject({ status: 200 });
    expectProblem(await connection.nextAnswer(), 'request_timeout');
    await connection.closed();
  });

  it.concurrent('never reads its answers: its connection ends', async () => {
    const own = await startListeningApp({ httpLimits: limits });
    const connection = await open('never reads its answers', own);
    await untilAllConnectionsEnd(own);
    connection.destroy();
    await expectAlive(own.port);
    await own.test.close();
  });

  it.concurrent('waits between two requests: is not slow', async () => {
    const connection = await RawConnection.open(app.port);
    await expectUsable(connection);
    // As long as it takes until a client that began later is slow.
    const slow = await open('sends nothing');
    await slow.closed();
    await expectUsable(connection);
    connection.destroy();
  });

  it('reads its answers slowly but steadily: stays connected until it stops reading', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const { slowClientMilliseconds, checkMilliseconds } = defaultHttpLimits;
    const patient = await startListeningApp();
    const { server } = patient.test.app.http;
    const accepted = once(server, 'connection') as Promise<[Socket]>; // as Node documents the event
    const connection = await RawConnection.open(patient.port);
    const [sending] = await accepted;
    // Each answer that the system has taken brings the next request, so that there is always one to take.
    server.on('request', (_request, response) => {
      response.once('finish', () => connection.send(manyAnswers(1)));
    });
    connection.stopReading();
    connection.send(manyAnswers());
    for (let turn = 0; turn < 5; turn += 1) {
      const takenBefore = bytesTaken(sending);
      connection.readAgain();
      while (bytesTaken(sending) - takenBefore < 100_000) {
        expect(await connection.nextAnswer()).toMatchObject({ status: 200 });
      }
      connection.stopReading();
      while (sending.writableLength === 0) await nextTurn();
      vi.advanceTimersByTime(slowClientMilliseconds * 0.9);
      expect(sending.destroyed).toBe(false);
    }
    vi.advanceTimersByTime(slowClientMilliseconds + checkMilliseconds);
    expect(sending.destroyed).toBe(true);
    connection.destroy();
    await patient.test.close();
  });
});

describe('many slow clients at once', () => {
  it('do not delay others', async () => {
    // A service that waits for them would exceed the time limit of the test.
    const patient = await startListeningApp({ httpLimits: { slowClientMilliseconds: 600_000 } });
    const slow = await openMany(patient);
    await report(patient, 20);
    expect(slow.filter(({ isClosed }) => isClosed)).toEqual([]);
    for (const connection of slow) connection.destroy();
    await patient.test.close();
  });

  it('lose their connections, all of them', async () => {
    const slow = await openMany(app);
    await untilAllConnectionsEnd(app);
    for (const connection of slow) connection.destroy();
    await expectAlive(app.port);
  });
});

function open(kind: SlowKind, to = app): Promise<RawConnection> {
  return openSlowClient(kind, {
    port: to.port,
    credential: `X-Project-Token: ${to.project.token}`,
    paceMilliseconds: 20,
  });
}

function openMany(to: ListeningApp): Promise<RawConnection[]> {
  return Promise.all(slowKinds.flatMap((kind) => Array.from({ length: 30 }, () => open(kind, to))));
}

/** One after the other, each on a new connection. */
async function report({ port, reportPath, project }: ListeningApp, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    const answer = await exchange(
      port,
      requestText({
        method: 'POST',
        target: reportPath,
        headers: [`X-Project-Token: ${project.token}`, 'Content-Type: application/json'],
        body: '{"error":"in time"}',
      }),
    );
    expect(answer).toMatchObject({ status: 201 });
  }
}

/** As the service itself counts them: a client that does not read does not notice the end either. */
async function untilAllConnectionsEnd({ test }: ListeningApp): Promise<void> {
  for (;;) {
    const open = await new Promise<number>((resolve, reject) =>
      test.app.http.server.getConnections((error, found) => (error ? reject(error) : resolve(found))),
    );
    if (open === 0) return;
    await pause(20);
  }
}
