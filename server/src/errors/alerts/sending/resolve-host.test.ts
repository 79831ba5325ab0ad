import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FairSlots } from '../../../foundation/scheduling/fair-slots.ts';
import { withResolvers } from '../../../foundation/with-resolvers.ts';
import { eventually } from '../../../testing/eventually.ts';
import { AllowedHosts } from './allowed-hosts.ts';
import { createResolveHost } from './resolve-host.ts';

let server: Socket | undefined;

/** Which hosts the resolver of the system was asked for, which answers when nothing holds it. */
let ofSystem: string[] = [];
let held: Promise<void> | undefined;
/** However busy the machine is, what is sent to 127.0.0.1 is answered in this time. */
const queryMilliseconds = 120_000;
let running = 0;
let mostRunning = 0;
const found = [{ address: '10.0.0.7', family: 4 }];
const askSystem = async (host: string) => {
  ofSystem.push(host);
  running += 1;
  mostRunning = Math.max(mostRunning, running);
  await held;
  running -= 1;
  return found;
};

afterEach(() => {
  server?.close();
  ofSystem = [];
  held = undefined;
  mostRunning = 0;
});

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
    const resolve = createResolveHost(new AllowedHosts([]), { servers, askSystem, queryMilliseconds });
    expect(await resolve('hooks.example.com', new AbortController().signal, 'a')).toEqual([
      { address: '203.0.113.7', family: 4 },
    ]);
  });

  it('are not asked of the system while a name server is silent, and end with the signal', async () => {
    let asked = 0;
    const servers = await startNameServer(() => {
      asked += 1;
      return undefined;
    });
    const resolve = createResolveHost(new AllowedHosts([]), { servers, askSystem, queryMilliseconds });
    const deadlines = Array.from({ length: 20 }, () => new AbortController());
    const settled = Promise.allSettled(
      deadlines.map(({ signal }, index) => resolve(`n${index}.example.com`, signal, 'a')),
    );
    await eventually(() => expect(asked).toBeGreaterThanOrEqual(40));
    for (const deadline of deadlines) deadline.abort();
    expect(await settled).toEqual(
      deadlines.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'ECANCELLED' }) })),
    );
    expect(ofSystem).toEqual([]);
  });

  it('are those of the system at once if the operator allows the host, and otherwise if no name server knows it, one after the other', async () => {
    const asked: Buffer[] = [];
    const servers = await startNameServer((question) => {
      asked.push(question);
      return unknown(question);
    });
    const { signal } = new AbortController();
    const resolve = createResolveHost(new AllowedHosts(['chat.internal']), {
      servers,
      askSystem,
      queryMilliseconds,
    });
    expect(await resolve('chat.internal', signal, 'a')).toEqual(found);
    expect([ofSystem, asked]).toEqual([['chat.internal'], []]);
    const { promise, resolve: letGo } = withResolvers<void>();
    held = promise;
    const both = Promise.all([resolve('one', signal, 'a'), resolve('two', signal, 'b')]);
    // Each is asked for its addresses of both families.
    await eventually(() => expect(asked).toHaveLength(4));
    letGo();
    expect(await both).toEqual([found, found]);
    expect(mostRunning).toBe(1);
    expect(ofSystem.toSorted()).toEqual(['chat.internal', 'one', 'two']);
  });

  it('are asked of the system by turns of projects, so that nobody waits for all names of another project', async () => {
    const servers = await startNameServer(unknown);
    const { signal } = new AbortController();
    const resolve = createResolveHost(new AllowedHosts([]), { servers, askSystem, queryMilliseconds });
    const { promise, resolve: letGo } = withResolvers<void>();
    held = promise;
    const take = vi.spyOn(FairSlots.prototype, 'take');
    const ofOne = ['a0', 'a1', 'a2', 'a3'].map((host) => resolve(host, signal, 'a'));
    await eventually(() => expect(take).toHaveBeenCalledTimes(4));
    const ofOther = resolve('b0', signal, 'b');
    await eventually(() => expect(take).toHaveBeenCalledTimes(5));
    vi.restoreAllMocks();
    letGo();
    await Promise.all([...ofOne, ofOther]);
    // The other project had waited longer for its second turn.
    expect(ofSystem.indexOf('b0')).toBe(2);
  });
});
