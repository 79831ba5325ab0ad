import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Project } from '@muster/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { type Credentials, startTestApp } from '../../../testing/start-test-app.ts';
import { ListTurns } from './list-turns.ts';

const mebibyte = 1024 * 1024;

const refusal = problemBody(
  'overloaded',
  'Too many lists are being read. Wait for the seconds in Retry-After, and request one page after the other.',
);

describe('ListTurns', () => {
  let turns: ListTurns;
  let refused: string[];
  /** Callers whose work has begun, in that order, and how to end it. */
  let begun: { readonly caller: string; readonly end: () => void }[];

  beforeEach(() => {
    [refused, begun] = [[], []];
    turns = new ListTurns({ onRefused: (caller) => refused.push(caller) });
  });

  /** One request of each caller, in this order. */
  function ask(callers: string): Promise<PromiseSettledResult<void>[]> {
    return Promise.allSettled(
      [...callers].map((caller) =>
        turns.run(
          caller,
          new AbortController().signal,
          () => new Promise<void>((end) => begun.push({ caller, end })),
        ),
      ),
    );
  }

  /** After everything that is due now. */
  const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

  const order = () => begun.map(({ caller }) => caller).join('');

  it('lets two of a caller through at once, and another caller before all of those that wait', async () => {
    const all = ask(`${'a'.repeat(40)}bb`);
    await settle();
    expect(order()).toBe('aabb');
    for (const { end } of begun) end();
    await settle();
    expect(order()).toBe('aabbaa');
    void ask('c');
    await settle();
    expect(order()).toBe('aabbaac');
    for (let index = 0; index < 43; index += 1) {
      begun[index]?.end();
      await settle();
    }
    expect((await all).map(({ status }) => status)).toEqual(Array.from({ length: 42 }, () => 'fulfilled'));
    expect(refused).toEqual([]);
  });

  it('begins the next one only after everything else that has come meanwhile', async () => {
    void ask('aaa');
    await settle();
    const steps: string[] = [];
    setImmediate(() => steps.push(`a health check, and ${order()}`));
    begun[0]?.end();
    await settle();
    expect(steps).toEqual(['a health check, and aa']);
    expect(order()).toBe('aaa');
  });

  it('refuses what exceeds 40 that wait of one caller, or 200 of all, and lets others wait on', async () => {
    void ask('a'.repeat(50));
    await settle();
    expect(refused).toHaveLength(50 - 2 - 40);
    for (const caller of 'bcdef') void ask(caller.repeat(42));
    await settle();
    // Four run, 200 wait.
    expect(begun).toHaveLength(4);
    expect(refused).toHaveLength(50 + 5 * 42 - 4 - 200);
    await expect(turns.run('g', new AbortController().signal, async () => undefined)).rejects.toMatchObject({
      code: 'overloaded',
      retryAfterSeconds: 2,
    });
  });

  it('refuses a caller that does not take its answers, and nobody else, until it takes them', async () => {
    const response = new EventEmitter() as ServerResponse; // all that is used of it
    const list = (caller: string) => turns.run(caller, new AbortController().signal, async () => 'listed');
    turns.noteAnswer('a', 16 * mebibyte, response);
    await expect(list('a')).rejects.toMatchObject({ code: 'overloaded' });
    expect(await list('b')).toBe('listed');
    response.emit('close');
    expect(await list('a')).toBe('listed');
  });

  it('gives a turn back when the work fails', async () => {
    for (let time = 0; time < 10; time += 1) {
      const failed = turns.run('a', new AbortController().signal, async () => {
        throw new Error('no such list');
      });
      await expect(failed).rejects.toThrow('no such list');
    }
  });
});

