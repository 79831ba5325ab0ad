import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestBrowser } from '../testing/receivers/test-browser.ts';
import { startTestApp, type TestApp } from '../testing/start-test-app.ts';

const script = 'console.log("a");';

let app: TestApp;
let browser: TestBrowser;
let directory: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'muster-dashboard-'));
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<base href="%BASE%"><meta nonce="%NONCE%">');
  writeFileSync(join(directory, 'assets/main-1.js.br'), brotliCompressSync(script));
  writeFileSync(join(directory, 'assets/main-1.js.gz'), gzipSync(script));
  app = await startTestApp({ dashboardDirectory: directory });
  browser = new TestBrowser(app);
  await browser.signIn(app.admin);
});
afterAll(async () => {
  await app.close();
  rmSync(directory, { recursive: true });
});

describe('the page of the dashboard', () => {
  it.each([
    ['/', './'],
    ['/projects/p/causes?q=a', '../../'],
    ['/projects/p/causes/c', '../../../'],
    ['/account/sessions', '../'],
  ])('is served at %s, and names the root of the service', async (path, root) => {
    const { status, text, headers } = await browser.open(path);
    const nonce = /nonce="([^"]+)"/.exec(text)?.[1];
    expect([status, text]).toEqual([200, `<base href="${root}"><meta nonce="${nonce}">`]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'`,
    });
  });

  it('has another nonce each time', async () => {
    expect((await browser.open('/')).text).not.toBe((await browser.open('/')).text);
  });

  it.each([
    ['/', './sign_in'],
    ['/projects/p/causes?q=a%26b', '../../sign_in?return_to=%2Fprojects%2Fp%2Fcauses%3Fq%3Da%2526b'],
  ])('leads to the sign-in page without a session, and from there back to %s', async (path, location) => {
    const answer = await new TestBrowser(app).open(path);
    expect([answer.status, answer.location]).toEqual([303, location]);
  });

  it('is a missing route for programs', async () => {
    for (const path of ['/', '/projects/p']) {
      const { status, body } = await app.request('GET', path);
      expect([status, body]).toEqual([404, expect.objectContaining({ code: 'route_not_found' })]);
    }
  });

  it('refuses a credential in its address', async () => {
    expect((await browser.open(`/projects/p?token=${app.admin}`)).status).toBe(400);
  });
});

describe('a file of the dashboard', () => {
  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip, br;q=0', 'gzip', gunzipSync],
    ['', undefined, (bytes: Buffer) => bytes],
  ] as const)(
    'is sent compressed as %j accepts it, and kept by the browser',
    async (accepted, encoding, decode) => {
      const answer = await app.app.http.inject({
        url: '/assets/main-1.js',
        headers: accepted === '' ? {} : { 'accept-encoding': accepted },
      });
      expect([answer.statusCode, decode(answer.rawPayload).toString()]).toEqual([200, script]);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        'x-content-type-options': 'nosniff',
      });
      expect(answer.headers['content-encoding']).toBe(encoding);
    },
  );

  it.each(['/assets/main-2.js', '/assets/..%2Findex.html', '/assets/main-1.js.br', '/assets/'])(
    'is not found at %s',
    async (path) => {
      expect((await app.request('GET', path)).status).toBe(404);
    },
  );
});
