import { formatInvitationCode, type Me } from '@muster/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestBrowser } from '../testing/receivers/test-browser.ts';
import { startTestApp, type TestApp, type TestProject } from '../testing/start-test-app.ts';

let app: TestApp;
let project: TestProject;
let browser: TestBrowser;

beforeAll(async () => {
  app = await startTestApp({ config: { invalidCredentialsPerAddressPerMinute: 30 } });
  project = await app.createProject();
});
afterAll(() => app.close());
beforeEach(() => {
  browser = new TestBrowser(app);
});

async function invite(): Promise<string> {
  const path = `/v1/projects/${project.id}/invitations`;
  const sent = { as: { access: app.admin }, body: { role: 'operator' } };
  return (await app.request<{ code: string }>('POST', path, sent)).body.code;
}

/** The projects and permissions of whoever the browser is signed in as. */
async function whoIsSignedIn() {
  const { body } = await browser.call<Me>('GET', '/v1/me');
  return { name: body.name, projects: body.projects?.map(({ id }) => id) };
}

describe('the page of invitations', () => {
  it('needs no session, allows no script, and takes no code from a query', async () => {
    const { status, text, headers } = await browser.open('/invitation');
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text).toContain('<form method="post" action="invitation">');
    expect(text).toContain('Your name');
    expect((await browser.open('/invitation?code=mst_i_x')).text).toBe(text);
  });

  it('creates a user, signs the browser in, and shows the access token once', async () => {
    const code = await invite();
    const answer = await browser.submit('/invitation', { form: { code: ` ${code}\n`, name: ' Ada <b> ' } });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const [token = ''] = /mst_u_\w{49}/.exec(answer.text) ?? [];
    expect(answer.text).toContain('Welcome, <bdi>Ada &lt;b&gt;</bdi>');
    expect(answer.text).toContain(`href="projects/${project.id}"`);
    expect(answer.text).not.toContain(code);
    expect(await whoIsSignedIn()).toEqual({ name: 'Ada <b>', projects: [project.id] });
    const me = await app.request<Me>('GET', '/v1/me', { as: { access: token } });
    expect(me.body).toMatchObject({ kind: 'access', name: 'Ada <b>' });
    expect(app.logs.filter((line) => line.includes(code) || line.includes(token))).toEqual([]);
  });

  it('is opened by a link with the code, which leaves the address at once, and joins by one button', async () => {
    const code = await invite();
    const opened = await browser.open(`/invitation/${code}`);
    expect([opened.status, opened.location, opened.headers['referrer-policy']]).toEqual([
      303,
      '../invitation',
      'no-referrer',
    ]);
    const { text } = await browser.open('/invitation');
    expect(text).toContain('<h1>Join <bdi>test</bdi></h1>');
    expect(text).not.toContain('Code of the invitation');
    expect(text).not.toContain(code);
    const unnamed = await browser.submit('/invitation', { form: { name: ' ' } });
    expect([unnamed.status, unnamed.text]).toEqual([422, expect.stringContaining('Enter your name')]);
    expect(unnamed.text).toContain('<h1>Join ');
    const answer = await browser.submit('/invitation', { form: { name: 'Ada' } });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Welcome, <bdi>Ada</bdi>')]);
    expect(await whoIsSignedIn()).toEqual({ name: 'Ada', projects: [project.id] });
    // The code is gone with it: the page asks for one again.
    expect((await browser.open('/invitation')).text).toContain('Code of the invitation');
    expect(app.logs.filter((line) => line.includes(code))).toEqual([]);
  });

  it('accepts no invitation but the one that it has shown, whatever link was opened meanwhile', async () => {
    const other = await app.createProject('other');
    const sent = { as: { access: app.admin }, body: { role: 'viewer' } };
    const path = `/v1/projects/${other.id}/invitations`;
    const { body } = await app.request<{ code: string }>('POST', path, sent);
    await browser.open(`/invitation/${await invite()}`);
    await browser.open('/invitation');
    await browser.open(`/invitation/${body.code}`);
    const answer = await browser.submit('/invitation', { form: { name: 'Ada' } });
    expect([answer.status, answer.location]).toEqual([303, './invitation']);
    expect((await browser.open('/invitation')).text).toContain('<h1>Join <bdi>other</bdi></h1>');
    await browser.submit('/invitation', { form: { name: 'Ada' } });
    expect(await whoIsSignedIn()).toEqual({ name: 'Ada', projects: [other.id] });
  });

  it.each([
    ['is not complete', async () => 'mst_i_nonsense', '/invitation/mst_i_nonsense', 404],
    ['is unknown', async () => formatInvitationCode(Buffer.alloc(32, 7)), '/invitation', 404],
    [
      'was used',
      async () => {
        const code = await invite();
        await new TestBrowser(app).submit('/invitation', { form: { code, name: 'Bob' } });
        return code;
      },
      '/invitation',
      410,
    ],
  ])('refuses a link whose code %s, and then asks for a code', async (_, makeCode, page, status) => {
    await browser.open(`/invitation/${await makeCode()}`);
    const refused = await browser.open(page);
    expect(refused.status).toBe(status);
    const again = await browser.open('/invitation');
    expect([again.status, again.text]).toEqual([200, expect.stringContaining('Code of the invitation')]);
  });

  it('adds the project to the account of somebody who is signed in', async () => {
    const other = await app.createProject('other');
    const path = `/v1/projects/${other.id}/invitations`;
    const sent = { as: { access: app.admin }, body: { role: 'viewer' } };
    const { body } = await app.request<{ code: string }>('POST', path, sent);
    await browser.submit('/invitation', { form: { code: body.code, name: 'Grace' } });
    expect((await browser.open('/invitation')).text).toContain(
      '<button><span>Accept as <bdi>Grace</bdi></span></button>',
    );
    const { status, location } = await browser.submit('/invitation', { form: { code: await invite() } });
    expect([status, location]).toEqual([303, `./projects/${project.id}`]);
    expect(await whoIsSignedIn()).toEqual({
      name: 'Grace',
      projects: [project.id, other.id].sort().reverse(),
    });
  });

  it('shows what is hidden in a name, and keeps its direction to itself', async () => {
    const name = 'Ada\u202e\u200b \u05d0';
    const shown = '<bdi>Ada<span class="mark">U+202E</span><span class="mark">U+200B</span> \u05d0</bdi>';
    const answer = await browser.submit('/invitation', { form: { code: await invite(), name } });
    expect(answer.text).toContain(`<h1>Welcome, ${shown}</h1>`);
    expect((await browser.open('/invitation')).text).toContain(`<span>Accept as ${shown}</span>`);
    expect(await whoIsSignedIn()).toMatchObject({ name });
  });

  it.each([
    [
      'an unknown code',
      { code: 'mst_i_nonsense', name: 'Eve' },
      404,
      'There is no invitation with this code.',
    ],
    ['no name', { code: 'mst_i_nonsense', name: ' ' }, 422, 'Enter your name'],
    ['a long name', { code: 'mst_i_nonsense', name: 'x'.repeat(129) }, 422, 'Enter your name'],
  ])('refuses %s, and asks again', async (_, form, status, text) => {
    const answer = await browser.submit('/invitation', { form });
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(text)]);
    expect(answer.text).toContain('role="alert"');
    expect(answer.text).not.toContain(form.code);
    expect(browser.session).toBeUndefined();
  });

  it('refuses a code that was used', async () => {
    const code = await invite();
    await browser.submit('/invitation', { form: { code, name: 'Ada' } });
    const another = await new TestBrowser(app).submit('/invitation', { form: { code, name: 'Eve' } });
    expect([another.status, another.text]).toEqual([410, expect.stringContaining('role="alert"')]);
  });

  it.each([
    ['NUL', 'A\0da', 'Your name contains NUL (U+0000); remove it.'],
    ['too much', 'x'.repeat(129), 'Enter your name: 1 to 128 characters.'],
  ])('refuses a name that cannot be stored: %s', async (_, name, text) => {
    const code = await invite();
    const answer = await browser.submit('/invitation', { form: { code, name } });
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(text)]);
    expect((await browser.submit('/invitation', { form: { code, name: 'Ada' } })).status).toBe(200);
  });

  it('accepts it for nobody but the user whom it has shown', async () => {
    const code = await invite();
    const signedUp = async (name: string) => {
      const one = new TestBrowser(app);
      await one.submit('/invitation', { form: { code: await invite(), name } });
      return one;
    };
    const [ada, eve] = [await signedUp('Ada'), await signedUp('Eve')];
    await ada.open('/invitation');
    await browser.open('/invitation');
    // Signed in as somebody else in another tab, or by a link of another site.
    for (const one of [ada, browser]) {
      one.cookies.set('muster_session', eve.session ?? '');
      const { status, text } = await one.submit('/invitation', { form: { code, name: 'Ada' } });
      expect([status, text]).toEqual([409, expect.stringContaining('Somebody else is signed in now')]);
      expect(text).toContain('Accept as <bdi>Eve</bdi>');
    }
    const { status } = await new TestBrowser(app).submit('/invitation', { form: { code, name: 'Bob' } });
    expect(status).toBe(200);
  });

  it('counts unknown codes like invalid credentials, as the API does, and never limits a valid one', async () => {
    app.clock.advance(60_000);
    const code = await invite();
    const form = { code: 'mst_i_nonsense', name: 'Eve' };
    const statuses: number[] = [];
    for (let times = 0; times < 16; times += 1) {
      statuses.push((await browser.submit('/invitation', { form })).status);
      statuses.push((await app.request('POST', '/v1/invitations/sign_up', { body: form })).status);
    }
    expect(statuses).toEqual([...Array<number>(30).fill(404), 429, 429]);
    const refused = await browser.submit('/invitation', { form });
    expect([refused.headers['retry-after'], refused.text]).toEqual([
      '2',
      expect.stringContaining('Too many invalid credentials'),
    ]);
    expect((await browser.submit('/invitation', { form: { code, name: 'Ada' } })).status).toBe(200);
    app.clock.advance(60_000);
  });

  it('accepts nothing from another site', async () => {
    const code = await invite();
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const answer = await browser.submit('/invitation', { form: { code, name: 'Eve' }, headers });
    expect(answer.status).toBe(403);
    expect((await browser.submit('/invitation', { form: { code, name: 'Ada' } })).status).toBe(200);
  });
});