describe('many lists and metrics at once', () => {
  it('a caller that asks for many is refused what exceeds its share; others and health checks have their turn', async () => {
    const app = await startTestApp({ logLevel: 'info' });
    const project = await app.createProject();
    const { token } = await app.createToken(project.id, ['*']);
    const list = (as: Credentials) => app.request<Project[]>('GET', '/v1/projects', { as });
    // Once it is remembered, the credential takes no look-up of its own, and no list has to wait for a connection to
    // PostgreSQL that is not open yet.
    await Promise.all([{ access: app.admin }, { project: token }].flatMap((as) => [list(as), list(as)]));
    // A turn ends only after its answer.
    await new Promise((resolve) => setImmediate(resolve));
    const answered: string[] = [];
    const note = <Answer>(name: string, answer: Promise<Answer>) => {
      void answer.then(() => answered.push(name));
      return answer;
    };
    const many = Array.from({ length: 100 }, () => note('many', list({ access: app.admin })));
    const other = note('other', list({ project: token }));
    const health = note('health', app.request('GET', '/healthz'));
    expect(await other).toMatchObject({ status: 200, body: [{ id: project.id }] });
    expect(await health).toMatchObject({ status: 200 });
    const served = await Promise.all(many);
    expect(served.filter(({ status }) => status === 200)).toHaveLength(2 + 40);
    const refused = served.filter(({ status }) => status === 503);
    expect(refused).toHaveLength(100 - 2 - 40);
    for (const { body, headers } of refused) {
      expect(body).toEqual(refusal);
      expect(headers['retry-after']).toBe('2');
    }
    // They do not wait until all of the many had their turn.
    expect(answered.indexOf('other')).toBeLessThan(answered.lastIndexOf('many'));
    expect(answered.indexOf('health')).toBeLessThan(answered.lastIndexOf('many'));
    const lines = app.logs.filter((line) => line.includes('lists were refused with 503'));
    expect(lines.map((line) => (JSON.parse(line) as { count: number }).count)).toEqual([1]);
    expect(app.logs.filter((line) => line.includes('"status":503'))).toEqual([]);
    await app.close();
  });

  it('waits for its turn with a client that has closed its half of the connection', async () => {
    const app = await startTestApp({ logLevel: 'info' });
    const address = new URL(await app.app.http.listen({ host: '127.0.0.1', port: 0 }));
    const text = `GET /v1/projects HTTP/1.1\r\nHost: muster\r\nConnection: close\r\nAuthorization: Bearer ${app.admin}\r\n\r\n`;
    const statusLines = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const socket = connect(Number(address.port), '127.0.0.1');
        socket.end(text);
        let answer = '';
        for await (const chunk of socket) answer += String(chunk);
        return answer.split('\r\n', 1)[0];
      }),
    );
    expect(new Set(statusLines)).toEqual(new Set(['HTTP/1.1 200 OK']));
    await app.close();
  });

  it.each(['/v1/projects', '/v1/projects/{id}/agent_errors?q=none'])(
    'serves 20 of GET %s on one connection without a warning',
    async (path) => {
      const warnings: string[] = [];
      const note = (warning: Error): void => void warnings.push(warning.message);
      process.on('warning', note);
      const app = await startTestApp();
      const project = await app.createProject();
      const address = new URL(await app.app.http.listen({ host: '127.0.0.1', port: 0 }));
      const head = `GET ${path.replace('{id}', project.id)} HTTP/1.1\r\nHost: muster\r\nAuthorization: Bearer ${app.admin}\r\n`;
      const socket = connect(Number(address.port), '127.0.0.1');
      socket.write(`${`${head}\r\n`.repeat(19)}${head}Connection: close\r\n\r\n`);
      let answers = '';
      for await (const chunk of socket) answers += String(chunk);
      expect(answers.match(/HTTP\/1\.1 200 OK\r/g)).toHaveLength(20);
      process.off('warning', note);
      expect(warnings).toEqual([]);
      await app.close();
    },
  );

  it('counts /metrics by address', async () => {
    const app = await startTestApp({ config: { trustProxy: true } });
    const scrape = (address: string) =>
      app.request('GET', '/metrics', { headers: { 'x-forwarded-for': address } });
    const [mine, theirs] = await Promise.all([
      Promise.all(Array.from({ length: 50 }, () => scrape('192.0.2.1'))),
      scrape('192.0.2.2'),
    ]);
    expect(mine.filter(({ status }) => status === 200)).toHaveLength(2 + 40);
    expect(mine.filter(({ status }) => status === 503)).toHaveLength(8);
    expect(theirs.status).toBe(200);
    await app.close();
  });

  it('does not count answers that were taken', async () => {
    const app = await startTestApp();
    const project = await app.createProject();
    const metadata = { text: 'x'.repeat(65_000) };
    for (let index = 0; index < 64; index += 1) {
      await app.request('POST', '/v1/agents', {
        as: { project: project.token },
        body: { name: 'large', machineID: `host-${index}`, metadata },
      });
    }
    const url = `/v1/projects/${project.id}/agents?last=1000`;
    for (let time = 0; time < 5; time += 1) {
      expect(await app.request('GET', url, { as: { access: app.admin } })).toMatchObject({ status: 200 });
    }
    await app.close();
  });
});
