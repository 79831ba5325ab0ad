import { randomBytes } from 'node:crypto';
import { type AccessToken, formatProjectToken, formatToken, type Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../../testing/calls/agent-calls.ts';
import {
  guardedRows,
  type Kind,
  type Row,
  rows,
  sampledByEngine,
  send,
  type Target,
  titled,
  urlOf,
} from '../../../testing/calls/credential-table.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import {
  type Credentials,
  startTestApp,
  type TestApp,
  type TestProject,
} from '../../../testing/start-test-app.ts';

const kinds = ['access', 'project', 'agent', 'core_instance'] as const;
const someID = '0192f0a0-0000-7000-8000-000000000000';

/** The accepted headers, as the service names them. */
const headers = {
  access: 'Authorization: Bearer',
  project: 'X-Project-Token',
  agent: 'X-Agent-Token',
  core_instance: 'X-Core-Instance-Token',
};
const basicChallenge = 'Basic realm="muster", charset="UTF-8"';
const challenges = {
  access: 'Bearer realm="muster"',
  project: 'X-Project-Token realm="muster"',
  agent: 'X-Agent-Token realm="muster"',
  core_instance: 'X-Core-Instance-Token realm="muster"',
};

let app: TestApp;
let project: TestProject;
let valid: Readonly<Record<Kind, string>>;
/** Refused credentials, by the code of the refusal. */
let refused: readonly { readonly why: string; readonly code: RefusalCode; readonly as: Credentials }[];

type RefusalCode = 'invalid_credential' | 'masked_credential' | 'expired_credential' | 'revoked_credential';

beforeAll(async () => {
  app = await startTestApp();
  project = await app.createProject();
  const { token } = await app.createToken(project.id, ['*']);
  valid = {
    access: app.admin,
    project: token,
    agent: (await app.registerAgent(project)).token,
    core_instance: (await app.createCoreInstance(project)).token,
  };
  refused = [...malformed(), ...unknown(), ...(await expired()), ...(await revoked())];
});

afterAll(() => app.close());

function malformed(): typeof refused {
  const code = 'invalid_credential';
  return kinds.flatMap((kind) => [
    { why: 'no token at all', code, as: { [kind]: 'nonsense' } },
    { why: 'too long for any token', code, as: { [kind]: 'A'.repeat(8_000) } },
    { why: 'one character changed', code, as: { [kind]: withOtherCharacter(valid[kind]) } },
    { why: 'cut', code, as: { [kind]: valid[kind].slice(0, -1) } },
    { why: 'two in one', code, as: { [kind]: `${valid[kind]},${valid[kind]}` } },
    {
      why: 'masked',
      code: 'masked_credential',
      as: { [kind]: `mst_${kind === 'access' ? 'u' : kind[0]}_…wXyZ` },
    },
  ]);
}

function unknown(): typeof refused {
  const code = 'invalid_credential';
  return [
    { why: 'well-formed', code, as: { access: formatToken('access', randomBytes(32)) } },
    { why: 'well-formed', code, as: { agent: formatToken('agent', randomBytes(32)) } },
    {
      why: 'well-formed, of an existing project',
      code,
      as: { project: formatProjectToken({ projectID: project.id, tokenID: someID }, randomBytes(32)) },
    },
    { why: 'a token of another kind', code, as: { access: valid.agent } },
    { why: 'a token of another kind', code, as: { project: valid.access } },
    { why: 'a token of another kind', code, as: { agent: valid.project } },
    { why: 'a token of another kind', code, as: { core_instance: valid.agent } },
    {
      why: 'well-formed',
      code,
      as: { core_instance: formatToken('core_instance', randomBytes(32)) },
    },
  ];
}

async function expired(): Promise<typeof refused> {
  const soon = new Date(app.clock.now() + 1_000).toISOString();
  const [access, ofProject] = await Promise.all([
    makeAccessToken({ name: 'x', expiresAt: soon }),
    makeProjectToken({ name: 'x', permissions: ['*'], expiresAt: soon }),
  ]);
  await use({ access: access.token });
  app.clock.advance(1_000);
  const code = 'expired_credential';
  return [
    { why: 'used before', code, as: { access: access.token } },
    { why: 'never used', code, as: { project: ofProject.token } },
  ];
}

