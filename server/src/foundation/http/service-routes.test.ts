import { allRoutes, buildOpenApiDocument, type OpenApiDocument } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('GET /healthz', () => {
  it('200: without a credential', async () => {
    const { status, body } = await test.request('GET', '/healthz');
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'ok', version: '0.0.0-test' });
  });

  it('200: with any credential, valid or not', async () => {
    const { status } = await test.request('GET', '/healthz', { as: { access: 'nonsense' } });
    expect(status).toBe(200);
  });

  it('400: with a query parameter', async () => {
    const { status, body } = await test.request('GET', '/healthz?verbose=1');
    expect(status).toBe(400);
    expect(body).toEqual(
      problemBody(
        'unknown_query_parameter',
        "There is no query parameter 'verbose'. This route takes none.",
        [{ path: 'verbose', message: 'is unknown' }],
      ),
    );
  });
});

describe('GET /readyz', () => {
  it('200: names the database engine', async () => {
    const { status, body } = await test.request('GET', '/readyz');
    expect(status).toBe(200);
    expect(body).toEqual({ status: 'ready', database: process.env.MUSTER_TEST_ENGINE ?? 'sqlite' });
  });

  it('503 shutting_down: while it stops, but still healthy', async () => {
    const stopping = await startTestApp();
    stopping.app.stopAccepting();
    const { status, headers, body } = await stopping.request('GET', '/readyz');
    expect(status).toBe(503);
    expect(body).toEqual(problemBody('shutting_down'));
    expect(headers).toMatchObject({ 'retry-after': '1', connection: 'close' });
    const live = await stopping.request('GET', '/healthz');
    expect(live.status).toBe(200);
    expect(live.headers.connection).toBe('close');
    await stopping.close();
  });
});

describe('GET /openapi.json', () => {
  it('200: the OpenAPI document from which clients are generated', async () => {
    const { status, headers, body } = await test.request<OpenApiDocument>('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).toEqual(buildOpenApiDocument('0.0.0-test'));
    expect(Object.keys(body.paths).sort()).toEqual([...new Set(allRoutes.map(({ path }) => path))].sort());
  });
});

describe('every route of the document', () => {
  it.each(allRoutes.map(({ method, path }) => ({ method, path })))(
    'exists: $method $path',
    async ({ method, path }) => {
      const url = path.replaceAll(/\{(\w+)\}/g, '019cae10-4f78-7000-8000-000000000000');
      const { body, status } = await test.request<{ code?: string } | undefined>(method, url);
      // Only routes without a credential read the body, which is missing here.
      expect([200, 400, 401]).toContain(status);
      expect(body?.code).not.toBe('route_not_found');
    },
  );
});
