import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestBrowser } from '../testing/receivers/test-browser.ts';
import { startTestApp, type TestApp } from '../testing/start-test-app.ts';

let app: TestApp;
let browser: TestBrowser;

beforeAll(async () => {
  app = await startTestApp({ config: { invalidCredentialsPerAddressPerMinute: 20 } });
});
afterAll(() => app.close());

beforeEach(() => {
  browser = new TestBrowser(app);
  app.clock.advance(60_000);
});

describe('GET /', () => {
  it('says how to build the dashboard where there is none', async () => {
    await browser.signIn(app.admin);
    const { status, text, headers } = await browser.open('/');
    expect([status, headers['cache-control']]).toEqual([404, 'no-store']);
    expect(text).toContain('npm run build');
  });
});

describe('the sign-in page', () => {
  it('allows no script, no frame, no other host and nothing inline', async () => {
    const { headers, text } = await browser.open('/sign_in');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(text).not.toMatch(/<script|<style|style="|onclick/);
  });

  it('returns to the place that asked, and never to another site', async () => {
    for (const [asked, location] of [
      ['/docs?x=1', './docs?x=1'],
      ['https://evil.example/', './'],
      ['//evil.example', './'],
      ['/\\evil.example', './'],
      ['', './'],
    ] as const) {
      const form = { token: app.admin, return_to: asked };
      const answer = await new TestBrowser(app).submit('/sign_in', { form });
      expect([asked, answer.status, answer.location]).toEqual([asked, 303, location]);
    }
  });

  it.each([
    ['', 401, 'No token'],
    ['nonsense', 401, 'This token is not valid'],
    ['mst_u_…wXyZ', 401, 'This token is masked'],
    ['PAYLOAD.mst_p_x', 403, 'This is no access token'],
  ])('says what is wrong with %j, and never shows it again', async (token, status, title) => {
    const answer = await browser.submit('/sign_in', { form: { token } });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(`<h2>${title}</h2>`)]);
    expect(answer.text).toContain('aria-invalid="true"');
    if (token !== '') expect(answer.text).not.toContain(token);
    expect(browser.session).toBeUndefined();
  });

  it('limits guesses from one address', async () => {
    let last = 0;
    for (let times = 0; times < 25; times += 1)
      last = (await browser.submit('/sign_in', { form: { token: `guess-${times}` } })).status;
    expect(last).toBe(429);
    expect((await browser.submit('/sign_in', { form: { token: app.admin } })).status).toBe(303);
  });

  it('signs nobody in for another site: login CSRF', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const answer = await browser.submit('/sign_in', { form: { token: app.admin }, headers });
    expect(answer.status).toBe(403);
    expect(browser.session).toBeUndefined();
  });
});