async function revoked(): Promise<typeof refused> {
  const access = await makeAccessToken({ name: 'x' });
  const ofProject = await makeProjectToken({ name: 'x', permissions: ['*'] });
  await use({ project: ofProject.token });
  await app.request('DELETE', `/v1/access_tokens/${access.id}`, { as: { access: app.admin } });
  await app.request('DELETE', `/v1/project_tokens/${ofProject.id}`, { as: { access: app.admin } });
  const replaced = await app.registerAgent(project, 'replaced');
  await use({ agent: replaced.token });
  await use({ agent: (await app.registerAgent(project, 'replaced')).token });
  await callAgents(app).untilEnded(replaced.token);
  const code = 'revoked_credential';
  return [
    { why: 'never used', code, as: { access: access.token } },
    { why: 'used before', code, as: { project: ofProject.token } },
    { why: 'replaced by later ones', code: 'invalid_credential', as: { agent: replaced.token } },
  ];
}

async function makeAccessToken(body: object): Promise<AccessToken> {
  return (await app.request<AccessToken>('POST', '/v1/access_tokens', { as: { access: app.admin }, body }))
    .body;
}

async function makeProjectToken(body: object): Promise<Token> {
  const url = `/v1/projects/${project.id}/tokens`;
  return (await app.request<Token>('POST', url, { as: { access: app.admin }, body })).body;
}

async function use(as: Credentials): Promise<void> {
  expect((await app.request('GET', '/v1/me', { as })).status).toBe(200);
}

function withOtherCharacter(token: string): string {
  const index = token.length - 20;
  return token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
}

function listed({ takes }: Row): string {
  return takes.map((kind) => headers[kind]).join(' or ');
}

function challenge({ takes, takesBasic }: Row): string {
  return [...takes.map((kind) => challenges[kind]), ...(takesBasic ? [basicChallenge] : [])].join(', ');
}

function asPassword(token: string) {
  return { headers: { authorization: `Basic ${Buffer.from(`any user:${token}`).toString('base64')}` } };
}

/** The same route, with a request that would be invalid after authentication. */
async function sendNonsense(row: Row, as: Credentials) {
  const url = urlOf(row, { params: {} }).replaceAll('the target lacks it', 'no-id');
  const withBody = row.method === 'GET' ? {} : { body: '{', headers: { 'content-type': 'text/plain' } };
  return app.request(row.method, `${url}?nonsense=1`, { as, ...withBody });
}

/** Whoever has no valid credential learns nothing about the request. */
async function expectSameOfNonsense(row: Row, as: Credentials, asked: string): Promise<void> {
  const nonsense = await sendNonsense(row, as);
  expect(nonsense.status).toBe(401);
  expect(withoutRequestID(nonsense.text)).toBe(withoutRequestID(asked));
}

