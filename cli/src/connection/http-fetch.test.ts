import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getLiveness } from '@muster/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createConnectedClient } from './connect.ts';
import { httpFetch } from './http-fetch.ts';

let server: Server | undefined;

afterEach(() => {
  vi.unstubAllGlobals();
  server?.closeAllConnections();
  server?.close();
});

async function listen(answer: RequestListener): Promise<string> {
  const started = createServer(answer);
  server = started;
  await new Promise<void>((resolve) => {
    started.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}/v1/me`;
}

const init = (more: object = {}) => ({
  method: 'GET',
  headers: { accept: 'application/json' },
  redirect: 'manual' as const,
  signal: new AbortController().signal,
  ...more,
});

describe('fetch of the command', () => {
  it('sends the request, and gives status, headers and text of the answer', async () => {
    const url = await listen(async (request, response) => {
      const body: Buffer[] = [];
      for await (const chunk of request) body.push(chunk);
      response.setHeader('Link', ['<a>', '<b>']);
      response.statusCode = 201;
      const { method, headers } = request;
      response.end(`${method} ${headers.accept} ${headers['content-length']} ${Buffer.concat(body)} ü`);
    });
    const answer = await httpFetch(url, init({ method: 'POST', body: '{"ä":1}' }));
    expect([answer.status, answer.headers.get('Link'), answer.headers.get('retry-after')]).toEqual([
      201,
      '<a>, <b>',
      null,
    ]);
    expect(await answer.text()).toBe('POST application/json 8 {"ä":1} ü');
  });

  it('follows no redirect, and gives an answer piece by piece until its signal ends it', async () => {
    const url = await listen((_, response) => {
      response.writeHead(302, { location: '/elsewhere' });
      response.write('one');
    });
    const controller = new AbortController();
    const answer = await httpFetch(url, init({ signal: controller.signal }));
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/elsewhere']);
    const reader = answer.body?.getReader();
    expect(await reader?.read()).toEqual({ done: false, value: Buffer.from('one') });
    const next = reader?.read();
    controller.abort();
    await expect(next).rejects.toThrow('aborted');
  });

  it('is the only one that commands use', async () => {
    const url = await listen((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"version":"1"}');
    });
    vi.stubGlobal('fetch', () => Promise.reject(new Error('the fetch of Node.js is loaded')));
    const terminal = { stderr: { write: () => true }, every: () => () => undefined };
    const client = await createConnectedClient(terminal, new URL(url).origin, undefined);
    expect(await getLiveness(client)).toEqual({ version: '1' });
  });

  it('fails with the reason of the system', async () => {
    const url = await listen((_, response) => response.destroy());
    await expect(httpFetch(url, init())).rejects.toMatchObject({ code: 'ECONNRESET' });
    server?.close();
    await expect(httpFetch(url, init())).rejects.toMatchObject({ code: 'ECONNREFUSED', syscall: 'connect' });
  });
});
