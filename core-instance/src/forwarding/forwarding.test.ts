import { type Agent, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { TestAuthority } from '../../../server/src/testing/receivers/test-certificates.ts';
import type { SignOfLife } from '../listening/signs-of-life.ts';
import { CentreDouble } from '../testing/centre-double.ts';
import { ConnectProxy } from '../testing/connect-proxy.ts';
import { errorOf, registrationOf, startedAt, updateOf } from '../testing/test-spool.ts';
import { Backoff } from './backoff.ts';
import { toBatchItems, toSignItem } from './batch-items.ts';
import { chooseProxy } from './choose-proxy.ts';
import { createCentreAgent } from './create-centre-agent.ts';
import { exchange } from './exchange.ts';

describe('the items of a batch', () => {
  it('are the errors of one sender and agent together, and never over a change of state', () => {
    const items = toBatchItems([
      errorOf('a'),
      errorOf('b', { count: 2 }),
      errorOf('a', { lastAt: startedAt + 5 }),
      errorOf('a', { by: { agentID: 'agent-1' } }),
      registrationOf('m-1'),
      errorOf('a'),
      updateOf('2'),
      errorOf('a', { target: { machineID: 'm-1', name: 'One' } }),
    ]);
    const at = { firstAt: startedAt, lastAt: startedAt };
    expect(items).toEqual([
      {
        kind: 'errors',
        by: { tokenID: 'token-1' },
        agentID: 'agent-1',
        errors: [
          { error: 'a', firstAt: startedAt, lastAt: startedAt + 5, count: 2 },
          { error: 'b', ...at, count: 2 },
        ],
      },
      {
        kind: 'errors',
        by: { agentID: 'agent-1' },
        agentID: 'agent-1',
        errors: [{ error: 'a', ...at, count: 1 }],
      },
      registrationOf('m-1'),
      {
        kind: 'errors',
        by: { tokenID: 'token-1' },
        agentID: 'agent-1',
        errors: [{ error: 'a', ...at, count: 1 }],
      },
      updateOf('2'),
      {
        kind: 'errors',
        by: { tokenID: 'token-1' },
        machineID: 'm-1',
        name: 'One',
        errors: [{ error: 'a', ...at, count: 1 }],
      },
    ]);
  });

  it('have at most 500 errors each', () => {
    const items = toBatchItems(Array.from({ length: 1_001 }, (_, index) => errorOf(`text ${index}`)));
    expect(items.map((item) => 'errors' in item && item.errors.length)).toEqual([500, 500, 1]);
  });

  it('are signs of life', () => {
    const sign: SignOfLife = {
      at: 1,
      by: { agentID: 'a' },
      target: { agentID: 'a' },
      heartbeat: { heartbeatSeconds: 30 },
    };
    expect(toSignItem(sign)).toEqual({
      kind: 'heartbeat',
      at: 1,
      by: { agentID: 'a' },
      agentID: 'a',
      heartbeat: { heartbeatSeconds: 30 },
    });
  });
});

describe('the wait after a failure', () => {
  it('grows to a minute, is spread at random, and is as long as the centre asks for, up to five minutes', () => {
    const longest = new Backoff(() => 1);
    expect(Array.from({ length: 8 }, () => longest.next())).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
    ]);
    longest.succeed();
    expect(longest.next()).toBe(1_000);
    const shortest = new Backoff(() => 0);
    expect(shortest.next()).toBe(0);
    expect(shortest.next(120)).toBe(120_000);
    expect(shortest.next(86_400)).toBe(300_000);
  });
});

describe('a centre whose port does not speak TLS', () => {
  it.each([false, true])(
    'is not reached with https://, which is said, through a proxy: %s',
    async (isProxied) => {
      const centre = await CentreDouble.start();
      const proxy = await ConnectProxy.start();
      const url = new URL(centre.url.href.replace('http:', 'https:'));
      const agent = createCentreAgent({
        url,
        authorities: undefined,
        pins: [],
        proxy: isProxied ? proxy.url : undefined,
      });
      try {
        const sent = { method: 'GET', path: '/', headers: {}, body: undefined, signal: undefined };
        await expect(
          exchange({ url, agent, proxy: undefined, userAgent: 'test' }, sent),
        ).rejects.toMatchObject({
          kind: 'unreachable',
          message:
            'its port does not speak TLS: write http:// instead of https:// in --url, or name the port that does',
        });
      } finally {
        agent.destroy();
        proxy.close();
        centre.close();
      }
    },
  );
});

