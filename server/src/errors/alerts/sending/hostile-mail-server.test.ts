import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Secret } from '../../../foundation/secret.ts';
import { MailSender } from './mail-sender.ts';

let server: Server | undefined;
const sockets = new Set<Socket>();

afterEach(() => {
  vi.restoreAllMocks();
  for (const socket of sockets) socket.destroy();
  server?.close();
});

async function start(onConnection: (socket: Socket) => void): Promise<number> {
  server = createServer((socket) => {
    sockets.add(socket);
    // Read to its end, so that it notices that the client has left.
    socket.on('error', () => undefined).resume();
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // it listens on a port
}

const send = (port: number, timeoutMilliseconds: number, scheme = 'smtp') =>
  new MailSender({
    url: new Secret(`${scheme}://127.0.0.1:${port}`),
    from: 'muster@example.com',
    timeoutMilliseconds,
  }).send({
    id: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d',
    sentAt: 0,
    to: ['ada@example.com'],
    subject: 'down',
    text: 'down',
    html: '<p>down</p>',
  });

/** Answers each command until one of them begins so, and then does something else. */
function talkUntil(command: string, then: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    socket.write('220 hello\r\n');
    let isData = false;
    socket.on('data', (bytes) => {
      const text = String(bytes);
      if (isData ? command === 'the text' : text.startsWith(command)) return then(socket);
      if (isData) isData = false;
      else isData = text.startsWith('DATA');
      socket.write(isData ? '354 go on\r\n' : '250 ok\r\n');
    });
  };
}

const nothing = () => undefined;

describe('a mail server', () => {
  it.each<readonly [string, string, (socket: Socket) => void]>([
    ['does not greet', 'smtp', nothing],
    ['begins no TLS', 'smtps', nothing],
    ['does not answer EHLO', 'smtp', talkUntil('EHLO', nothing)],
    ['does not answer a recipient', 'smtp', talkUntil('RCPT', nothing)],
    ['does not answer DATA', 'smtp', talkUntil('DATA', nothing)],
    ['does not answer the text of the mail', 'smtp', talkUntil('the text', nothing)],
    ['greets without end', 'smtp', (socket) => repeat(socket, '220-hello\r\n')],
    ['answers without end, byte by byte', 'smtp', talkUntil('EHLO', (socket) => repeat(socket, '2'))],
  ])('that %s is left when its time is over', async (_, scheme, behave) => {
    const port = await start(behave);
    await expect(send(port, 50, scheme)).rejects.toThrow(
      'The mail server did not answer within 0.05 seconds.',
    );
    await Promise.all([...sockets].map(closed));
  });

  it.each([
    ['offers STARTTLS and does not answer it', ''],
    ['accepts STARTTLS and then says nothing', '220 go on\r\n'],
    ['accepts STARTTLS and then does not speak TLS', '220 go on\r\n250 x\r\n'],
  ])('that %s is left, without a mail', async (_, answer) => {
    const time = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
    const received: string[] = [];
    const port = await start((socket) => {
      socket.write('220 hello\r\n');
      socket.on('data', (bytes) => {
        received.push(bytes.toString('latin1').slice(0, 4));
        if (String(bytes).startsWith('EHLO')) return socket.write('250-hello\r\n250 STARTTLS\r\n');
        if (String(bytes).startsWith('STARTTLS')) socket.write(answer);
        // The time is over after the command, or after the first bytes of TLS that follow it.
        if (answer === '' || received.length > 2) time.abort();
      });
    });
    await expect(send(port, 10_000)).rejects.toThrow(
      /^The mail server (did not answer|could not be reached)/,
    );
    expect(timeout.mock.calls).toEqual([[10_000]]);
    expect(received.slice(0, 2)).toEqual(['EHLO', 'STAR']);
    expect(received.join(' ')).not.toMatch(/MAIL|RCPT|DATA/);
    await Promise.all([...sockets].map(closed));
  });

  it('that answers more than a mail server has to say is a failure at once', async () => {
    const port = await start((socket) => socket.write(`220-${'x'.repeat(200_000)}`));
    await expect(send(port, 600_000)).rejects.toThrow(/^The mail server could not be reached \([A-Z]+\)\.$/);
  });

  it('that closes the connection is a failure at once', async () => {
    const port = await start(talkUntil('DATA', (socket) => socket.end()));
    await expect(send(port, 600_000)).rejects.toThrow(/^The mail server could not be reached \([A-Z]+\)\.$/);
  });
});

/** Not `once`, which fails with the error of a socket that still writes when its client leaves. */
async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}

/** Writes as slowly as the test allows, until the connection is closed. */
function repeat(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 5);
  socket.once('close', () => clearInterval(timer));
}