describe('the table of routes and credentials', () => {
  it('has a row for exactly the routes that the app has', () => {
    const served = routesOf(app.app.http.printRoutes({ commonPrefix: false }));
    const own = served.filter((route) => !isPage(route));
    expect(own.sort()).toEqual(rows.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('has a row for exactly the documented routes', async () => {
    const { body } = await app.request<{ paths: Record<string, object> }>('GET', '/openapi.json');
    const documented = Object.entries(body.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual(rows.map(({ method, path }) => `${method} ${path}`).sort());
  });
});

// Before an operation, and the same for each: a look-up, and a comparison with what the route takes.
describe.each(titled(sampledByEngine(guardedRows)))('%s', (_, row) => {
  let target: Target;

  beforeAll(async () => {
    target = await row.target(app, project);
  });

  it('refuses a missing credential with 401 and names the accepted kinds, before it reads the request', async () => {
    const answer = await send(app, row, target);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe(challenge(row));
    expect(answer.body).toEqual(problemBody('missing_credential', `Send a credential as ${listed(row)}.`));
    await expectSameOfNonsense(row, {}, answer.text);
  });

  it('refuses every invalid credential of a listed kind with 401 and the reason, before it reads the request', async () => {
    for (const { why, code, as } of refused) {
      const [kind] = Object.keys(as) as Kind[]; // each is of one kind
      if (kind === undefined || !row.takes.includes(kind)) continue;
      const answer = await send(app, row, target, { as });
      const where = `${kind} token, ${why}`;
      expect(answer.body, where).toEqual(problemBody(code));
      expect(answer.status, where).toBe(401);
      expect(answer.headers['www-authenticate'], where).toBe(challenge(row));
      await expectSameOfNonsense(row, as, answer.text);
    }
  });

  it('refuses other kinds with 403 and names the accepted kinds', async () => {
    const others = kinds.filter((kind) => !row.takes.includes(kind));
    const all = Object.fromEntries(others.map((kind) => [kind, valid[kind]]));
    for (const as of [
      ...others.map((kind) => ({ [kind]: valid[kind] })),
      ...others.map((kind) => ({ [kind]: 'x' })),
      all,
    ]) {
      if (Object.keys(as).length === 0) continue;
      const answer = await send(app, row, target, { as });
      expect(answer.status).toBe(403);
      expect(answer.headers['www-authenticate']).toBeUndefined();
      expect(answer.body).toEqual(
        problemBody('credential_kind_not_accepted', `This route takes ${listed(row)}.`),
      );
    }
  });

  it('refuses a token in the query string, even with a valid credential', async () => {
    for (const query of [`access_token=${valid.access}`, 'token=x', `name=${valid.project}`, valid.agent]) {
      for (const as of [{}, { access: app.admin, project: valid.project }]) {
        const answer = await app.request(row.method, urlOf(row, target, query), { as });
        expect(answer.status).toBe(400);
        expect(answer.body).toMatchObject({ code: 'credential_in_query' });
        expect(answer.text).not.toContain(valid.access);
      }
    }
  });

  it('uses the first accepted kind if several are sent', async () => {
    const [first = 'access', ...rest] = row.takes;
    const invalidFirst = {
      ...Object.fromEntries(kinds.map((kind) => [kind, valid[kind]])),
      [first]: 'nonsense',
    };
    const answer = await send(app, row, target, { as: invalidFirst });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual(problemBody('invalid_credential'));
    // The last kind is used only if no other listed one is sent.
    const last = rest.at(-1);
    if (last === undefined) return;
    const onlyLast = Object.fromEntries(
      kinds.map((kind) => [kind, row.takes.includes(kind) ? '' : valid[kind]]),
    );
    const alone = await send(app, row, target, { as: { ...withoutEmpty(onlyLast), [last]: 'nonsense' } });
    expect(alone.body).toEqual(problemBody('invalid_credential'));
  });
});

describe.each(titled(sampledByEngine(guardedRows)))('%s', (_, row) => {
  it('accepts a project token as Bearer exactly on routes that accept project tokens', async () => {
    const asBearer = { headers: { authorization: `Bearer ${valid.project}` } };
    const answer = await send(app, row, await row.target(app, project), asBearer);
    if (row.takes.includes('project')) expect(answer.status).toBe(row.success);
    else expect(answer.body).toMatchObject({ code: 'credential_kind_not_accepted' });
  });

  it('accepts the token of a core instance as Bearer, and under its older header, exactly where it accepts core instances', async () => {
    for (const headers of [
      { authorization: `Bearer ${valid.core_instance}` },
      { 'x-aggregator-token': valid.core_instance },
    ]) {
      const target = await row.target(app, project);
      const token = target.coreInstanceToken ?? valid.core_instance;
      const own = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replace(valid.core_instance, token)]),
      );
      const answer = await send(app, row, target, { headers: own });
      if (row.takes.includes('core_instance')) {
        expect(answer.status).toBe(row.success);
        if (row.path.endsWith('/self/rotate'))
          valid = { ...valid, core_instance: (await app.createCoreInstance(project)).token };
      } else expect(answer.body).toMatchObject({ code: 'credential_kind_not_accepted' });
    }
  });

  it('accepts a project or agent token as the password of Basic exactly where the table says so', async () => {
    for (const kind of ['project', 'agent'] as const) {
      const target = await row.target(app, project);
      const token = kind === 'agent' ? (target.agentToken ?? valid.agent) : valid.project;
      const answer = await send(app, row, target, asPassword(token));
      if (!row.takesBasic) expect(answer.body, kind).toMatchObject({ code: 'missing_credential' });
      else if (row.takes.includes(kind)) expect(answer.status, kind).toBe(row.success);
      else expect(answer.body, kind).toMatchObject({ code: 'credential_kind_not_accepted' });
    }
  });

  it('refuses any other password of Basic', async () => {
    const target = await row.target(app, project);
    const wrong = [valid.access, 'nonsense', `${valid.project} `, 'mst_p_…wXyZ'];
    for (const token of wrong) {
      const answer = await send(app, row, target, asPassword(token));
      expect(answer.status).toBe(401);
      const code = token.includes('…') ? 'masked_credential' : 'invalid_credential';
      expect(answer.body).toMatchObject({ code: row.takesBasic ? code : 'missing_credential' });
    }
  });
});

describe.each(titled(sampledByEngine(rows.filter(({ method }) => method === 'GET'))))(
  'HEAD for %s',
  (_, row) => {
    it('accepts and refuses the same as GET', async () => {
      const url = urlOf(row, await row.target(app, project));
      // Directly to the app, because an answer to HEAD has no body to check.
      const admitted = await app.app.http.inject({
        method: 'HEAD',
        url,
        headers: row.takes.includes('access')
          ? { authorization: `Bearer ${app.admin}` }
          : row.takes.includes('project')
            ? { 'x-project-token': project.token }
            : { 'x-core-instance-token': (await app.createCoreInstance(project)).token },
      });
      expect([admitted.statusCode, admitted.body]).toEqual([200, '']);
      const stranger = await app.app.http.inject({ method: 'HEAD', url });
      expect([stranger.statusCode, stranger.body]).toEqual([row.takes.length === 0 ? 200 : 401, '']);
    });
  },
);

describe.each(titled(sampledByEngine(rows.filter(({ takes }) => takes.length === 0))))(
  '%s, which is public',
  (_, row) => {
    it('answers without a credential, and ignores one that is sent', async () => {
      for (const as of [{}, ...refusedTogether()]) {
        const target = await row.target(app, project);
        expect((await send(app, row, target, { as })).status).toBe(row.success);
        // Some routes take only so many requests of an address in a minute.
        app.clock.advance(10_000);
      }
    });

    it('refuses a token in the query string', async () => {
      const answer = await app.request(row.method, urlOf(row, { params: {} }, 'token=x'));
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'credential_in_query' });
    });
  },
);