describe('a centre whose port speaks only TLS', () => {
  const sent = { method: 'GET', path: '/', headers: {}, body: undefined, signal: undefined };
  const askPlainly = async (server: Server) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`); // it listens on TCP
    const agent = createCentreAgent({ url, authorities: undefined, pins: [], proxy: undefined });
    try {
      return await exchange({ url, agent, proxy: undefined, userAgent: 'test' }, sent).catch(
        ({ kind, message }) => ({ kind, message }),
      );
    } finally {
      agent.destroy();
      server.close();
    }
  };

  it('closes the connection, so that it is said that it may be one', async () => {
    const server = createTlsServer(new TestAuthority().issue());
    server.on('tlsClientError', () => undefined);
    expect(await askPlainly(server)).toEqual({
      kind: 'unreachable',
      message:
        'it closed the connection before it had answered: if its port speaks TLS, write https:// instead of http:// in --url, otherwise look into its log',
    });
  });

  it('sends an alert of TLS, so that it is certain', async () => {
    const server = createTcpServer((socket) => {
      socket.once('data', () => socket.end(Buffer.from('15030300020246', 'hex')));
    });
    expect(await askPlainly(server)).toEqual({
      kind: 'unreachable',
      message:
        'its port speaks only TLS: write https:// instead of http:// in --url, or name the port that does not',
    });
  });
});

describe('a centre behind a thin line', () => {
  const sent = { method: 'GET', path: '/', headers: {}, body: undefined, signal: undefined };

  it.each([
    ['may take long for a large answer, as long as more of it comes', 20_000, 'abc'],
    ['is not waited for when nothing more comes', 30_000, 'there was no answer in time'],
  ])('%s', async (_, pause, expected) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const body = new PassThrough();
    const server = createServer((__, response) => {
      body.pipe(response);
    });
    const url = new URL(`http://127.0.0.1:${await listen(server)}`);
    const agent = createCentreAgent({ url, authorities: undefined, pins: [], proxy: undefined });
    try {
      const answer = exchange({ url, agent, proxy: undefined, userAgent: 'test' }, sent).then(
        ({ text }) => text,
        ({ message }) => message,
      );
      for (const part of ['a', 'b', 'c']) {
        const before = bytesReadBy(agent);
        body.write(part);
        while (bytesReadBy(agent) === before) await nextTurn();
        await nextTurn();
        vi.advanceTimersByTime(pause);
        if (pause === 30_000) break;
      }
      body.end();
      expect(await answer).toBe(expected);
    } finally {
      vi.useRealTimers();
      agent.destroy();
      server.closeAllConnections();
      server.close();
    }
  });

  it.each([
    ['as it was', (text: string) => gzipSync(text), '{"a":1}'],
    [
      'not at all if it is damaged',
      (text: string) => gzipSync(text).subarray(0, 20),
      'unexpected end of file',
    ],
  ])('is sent an answer in gzip, which is read %s', async (_, write, expected) => {
    const asked: (string | undefined)[] = [];
    const server = createServer(({ headers }, response) => {
      asked.push(headers['accept-encoding']);
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(write('{"a":1}'));
    });
    const url = new URL(`http://127.0.0.1:${await listen(server)}`);
    const agent = createCentreAgent({ url, authorities: undefined, pins: [], proxy: undefined });
    const answer = await exchange({ url, agent, proxy: undefined, userAgent: 'test' }, sent).then(
      ({ text }) => text,
      ({ message }) => message,
    );
    agent.destroy();
    server.close();
    expect([asked, answer]).toEqual([['gzip'], expected]);
  });

  it('is not waited for when it switches to another protocol', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'),
      );
    });
    const url = new URL(`http://127.0.0.1:${await listen(server)}`);
    const agent = createCentreAgent({ url, authorities: undefined, pins: [], proxy: undefined });
    const answer = exchange({ url, agent, proxy: undefined, userAgent: 'test' }, sent);
    await expect(answer).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'it has switched to another protocol',
    });
    agent.destroy();
    server.close();
  });

  function bytesReadBy({ sockets }: Agent): number {
    return Object.values(sockets)
      .flatMap((open) => open ?? [])
      .reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  }
});

