import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { AllowedHosts } from './allowed-hosts.ts';
import { createResolveHost } from './resolve-host.ts';

let server: Socket | undefined;

afterEach(() => void server?.close());

/** A name server (RFC 1035) that answers each question with these bytes after its id, or not at all. */
async function startNameServer(answer: (question: Buffer) => Buffer | undefined): Promise<readonly string[]> {
  const socket = createSocket('udp4');
  server = socket;
  socket.on('message', (query, { address, port }) => {
    const rest = answer(query.subarray(12));
    if (rest !== undefined) socket.send(Buffer.concat([query.subarray(0, 2), rest]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return [`127.0.0.1:${socket.address().port}`];
}

/** A response without an error, or with one, and how many answers it has. */
const header = (code: number, answers: number) =>
  Buffer.from([0x81, 0x80 | code, 0, 1, 0, answers, 0, 0, 0, 0]);
const unknown = (question: Buffer) => Buffer.concat([header(3, 0), question]);

describe('the addresses of a host that somebody has chosen', () => {
  it('are asked of the name servers', async () => {
    const servers = await startNameServer((question) => {
      const end = question.indexOf(0) + 5;
      const isFour = question[end - 3] === 1;
      if (!isFour) return Buffer.concat([header(0, 0), question.subarray(0, end)]);
      // A pointer to the name, A, IN, 60 s, 4 bytes.
      const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 7]);
      return Buffer.concat([header(0, 1), question.subarray(0, end), record]);
    });
    const resolve = createResolveHost(new AllowedHosts([]), servers);
    expect(await resolve('hooks.example.com', new AbortController().signal)).toEqual([
      { address: '203.0.113.7', family: 4 },
    ]);
  });

  it('take no thread of the process while a name server is silent, and end with the signal', async () => {
    const resolve = createResolveHost(new AllowedHosts([]), await startNameServer(() => undefined));
    const deadlines = Array.from({ length: 50 }, () => new AbortController());
    const settled = Promise.allSettled(
      deadlines.map(({ signal }, index) => resolve(`n${index}.example.com`, signal)),
    );
    expect(await lookup('localhost')).toMatchObject({ address: expect.any(String) });
    for (const deadline of deadlines) deadline.abort();
    expect(new Set((await settled).map(({ status }) => status))).toEqual(new Set(['rejected']));
  });

  it('are those of the system if the name servers do not know the name, or the operator allows it', async () => {
    const asked: Buffer[] = [];
    const servers = await startNameServer((question) => {
      asked.push(question);
      return unknown(question);
    });
    const { signal } = new AbortController();
    const expected = await lookup('localhost', { all: true });
    expect(await createResolveHost(new AllowedHosts(['localhost']), servers)('localhost', signal)).toEqual(
      expected,
    );
    expect(asked).toEqual([]);
    const resolve = createResolveHost(new AllowedHosts([]), servers);
    expect(await Promise.all([resolve('localhost', signal), resolve('localhost', signal)])).toEqual([
      expected,
      expected,
    ]);
  });
});
