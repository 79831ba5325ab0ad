import { once } from 'node:events';
import { connect as connectPlainly, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { expectAlive, expectProblem, expectUsable } from '../robustness/expect-answer.ts';
import { faultsIn } from '../robustness/listening-app.ts';
import { exchange, RawConnection } from '../robustness/raw-connection.ts';
import { requestText } from '../robustness/request-text.ts';
import { openSlowClient, type SlowKind } from '../robustness/slow-client.ts';
import { type SecureApp, startSecureApp } from './secure-app.ts';

const limits = { slowClientMilliseconds: 3_000, checkMilliseconds: 50 };

let app: SecureApp;
beforeAll(async () => {
  app = await startSecureApp({ httpLimits: limits });
});
afterAll(async () => {
  expect(faultsIn(app.test.logs)).toEqual([]);
  await app.close();
});

function open(to = app): Promise<RawConnection> {
  return RawConnection.open(to.port, to.ca);
}

function report(text: string, to = app): Buffer {
  return requestText({
    method: 'POST',
    target: to.reportPath,
    headers: [`X-Project-Token: ${to.project.token}`, 'Content-Type: application/json'],
    body: JSON.stringify({ error: text }),
  });
}

function openSlow(kind: SlowKind, to = app): Promise<RawConnection> {
  return openSlowClient(kind, {
    port: to.port,
    ca: to.ca,
    credential: `X-Project-Token: ${to.project.token}`,
    paceMilliseconds: 20,
  });
}

async function openConnections(to = app): Promise<number> {
  return new Promise((resolve, reject) =>
    to.test.app.http.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

async function readMetric(name: string, to = app): Promise<number> {
  const { text } = await to.test.request('GET', '/metrics');
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length),
  );
}

/** A connection on which the test speaks whatever it likes; resolves with what came back when it ends. */
async function sendPlainly(bytes: Uint8Array | string, to = app): Promise<string> {
  const socket = connectPlainly(to.port, '127.0.0.1');
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.write(bytes);
  await endOf(socket);
  return received;
}

/** Resolves when a connection has ended, with an error or without. */
async function endOf(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.destroyed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

async function handshake(options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ port: app.port, host: '127.0.0.1', ca: app.ca, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

describe('the service with a certificate of its own', () => {
  it('answers over TLS, also its health checks', async () => {
    const connection = await open();
    await expectUsable(connection);
    await expectUsable(connection);
    connection.destroy();
    await expectAlive(app.port, app.ca);
  });

  it('takes reports by the shortcut, and many on one connection', async () => {
    const connection = await open();
    connection.send(report('over TLS'));
    expect(await connection.nextAnswer()).toMatchObject({
      status: 201,
      headers: { 'muster-agent-error': 'created' },
    });
    connection.send(Buffer.concat([report('over TLS'), report('over TLS')]));
    for (let count = 0; count < 2; count += 1) {
      expect(await connection.nextAnswer()).toMatchObject({
        status: 201,
        headers: { 'muster-agent-error': 'ignored' },
      });
    }
    connection.destroy();
  });

  it('shows when its certificate expires', async () => {
    expect(await readMetric('muster_tls_certificate_expires_seconds')).toBe(Date.UTC(2200, 0, 1) / 1_000);
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('speaks %s', async (version) => {
    const socket = await handshake({ minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
    socket.destroy();
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('refuses %s', async (version) => {
    const ciphers = 'DEFAULT@SECLEVEL=0'; // the client would refuse it itself
    await expect(handshake({ minVersion: version, maxVersion: version, ciphers })).rejects.toThrow();
    await expectAlive(app.port, app.ca);
  });
});

describe('clients that are slow over TLS', () => {
  it.concurrent.each<SlowKind>([
    'sends nothing',
    'stops in the middle of its headers',
    'sends its headers byte by byte',
    'stops in the middle of its body',
    'sends its body byte by byte',
  ])('%s: 408 request_timeout, and the connection ends', async (kind) => {
    const connection = await openSlow(kind);
    expectProblem(await connection.nextAnswer(), 'request_timeout');
    await connection.closed();
  });

  it('never read their answers: the connection is reset', async () => {
    const own = await startSecureApp({ httpLimits: limits });
    const connection = await openSlow('never reads its answers', own);
    await eventually(async () => expect(await openConnections(own)).toBe(1));
    await eventually(async () => expect(await openConnections(own)).toBe(0));
    connection.destroy();
    await own.close();
  });

  it('do not finish their handshake, by the hundred: others do not wait, and all of them end', async () => {
    const own = await startSecureApp({ httpLimits: limits });
    const failedBefore = await readMetric('muster_tls_failed_handshakes_total', own);
    const hello = await recordClientHello();
    const slow = Array.from({ length: 300 }, (_, index) => {
      const socket = connectPlainly(own.port, '127.0.0.1');
      socket.on('error', () => undefined);
      // Nothing, one byte, or half of a ClientHello.
      if (index % 3 > 0) socket.write(hello.subarray(0, index % 3 === 1 ? 1 : hello.length / 2));
      return socket;
    });
    const ends = slow.map((socket) => endOf(socket));
    for (let count = 0; count < 20; count += 1) {
      expect(await exchange(own.port, report('in time', own), { ca: own.ca })).toMatchObject({ status: 201 });
    }
    await Promise.all(ends);
    await eventually(async () => expect(await openConnections(own)).toBe(0));
    await eventually(async () =>
      expect((await readMetric('muster_tls_failed_handshakes_total', own)) - failedBefore).toBe(300),
    );
    expect(faultsIn(own.test.logs)).toEqual([]);
    // One line for all of them at first, and sums later.
    expect(own.test.logs.filter((line) => line.includes('TLS handshakes failed')).length).toBeLessThan(10);
    await own.close();
  });
});

describe('bytes that are no TLS', () => {
  it('plain HTTP: 400 in plain HTTP that says to use https', async () => {
    const text = await sendPlainly('GET /healthz HTTP/1.1\r\nHost: muster\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('This port accepts only HTTPS: use https:// in the address.');
    await expectAlive(app.port, app.ca);
  });

  it.each<[string, () => Promise<Uint8Array> | Uint8Array]>([
    ['random bytes', () => Buffer.from('f3a1c80e5571ab'.repeat(40), 'hex')],
    ['zeros', () => Buffer.alloc(100_000)],
    ['a record of TLS with a length beyond the limit', () => Buffer.from('160301ffff01000000', 'hex')],
    ['a ClientHello that announces 16 MB', () => hugeClientHello()],
    ['a ClientHello with every byte after the first record changed', async () => brokenClientHello()],
  ])('%s: the connection ends, and the service works', async (_, bytes) => {
    await sendPlainly(await bytes());
    await expectAlive(app.port, app.ca);
  });

  it('as a request after a handshake: 400 bad_request, as over plain HTTP', async () => {
    const connection = await open();
    connection.send('GARBAGE\r\n\r\n');
    expectProblem(await connection.nextAnswer(), 'bad_request');
    await connection.closed();
  });
});

describe('clients that ask for too much over TLS', () => {
  it('do not renegotiate', async () => {
    const socket = await handshake({ maxVersion: 'TLSv1.2' });
    socket.on('error', () => undefined);
    const ended = endOf(socket);
    const failure = await new Promise<Error | null>((resolve) => {
      socket.once('close', () => resolve(new Error('closed')));
      socket.renegotiate({}, resolve);
    });
    expect(failure).toBeInstanceOf(Error);
    socket.destroy();
    await ended;
    await expectAlive(app.port, app.ca);
  });

  it('get answers to 32 requests at once; with more, their connection ends', async () => {
    const connection = await open();
    const reports = (count: number) =>
      Buffer.concat(Array.from({ length: count }, (_, index) => report(`at once ${index}`)));
    connection.send(reports(32));
    for (let count = 0; count < 32; count += 1) {
      expect(await connection.nextAnswer()).toMatchObject({ status: 201 });
    }
    connection.send(reports(33));
    expect(await connection.nextAnswer()).toBeUndefined();
    await expectAlive(app.port, app.ca);
  });

  it('with too many connections: idle ones and unfinished handshakes make room for new ones', async () => {
    const maxConnections = 20;
    const own = await startSecureApp({ httpLimits: { maxConnections, checkMilliseconds: 20 } });
    const silent: Socket[] = [];
    for (let count = 0; count < 10; count += 1) {
      const socket = connectPlainly(own.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      silent.push(socket);
    }
    const used: RawConnection[] = [];
    // A handshake that has just begun is not idle yet, so a new connection may be refused for a moment.
    for (let count = 0; count < 3 * maxConnections; count += 1) {
      const connection = await eventually(() => open(own));
      await expectUsable(connection);
      used.push(connection);
    }
    expect(await openConnections(own)).toBeLessThanOrEqual(maxConnections);
    await Promise.all(silent.map((socket) => endOf(socket)));
    for (const connection of used) connection.destroy();
    await own.close();
  });
});

describe('a service with TLS that stops', () => {
  it('answers what is under way, and ends idle connections and handshakes', async () => {
    const own = await startSecureApp();
    const idle = await open(own);
    await expectUsable(idle);
    const silent = connectPlainly(own.port, '127.0.0.1');
    silent.on('error', () => undefined);
    await once(silent, 'connect');
    const busy = await open(own);
    const whole = report('at last', own);
    busy.send(Buffer.concat([requestText({}), whole.subarray(0, -5)]));
    expect(await busy.nextAnswer()).toMatchObject({ status: 200 });
    own.test.app.stopAccepting();
    const closed = own.close();
    busy.send(whole.subarray(-5));
    expect(await busy.nextAnswer()).toMatchObject({ status: 201 });
    await Promise.all([busy.closed(), idle.closed(), endOf(silent)]);
    await closed;
  });
});

/** The first bytes that a real client sends. */
async function recordClientHello(): Promise<Buffer> {
  const { createServer } = await import('node:net');
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // it listens on TCP
  const client = connect({ port, host: '127.0.0.1' });
  client.on('error', () => undefined);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return hello;
}

async function brokenClientHello(): Promise<Buffer> {
  const hello = await recordClientHello();
  return Buffer.concat([hello.subarray(0, 5), hello.subarray(5).map((byte) => byte ^ 0x5a)]);
}

/** A handshake message of 16 MB in records of 16 KB (RFC 8446, section 5.1). */
function hugeClientHello(): Buffer {
  const body = Buffer.alloc(16_384);
  body.set([1, 0xff, 0xff, 0xff]);
  const record = (content: Buffer) => Buffer.concat([Buffer.from('1603014000', 'hex'), content]);
  return Buffer.concat([record(body), ...Array.from({ length: 200 }, () => record(Buffer.alloc(16_384)))]);
}
