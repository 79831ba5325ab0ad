import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf, guardedRows, type Row, titled, urlOf } from '../../../testing/calls/credential-table.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { TestBrowser } from '../../../testing/receivers/test-browser.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

/** What agents and core instances call takes no cookie, although users may call some of it with an access token. Copied by hand. */
const ofAgents = [
  'PATCH /v1/agents/{agentID}',
  'POST /v1/agents/{agentID}/metrics',
  'POST /v1/agents/{agentID}/heartbeat',
];

/** Take an access token itself. */
const ofTokens = ['POST /v1/sign_in_links', 'GET /v1/access_tokens/self'];

let app: TestApp;
let project: TestProject;
let browser: TestBrowser;

beforeAll(async () => {
  app = await startTestApp();
  project = await app.createProject();
});

afterAll(() => app.close());

const titleOf = ({ method, path }: Row) => `${method} ${path}`;

async function send(row: Row, headers: Readonly<Record<string, string>> = {}) {
  const target = await row.target(app, project);
  const mediaType = row.mediaType === undefined ? {} : { 'content-type': row.mediaType };
  return browser.call(row.method, urlOf(row, target), {
    body: row.body === undefined ? undefined : bodyOf(row, target),
    headers: { ...mediaType, ...headers },
  });
}

describe.each(titled(guardedRows))('%s', (_, row) => {
  const isTaken = row.takes.includes('access') && !ofAgents.includes(titleOf(row));

  beforeAll(async () => {
    browser = new TestBrowser(app);
    await browser.signIn(app.admin);
  });

  it(isTaken ? 'takes the session of a browser' : 'takes no session', async () => {
    const { status, body } = await send(row);
    if (!isTaken)
      expect([status, body]).toEqual([401, expect.objectContaining({ code: 'missing_credential' })]);
    else if (ofTokens.includes(titleOf(row)))
      expect([status, body]).toEqual([
        403,
        expect.objectContaining({ code: 'credential_kind_not_accepted' }),
      ]);
    else expect(status).toBe(row.success);
  });

  it('changes nothing for another site', async () => {
    browser = new TestBrowser(app);
    await browser.signIn(app.admin);
    const { status, body } = await send(row, {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    });
    if (!isTaken) expect(status).toBe(401);
    else if (row.method !== 'GET') expect([status, body]).toEqual([403, problemBody('cross_origin_request')]);
  });

  it('refuses a session that has ended', async () => {
    const { cookies } = browser;
    const ended = new Map(cookies);
    await browser.submit('/sign_out');
    browser = new TestBrowser(app);
    for (const [name, value] of ended) browser.cookies.set(name, value);
    const { status, body } = await send(row);
    const code = isTaken ? 'revoked_credential' : 'missing_credential';
    expect([status, body]).toEqual([401, expect.objectContaining({ code })]);
  });
});
