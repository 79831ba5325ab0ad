import { afterEach, describe, expect, it } from 'vitest';
import { expectAlive, expectProblem } from './expect-answer.ts';
import { faultsIn, type ListeningApp, startListeningApp } from './listening-app.ts';
import { RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';

let app: ListeningApp;
afterEach(async () => {
  expect(faultsIn(app.test.logs)).toEqual([]);
  await app.test.close();
});

/** Once its credential is remembered and its error is open, a report is answered by the shortcut before the framework. */
async function start(options: Parameters<typeof startListeningApp>[0] = {}): Promise<RawConnection> {
  app = await startListeningApp(options);
  const connection = await RawConnection.open(app.port);
  connection.send(report('stands'));
  expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
  return connection;
}

const refused = () => report('');
const repeated = () => report('stands');
const garbage = Buffer.from('GARBAGE\r\n\r\n');

function report(error: string): Buffer {
  return requestText({
    method: 'POST',
    target: app.reportPath,
    headers: [`X-Project-Token: ${app.project.token}`, 'Content-Type: application/json'],
    body: JSON.stringify({ error }),
  });
}

describe('requests that are sent without waiting for answers', () => {
  it.each([
    ['one that is refused', () => [refused()], [422]],
    ['a new one and a repeated one, which is done first', () => [report('new'), repeated()], [201, 201]],
    ['a refused one between new ones', () => [report('a'), refused(), report('b')], [201, 422, 201]],
  ])('are all answered before invalid bytes: %s', async (_name, reports, statuses) => {
    const connection = await start();
    connection.send(Buffer.concat([...reports(), garbage]));
    for (const status of statuses) expect(await connection.nextAnswer()).toMatchObject({ status });
    expectProblem(await connection.nextAnswer(), 'bad_request');
    await connection.closed();
  });

  it('are answered up to 32 at once; with more, the connection ends and no other client waits', async () => {
    const connection = await start();
    const reports = (count: number) =>
      Buffer.concat(Array.from({ length: count }, (_, index) => report(`new ${index}`)));
    connection.send(reports(32));
    for (let count = 0; count < 32; count += 1)
      expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    connection.send(reports(33));
    expect(await connection.nextAnswer()).toBeUndefined();
    await expectAlive(app.port);
  });

  it('408 request_timeout: the last one is never complete, after one that was refused', async () => {
    const connection = await start({ httpLimits: { slowClientMilliseconds: 3_000, checkMilliseconds: 50 } });
    connection.send(Buffer.concat([refused(), report('never whole').subarray(0, -5)]));
    expect(await connection.nextAnswer()).toMatchObject({ status: 422 });
    expectProblem(await connection.nextAnswer(), 'request_timeout');
    await connection.closed();
    await expectAlive(app.port);
  });
});