/** The refused credentials, with one of each kind in a request. */
function refusedTogether(): readonly Credentials[] {
  const sets: Credentials[] = [];
  for (const { as } of refused) {
    const [kind = 'access'] = Object.keys(as) as Kind[]; // each is of one kind
    const free = sets.findIndex((set) => set[kind] === undefined);
    if (free === -1) sets.push(as);
    else sets[free] = { ...sets[free], ...as };
  }
  return sets;
}

function withoutEmpty(as: Readonly<Record<string, string>>): Credentials {
  return Object.fromEntries(Object.entries(as).filter(([, value]) => value !== ''));
}

function withoutRequestID(text: string): string {
  return text.replace(/"requestID":"[^"]*"/, '');
}

/** Parses `GET /v1/things/{id}` from the router's printed tree. HEAD belongs to GET. */
function routesOf(tree: string): string[] {
  const open: string[] = [];
  return tree
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([│ ]*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
      const depth = indent.length / 4;
      open.length = depth;
      open.push(part);
      const path = open.join('').replaceAll(/:(\w+)/g, '{$1}');
      return methods
        .split(', ')
        .filter((method) => method !== 'HEAD' && method !== '')
        .map((method) => `${method} ${path}`);
    });
}

/** Pages for people: not part of the API. */
function isPage(route: string): boolean {
  const isOfDashboard = /^GET \/(projects|account)\*?$|^GET \/assets\/\{name\}$/.test(route);
  return (
    isOfDashboard || /^(GET (\/docs\/|\/errors\/|\/$)|(GET|POST) \/(sign_(in|out)|invitation)\b)/.test(route)
  );
}