describe('the proxy to the centre', () => {
  const https = new URL('https://muster.example.com');
  it.each<[string, NodeJS.ProcessEnv, string | undefined]>([
    ['none', {}, undefined],
    ['that of HTTPS_PROXY', { HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'http://other:1' }, 'proxy:3128'],
    [
      'the lower-case one first',
      { HTTPS_PROXY: 'http://other:1', https_proxy: 'http://proxy:3128' },
      'proxy:3128',
    ],
    ['one without a scheme', { HTTPS_PROXY: 'proxy:3128' }, 'proxy:3128'],
    ['none for an exception', { HTTPS_PROXY: 'proxy:1', NO_PROXY: 'a.test, .example.com' }, undefined],
    ['none for the host itself', { HTTPS_PROXY: 'proxy:1', no_proxy: 'muster.example.com:443' }, undefined],
    ['one if another port is excepted', { HTTPS_PROXY: 'proxy:1', NO_PROXY: 'example.com:8443' }, 'proxy:1'],
    ['one if another name is excepted', { HTTPS_PROXY: 'proxy:1', NO_PROXY: 'ample.com' }, 'proxy:1'],
    ['none if all are excepted', { HTTPS_PROXY: 'proxy:1', NO_PROXY: '*' }, undefined],
  ])('is %s', (_, env, host) => {
    expect(chooseProxy(https, env)?.host).toBe(host);
  });

  it('must be reached by http', () => {
    expect(() => chooseProxy(https, { HTTPS_PROXY: 'socks5://u:p@proxy:1080' })).toThrow(
      'The proxy socks5://proxy:1080 cannot be used: only proxies that are reached by http:// are supported.',
    );
  });
});

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)); // it listens on TCP
  });
}

describe('a centre with TLS', () => {
  const authority = new TestAuthority();

  async function call(authorities: string | undefined, status = 200) {
    const centre = createTlsServer(authority.issue(), (request, response) => response.end(request.url));
    const proxy = await ConnectProxy.start();
    proxy.status = status;
    const url = new URL(`https://localhost:${await listen(centre)}`);
    const agent = createCentreAgent({ url, authorities, pins: [], proxy: proxy.url });
    try {
      const sent = { method: 'GET', path: '/here', headers: {}, body: undefined, signal: undefined };
      const answer = await exchange({ url, agent, proxy: proxy.url, userAgent: 'test' }, sent).then(
        ({ text }) => text,
        (error: unknown) => (error instanceof Error ? error.message : error),
      );
      return { answer, asked: proxy.asked, target: url.host };
    } finally {
      agent.destroy();
      centre.close();
      centre.closeAllConnections();
      proxy.close();
    }
  }

  it('is reached through a proxy, which sees its name alone', async () => {
    const { answer, asked, target } = await call(authority.cert);
    expect(answer).toBe('/here');
    expect(asked).toEqual([[target, `Basic ${Buffer.from('user:p@ss').toString('base64')}`]]);
  });

  it('is not trusted without its authority, whatever the environment says', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      const { answer } = await call(undefined);
      expect(answer).toContain('name the certificate of that authority with --ca-file');
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
  });

  it('is not reached through a proxy that refuses, which is named', async () => {
    const { answer } = await call(authority.cert, 407);
    expect(answer).toMatch(
      /^the proxy 127\.0\.0\.1:\d+ wants a user and a password: write them into its URL$/,
    );
  });
});
