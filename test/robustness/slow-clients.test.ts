import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAlive, expectProblem, expectUsable } from './expect-answer.ts';
import { faultsIn, type ListeningApp, startListeningApp } from './listening-app.ts';
import { exchange, RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';
import { manyAnswers, openSlowClient, type SlowKind, slowKinds } from './slow-client.ts';

const limits = { slowClientMilliseconds: 500, checkMilliseconds: 50 };

let app: ListeningApp;
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

  it('never reads its answers: its connection ends', async () => {
    const connection = await open('never reads its answers');
    await untilOpenConnectionsAre(0);
    connection.destroy();
    await expectAlive(app.port);
  });

  it('reads its answers slowly and steadily: gets all of them', async () => {
    const connection = await RawConnection.open(app.port);
    connection.stopReading();
    connection.send(manyAnswers());
    let answers = 0;
    for (let turn = 0; answers < 30; turn += 1) {
      connection.readAgain();
      expect(await connection.nextAnswer()).toMatchObject({ status: 200 });
      answers += 1;
      // Until long after a client that reads nothing would have been cut off.
      if (turn < 15) {
        connection.stopReading();
        await pause(limits.slowClientMilliseconds / 10);
      }
    }
    connection.destroy();
  });

  it.concurrent('waits between two requests: is not slow', async () => {
    const connection = await RawConnection.open(app.port);
    await expectUsable(connection);
    await pause(limits.slowClientMilliseconds * 2);
    await expectUsable(connection);
    connection.destroy();
  });
});

describe('many slow clients at once', () => {
  it('do not hold up others, and all of their connections end', async () => {
    const quiet = await medianMilliseconds();
    const slow = await Promise.all(slowKinds.flatMap((kind) => Array.from({ length: 30 }, () => open(kind))));
    const busy = await medianMilliseconds();
    // Both measured here and now; a service that waits for slow clients takes their whole time limit.
    expect(busy).toBeLessThan(Math.max(quiet * 10, limits.slowClientMilliseconds / 4));
    await untilOpenConnectionsAre(0);
    for (const connection of slow) connection.destroy();
    await expectAlive(app.port);
  });
});

function open(kind: SlowKind): Promise<RawConnection> {
  return openSlowClient(kind, {
    port: app.port,
    credential: `X-Project-Token: ${app.project.token}`,
    paceMilliseconds: 20,
  });
}

/** Of reports and of reads. */
async function medianMilliseconds(): Promise<number> {
  const durations: number[] = [];
  for (let round = 0; round < 20; round += 1) {
    const started = performance.now();
    const answer = await exchange(
      app.port,
      requestText({
        method: 'POST',
        target: app.reportPath,
        headers: [`X-Project-Token: ${app.project.token}`, 'Content-Type: application/json'],
        body: '{"error":"in time"}',
      }),
    );
    expect(answer).toMatchObject({ status: 201 });
    durations.push(performance.now() - started);
  }
  return durations.sort((one, other) => one - other)[durations.length / 2] ?? 0;
}

/** As the service itself counts them: who reads nothing does not see the end either. */
async function untilOpenConnectionsAre(count: number): Promise<void> {
  for (;;) {
    const open = await new Promise<number>((resolve, reject) =>
      app.test.app.http.server.getConnections((error, found) => (error ? reject(error) : resolve(found))),
    );
    if (open === count) return;
    await pause(20);
  }
}
