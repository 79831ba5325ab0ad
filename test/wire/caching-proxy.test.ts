import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ListeningApp, startListeningApp } from '../robustness/listening-app.ts';
import { type CachingProxy, startCachingProxy } from './caching-proxy.ts';

let app: ListeningApp;
let cache: CachingProxy;

beforeAll(async () => {
  app = await startListeningApp();
  cache = await startCachingProxy(app.port);
});
afterAll(async () => {
  await cache.close();
  await app.test.close();
});

async function ask(path: string, token?: string) {
  const answer = await fetch(cache.url + path, {
    headers: token === undefined ? {} : { 'x-project-token': token },
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

describe('a cache in front of the service that finds answers by their URL', () => {
  it("never serves one project's answers to another, nor to a client without a credential", async () => {
    const [one, other] = [await app.test.createProject('one'), await app.test.createProject('other')];
    const [ofOne, ofOther] = [
      (await app.test.createToken(one.id, ['*'])).token,
      (await app.test.createToken(other.id, ['*'])).token,
    ];
    await app.test.registerAgent(one, 'host-of-one');

    const agents = `/v1/projects/${one.id}/agents`;
    expect(await ask(agents, ofOne)).toMatchObject({ status: 200, body: [{ machineID: 'host-of-one' }] });
    expect(await ask(agents, ofOther)).toMatchObject({ status: 404 });
    expect(await ask(agents)).toMatchObject({ status: 401 });

    for (const path of ['/v1/projects', '/v1/me']) {
      const own = await ask(path, ofOne);
      expect(own.status).toBe(200);
      expect(await ask(path, ofOther)).not.toEqual(own);
      expect(await ask(path)).toMatchObject({ status: 401 });
    }
    expect(cache.held()).toEqual([]);
  });

  it('forwards every health check', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json']) await ask(path);
    expect(cache.held()).toEqual([]);
  });

  it('would serve them if the service sent no Cache-Control', async () => {
    const careless = createServer((request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ for: request.headers['x-project-token'] ?? 'nobody' }));
    });
    await new Promise<void>((resolve) => careless.listen(0, '127.0.0.1', resolve));
    const before = await startCachingProxy((careless.address() as AddressInfo).port); // it listens on TCP
    const read = async (token: string) =>
      (await fetch(`${before.url}/list`, { headers: { 'x-project-token': token } })).json();
    expect(await read('one')).toEqual({ for: 'one' });
    expect(await read('other')).toEqual({ for: 'one' });
    await before.close();
    await new Promise((resolve) => careless.close(resolve));
  });
});
