import { buildOpenApiDocument, problemCodes, problems } from '@muster/contract';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpApp } from '../../foundation/http/create-http-app.ts';
import { RefusalLog } from '../../foundation/http/refusal-log.ts';
import { mountReferencePage } from './reference-page.ts';

const document = buildOpenApiDocument('1.2.3');
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const logger = pino({ level: 'silent' });
const app = createHttpApp({
  logger,
  refusals: new RefusalLog(logger),
  trustProxy: false,
  newRequestID: () => 'request-1',
  isDatabaseFailure: () => false,
  isStopping: () => false,
});

beforeAll(async () => {
  mountReferencePage(app, () => document);
  await app.ready();
});
afterAll(() => app.close());

describe('GET /docs', () => {
  it('200: every operation, schema and code, each under its own id', async () => {
    const { body, statusCode, headers } = await app.inject('/docs');
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(
      expect.arrayContaining([
        ...operations.map(({ operationId }) => operationId),
        ...Object.keys(document.components.schemas).map((name) => `schema-${name}`),
        ...problemCodes.map((code) => `error-${code}`),
      ]),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('leads nowhere that is not there', async () => {
    const { body } = await app.inject('/docs');
    const links = [...body.matchAll(/ (?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);
    const ids = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`));
    expect(links.filter((link) => link.startsWith('#') && !ids.has(link))).toEqual([]);
    const pages = new Set(links.filter((link) => !link.startsWith('#') && link !== 'openapi.json'));
    for (const page of pages) {
      expect([page, (await app.inject(`/${page}`)).statusCode]).toEqual([page, 200]);
    }
  });

  it.each(['/docs', '/docs/style.css', '/docs/page.js', '/docs/icon.svg', '/errors/not_found'])(
    '%s names no other host and has nothing inline',
    async (path) => {
      const { body, headers } = await app.inject(path);
      // The text of a page may mention addresses, such as those of examples.
      const isPage = headers['content-type']?.toString().startsWith('text/html');
      const read = isPage ? body.replaceAll(/>[^<]*</g, '><') : body;
      expect(read.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
        /https?:\/\/|["'(]\/\/|@import|url\(/,
      );
      expect(body).not.toMatch(
        /<style|<script(?! src="[^"]+" defer><\/script>)| style=| on[a-z]+="|javascript:|data:/,
      );
    },
  );

  it.each(['/docs', '/docs/style.css', '/docs/page.js', '/docs/icon.svg', '/errors/not_found'])(
    '%s keeps the browser to the files of this service',
    async (path) => {
      const { headers } = await app.inject(path);
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    },
  );

  it('304: to a browser that has it already', async () => {
    const first = await app.inject('/docs');
    const again = await app.inject({
      url: '/docs',
      headers: { 'if-none-match': String(first.headers.etag) },
    });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', first.headers.etag]);
  });

  it('308: from /docs/, by a relative path', async () => {
    const { statusCode, headers } = await app.inject('/docs/');
    expect([statusCode, headers.location]).toEqual([308, '../docs']);
  });

  it('400: to any query', async () => {
    const unknown = await app.inject('/docs?theme=dark');
    expect([unknown.statusCode, unknown.json().code]).toEqual([400, 'unknown_query_parameter']);
    const credential = await app.inject('/docs?token=x');
    expect([credential.statusCode, credential.json().code]).toEqual([400, 'credential_in_query']);
  });
});

describe('GET /errors/{code}', () => {
  it.each(problemCodes)('200: %s says what to do', async (code) => {
    const { body, statusCode, headers } = await app.inject(`/errors/${code}`);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain(`<h1>${problems[code].title}</h1>`);
    expect(body).toContain(String(problems[code].status));
    expect(body).toContain(problems[code].help.replaceAll("'", '&#39;').replaceAll('"', '&quot;'));
    expect(body).toContain('href="../docs#errors-by-code"');
  });

  it('names the operations that answer it', async () => {
    const { body } = await app.inject('/errors/equal_agent_error_open');
    const links = [...body.matchAll(/href="\.\.\/docs#(\w+)"/g)].map(([, id]) => id);
    expect(links).toEqual(['reopenAgentError']);
  });

  it.each(['nope', 'NOT_FOUND', 'constructor', '__proto__', '%3Cscript%3E'])('404: %s', async (code) => {
    const answer = await app.inject(`/errors/${code}`);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ]);
    expect(answer.json()).toMatchObject({
      code: 'route_not_found',
      detail: `There is no error code '${decodeURIComponent(code)}'. See /docs#errors-by-code for every one.`,
    });
  });

  it('is where the type of every problem leads', async () => {
    const { type } = (await app.inject('/nowhere')).json();
    expect((await app.inject(type)).statusCode).toBe(200);
  });
});
