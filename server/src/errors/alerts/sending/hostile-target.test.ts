import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AllowedHosts } from './allowed-hosts.ts';
import { Poster } from './post.ts';

let server: Server | undefined;
const sockets = new Set<Socket>();

afterEach(() => {
  vi.restoreAllMocks();
  for (const socket of sockets) socket.destroy();
  server?.close();
});

/** A target that sends these bytes as soon as it is asked. */
async function start(answer: (socket: Socket) => void): Promise<string> {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${port}/`;
}

/** The time is over only in tests that say so: none of the others comes near it. */
const post = (url: string, timeoutMilliseconds = 600_000) =>
  new Poster({
    allowed: new AllowedHosts(['127.0.0.1']),
    resolve: async () => [],
    timeoutMilliseconds,
  }).post({ url, headers: {}, body: '{}' }, 'project');

describe('a hostile target of alerts', () => {
  it.each([
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nrest',
    ],
    ['answers no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['sends a header of a megabyte', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(1_000_000)}\r\n\r\n`],
    ['sends a megabyte of headers', `HTTP/1.1 200 OK\r\n${'A: b\r\n'.repeat(170_000)}\r\n`],
    ['promises two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\nx'],
  ])('that %s is a failure at once', async (_, bytes) => {
    const url = await start((socket) => socket.write(bytes));
    await expect(post(url)).rejects.toThrow(/^127\.0\.0\.1 could not be reached \([A-Z_]+\)\.$/);
  });

  it.each([
    ['closes the connection', (socket: Socket) => socket.end()],
    ['breaks the connection', (socket: Socket) => socket.resetAndDestroy()],
    [
      'promises more than it sends',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'),
    ],
  ])('that %s is a failure at once', async (_, answer) => {
    await expect(post(await start(answer))).rejects.toThrow(/could not be reached/);
  });

  it.each([
    ['says nothing', () => undefined],
    ['says for ever that it goes on', (socket: Socket) => repeat(socket, 'HTTP/1.1 100 Continue\r\n\r\n')],
    [
      'sends one header after the other',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        repeat(socket, 'X: y\r\n');
      },
    ],
  ])('that %s is left when its time is over', async (_, answer) => {
    await expect(post(await start(answer), 50)).rejects.toThrow(
      /^127\.0\.0\.1 (did not answer within|could not)/,
    );
  });

  it.each([
    ['as long as it has promised', 'Content-Length: 4000\r\n\r\n', 'x'],
    ['in chunks without end', 'Transfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'],
  ])('that sends its body byte by byte, %s, is left when its time is over', async (_, header, byte) => {
    const time = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
    // The time is over when some of the body has arrived.
    const url = await start((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${header}`);
      repeat(socket, byte);
      setTimeout(() => time.abort(), 50);
    });
    await expect(post(url, 10_000)).rejects.toThrow('127.0.0.1 did not answer within 10 seconds.');
    expect(timeout.mock.calls).toEqual([[10_000]]);
    await Promise.all([...sockets].map(closed));
  });
});

/** Not `once`, which fails with the error of a socket that still writes when its client leaves. */
async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

/** Writes as slowly as the test allows, until the connection is closed. */
function repeat(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 5);
  socket.once('close', () => clearInterval(timer));
}
