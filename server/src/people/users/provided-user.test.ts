import { type AccessToken, grantsOfRole, type Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemBody } from '../../testing/calls/problem-body.ts';
import {
  type IdentityProvider,
  startIdentityProvider,
  testAudience,
} from '../../testing/receivers/identity-provider.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

const hour = 3_600_000;
const day = 24 * hour;

let provider: IdentityProvider;
let app: TestApp;
let projectID: string;

beforeAll(async () => {
  provider = await startIdentityProvider();
  const operators = {
    isAdministrator: false,
    everyProject: grantsOfRole('operator'),
    projects: new Map(),
  };
  const oidc = { issuer: provider.issuer, audience: testAudience };
  app = await startTestApp({ config: { oidc, oidcRoles: new Map([['operators', operators]]) } });
  projectID = (await app.createProject()).id;
});

afterAll(async () => {
  await app.close();
  await provider.close();
});

/** A token of the provider with a minute left. */
function sign(): Promise<string> {
  return provider.sign({ sub: 'u-1', name: 'Ada', groups: ['operators'] }, app.clock.now());
}

const inMilliseconds = (milliseconds: number) => new Date(app.clock.now() + milliseconds).toISOString();

function refusal(limit: string, reason: string) {
  return problemBody(
    'expiry_exceeds_own',
    `The token may be valid until ${limit} at the latest, ${reason}.`,
    [{ path: '/expiresAt', message: `must be ${limit} or earlier` }],
  );
}

describe('a user of the identity provider with a minute left', () => {
  it('creates access tokens that are valid for at most a day, and those create none that last longer', async () => {
    const create = (access: string, expiresAt?: string | null) =>
      app.request<AccessToken>('POST', '/v1/access_tokens', {
        as: { access },
        body: { name: 'laptop', ...(expiresAt === undefined ? {} : { expiresAt }) },
      });
    const token = await sign();
    const limit = inMilliseconds(day);
    const { body: made } = await create(token);
    expect(made.expiresAt).toBe(limit);
    expect((await create(token, inMilliseconds(hour))).body.expiresAt).toBe(inMilliseconds(hour));
    for (const end of [null, inMilliseconds(day + 1)]) {
      const { status, body } = await create(token, end);
      expect(status).toBe(403);
      expect(body).toEqual(
        refusal(
          limit,
          'because this installation limits users of the identity provider to 24 hours (MUSTER_OIDC_ACCESS_TOKEN_HOURS)',
        ),
      );
    }
    app.clock.advance(hour);
    expect((await create(made.token)).body.expiresAt).toBe(limit);
    expect((await create(made.token, inMilliseconds(day))).body).toEqual(
      refusal(limit, 'because the credential that creates it expires then'),
    );
    app.clock.advance(23 * hour);
    expect((await create(made.token)).status).toBe(401);
  });

  it('creates and extends project tokens for at most a year, with any of their credentials', async () => {
    const token = await sign();
    const { body: laptop } = await app.request<AccessToken>('POST', '/v1/access_tokens', {
      as: { access: token },
      body: { name: 'laptop' },
    });
    const own = await app.createToken(projectID, []);
    const limit = inMilliseconds(365 * day);
    const reason =
      'because this installation limits tokens that users of the identity provider create (MUSTER_OIDC_PROJECT_TOKEN_DAYS)';
    for (const access of [token, laptop.token]) {
      const create = (body: object) =>
        app.request<Token>('POST', `/v1/projects/${projectID}/tokens`, {
          as: { access },
          body: { name: 'fleet', ...body },
        });
      const update = (body: object) =>
        app.request<Token>('PATCH', `/v1/project_tokens/${own.id}`, { as: { access }, body });
      expect((await create({})).body.expiresAt).toBe(limit);
      expect((await create({ expiresAt: inMilliseconds(day) })).body.expiresAt).toBe(inMilliseconds(day));
      for (const expiresAt of [null, inMilliseconds(365 * day + 1)]) {
        expect((await create({ expiresAt })).body).toEqual(refusal(limit, reason));
        expect((await update({ expiresAt })).body).toEqual(refusal(limit, reason));
      }
      expect((await update({ name: 'renamed' })).body).toMatchObject({ name: 'renamed', expiresAt: null });
    }
  });

  it('gets 503 while the provider is down, with one log line for all requests', async () => {
    provider.isUp = false;
    const down = await startTestApp({
      config: { oidc: { issuer: provider.issuer, audience: testAudience } },
    });
    const token = await sign();
    for (let time = 0; time < 20; time += 1) {
      const { status, headers } = await down.request('GET', '/v1/me', { as: { access: token } });
      expect([status, headers['retry-after']]).toEqual([503, expect.stringMatching(/^[1-9]\d*$/)]);
    }
    const lines = down.logs.filter((line) => line.includes('identity provider'));
    expect(lines).toHaveLength(1);
    expect(down.logs.join('')).not.toContain('    at ');
    await down.close();
    provider.isUp = true;
  });
});
