import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectUsable } from './expect-answer.ts';
import { type ListeningApp, startListeningApp } from './listening-app.ts';
import { RawConnection } from './raw-connection.ts';
import { requestText } from './request-text.ts';

const maxConnections = 20;

let app: ListeningApp;
const opened: RawConnection[] = [];

beforeAll(async () => {
  app = await startListeningApp({ httpLimits: { maxConnections, checkMilliseconds: 20 } });
});
afterAll(async () => {
  for (const connection of opened) connection.destroy();
  await app.test.close();
});

async function open(): Promise<RawConnection> {
  const connection = await RawConnection.open(app.port);
  opened.push(connection);
  return connection;
}

async function openUsed(): Promise<RawConnection> {
  const connection = await open();
  await expectUsable(connection);
  return connection;
}

/** With a report whose body has not arrived. Its head was read together with the request before it. */
async function openBusy(): Promise<RawConnection> {
  const connection = await open();
  const head = requestText({
    method: 'POST',
    target: app.reportPath,
    headers: [`X-Project-Token: ${app.project.token}`, 'Content-Type: application/json'],
    length: 'Content-Length: 20',
  });
  connection.send(Buffer.concat([requestText({}), head]));
  expect(await connection.nextAnswer()).toMatchObject({ status: 200 });
  return connection;
}

async function openedOnes(): Promise<number> {
  return new Promise((resolve, reject) =>
    app.test.app.http.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

describe('more connections than the service accepts', () => {
  it('a new one replaces the oldest idle one', async () => {
    const old: RawConnection[] = [];
    for (let count = 0; count < maxConnections; count += 1) old.push(await openUsed());
    for (let count = 0; count < 3 * maxConnections; count += 1) await openUsed();
    expect(await openedOnes()).toBeLessThanOrEqual(maxConnections);
    await Promise.all(old.map((connection) => connection.closed()));
  });

  it('connections with a running request stay; while there are only such, new ones are refused', async () => {
    const busy: RawConnection[] = [];
    for (let count = 0; count < maxConnections; count += 1) busy.push(await openBusy());
    expect(busy.filter(({ isClosed }) => isClosed)).toEqual([]);
    const beyond = await open();
    await beyond.closed();
    expect(app.test.logs.some((line) => line.includes('connections were refused'))).toBe(true);

    for (const connection of busy) connection.send('{"error":"at last!"}');
    for (const connection of busy) expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    // Refused once more, and accepted when it is repeated.
    await (await open()).closed();
    await openUsed();
  });
});
