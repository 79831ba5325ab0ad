import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyInstallation } from '../../server/src/foundation/database/copy/copy-installation.ts';
import { nextPage } from '../../server/src/testing/calls/agent-error-calls.ts';
import type { Credentials, TestApp } from '../../server/src/testing/start-test-app.ts';
import { type Filled, fillEveryTable } from '../backup/fill-every-table.ts';
import { createTarget, makeDirectory, startPlainApp, type TargetPlace } from './copy-places.ts';

const oddTexts = [
  '👩‍👩‍👧‍👦 died of \u{1F525}',
  `it's "quoted", 'twice', \`thrice\``,
  'C:\\temp\\new\\\\x41 {a,"b",NULL} \\',
  'NULL',
  '{}',
  '𝒳'.repeat(1_024),
  '\uFFFF and \uFFFE and \u{10FFFF}',
  'e\u0301 is not \u00E9',
  'é',
  'E\u0301',
  ' spaces before and after \n\t\r\n',
  '\u0001\u001F\u007F\u0085\u2028\uFEFF',
  'ﷺ نص عربي \u202E reversed',
  '$1 ?1 :name %s \u0024{x}',
  "'); drop table agent_errors; --",
  'z',
  'Z',
  'ß',
  'ss',
];

interface Created {
  readonly id: string;
  readonly token: string;
}

/** Lists and single resources to compare, each with its credential. */
type Question = readonly [url: string, as: Credentials];

const source = makeDirectory();
let target: TargetPlace;
/** The answers of the source before the copy. */
let before: Map<Question, unknown>;
/** The number of the last event of the second project. */
let lastEvent: number;
let app: TestApp;
let admin = '';
let first: Created;
let second: Created;
let reader: Created;
let revoked: Created;
let agent: Created;
let deletedAgent: Created;
let dismissed = '';
let filled: Filled;

beforeAll(async () => {
  target = await createTarget();
  const running = await startPlainApp(source);
  app = running.app;
  admin = running.admin;
  await fill();
  const questions = askEverything();
  // Twice, because the first time changes data itself: when each token was last used.
  await answersOf(questions);
  before = await answersOf(questions);
  lastEvent = Number(/id: (\d+)/.exec(await listEvents(undefined))?.[1]);
  await app.close();
  await copyInstallation({
    dataDirectory: source.dataDirectory,
    databaseUrl: target.url,
    limits: { rows: 7, bytes: 50_000 },
  });
  ({ app } = await startPlainApp(source, { databaseUrl: target.url }, app.clock));
});

afterAll(async () => {
  await app.close();
  await target.drop();
  source.remove();
});

async function post<Body>(url: string, as: Credentials, body: unknown): Promise<Body> {
  const answer = await app.request<Body>('POST', url, { as, body });
  expect(answer.status, `${url}: ${answer.text}`).toBeLessThan(300);
  return answer.body;
}

async function fill(): Promise<void> {
  const asAdmin = { access: admin };
  first = await post<Created>('/v1/projects', asAdmin, { name: `first ${oddTexts[0]}` });
  second = await post<Created>('/v1/projects', asAdmin, { name: oddTexts[2]?.slice(0, 60) });
  const gone = await post<Created>('/v1/projects', asAdmin, { name: 'gone' });
  await app.request('DELETE', `/v1/projects/${gone.id}`, { as: asAdmin });
  await post('/v1/access_tokens', asAdmin, { name: oddTexts[1], expiresAt: '2030-01-01T00:00:00Z' });

  const tokens = `/v1/projects/${first.id}/tokens`;
  for (const name of oddTexts) await post(tokens, asAdmin, { name: [...name].slice(0, 128).join('') });
  reader = await post<Created>(tokens, asAdmin, { name: 'reader', permissions: ['read:*', 'create:token'] });
  await post(tokens, { project: reader.token }, { name: 'child', permissions: ['read:token'] });
  revoked = await post<Created>(tokens, asAdmin, { name: 'revoked', permissions: [] });
  await app.request('DELETE', `/v1/project_tokens/${revoked.id}`, { as: asAdmin });

  agent = await post<Created>(
    '/v1/agents',
    { project: first.token },
    {
      name: oddTexts[0],
      machineID: oddTexts[3],
      rawConfig: `# ${oddTexts.join('\n# ')}\n${'x'.repeat(100_000)}`,
      metadata: { [String(oddTexts[1])]: oddTexts, deep: { numbers: [1, -2.5, 1e21], none: null } },
      tags: oddTexts.slice(0, 3),
      flags: oddTexts.slice(6, 9),
      type: 'fluentbit',
      fleetID: oddTexts[2],
    },
  );
  deletedAgent = await post<Created>(
    '/v1/agents',
    { project: second.token },
    { name: 'x', machineID: 'x', rawConfig: '' },
  );
  const reports = oddTexts.map((error) => ({ error }));
  const results = await post<{ id: string }[]>(
    `/v1/agents/${agent.id}/errors`,
    { agent: agent.token },
    reports,
  );
  dismissed = results[1]?.id ?? '';
  await post(`/v1/agent_errors/${dismissed}/dismiss`, asAdmin, { reason: oddTexts[1] });
  await post(`/v1/agents/${agent.id}/errors`, { agent: agent.token }, reports.slice(2, 5));
  app.clock.advance(1_000);
  await app.request('PATCH', `/v1/agents/${agent.id}`, { as: asAdmin, body: { rawConfig: oddTexts[6] } });
  await post(`/v1/agents/${agent.id}/errors`, { project: first.token }, reports.slice(0, 9));
  for (let machine = 0; machine < 15; machine += 1)
    await post(`/v1/machines/host-${machine}/errors`, { project: second.token }, reports.slice(machine));
  await app.request('DELETE', `/v1/agents/${deletedAgent.id}`, { as: asAdmin });
  filled = await fillEveryTable(app, admin);
}

function askEverything(): Question[] {
  const asAdmin = { access: admin };
  const ofProject = ({ id }: Created): Question[] =>
    [
      '',
      '/tokens?last=4',
      '/tokens?status=revoked',
      '/agents?last=6',
      '/agents?status=unhealthy',
      '/agent_errors?last=11',
      '/agent_errors?dismissed=true',
      '/agent_errors?q=%22quoted%22',
    ].map((path): Question => [`/v1/projects/${id}${path}`, asAdmin]);
  return [
    ['/v1/me', asAdmin],
    ['/v1/me', { project: reader.token }],
    ['/v1/me', { agent: agent.token }],
    ['/v1/access_tokens', asAdmin],
    ['/v1/projects?last=2', asAdmin],
    ...ofProject(first),
    ...ofProject(second),
    [`/v1/projects/${first.id}/agent_errors`, { project: reader.token }],
    [`/v1/agents/${agent.id}`, asAdmin],
    [`/v1/agents/${agent.id}/errors?last=5`, asAdmin],
    [`/v1/agents/${agent.id}/errors?dismissed=true`, asAdmin],
    [`/v1/agents/${agent.id}/config_history`, asAdmin],
    ...[
      'alert_channels',
      'alert_rules',
      'alert_deliveries',
      'members',
      'invitations',
      'audit_log?last=7',
    ].map((path): Question => [`/v1/projects/${filled.projectID}/${path}`, asAdmin]),
    ['/v1/sessions', asAdmin],
    ['/v1/users', asAdmin],
    ['/v1/audit_log?last=20', asAdmin],
  ];
}

async function listEvents(after: number | undefined): Promise<string> {
  // Events are numbered when errors are counted.
  await allPages(`/v1/projects/${second.id}/agent_error_groups`, { access: admin });
  const { text } = await app.request('GET', `/v1/projects/${second.id}/events?follow=false`, {
    as: { access: admin },
    headers: after === undefined ? {} : { 'last-event-id': String(after) },
  });
  return text;
}

async function answersOf(questions: Iterable<Question>): Promise<Map<Question, unknown>> {
  const answers = new Map<Question, unknown>();
  for (const question of questions) answers.set(question, await allPages(...question));
  return answers;
}

/** Status, body byte for byte, and the link to the next page, of every page. */
async function allPages(url: string, as: Credentials): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let next: string | undefined = url; next !== undefined; ) {
    const { status, text, headers } = await app.request('GET', next, { as });
    expect(status, `${url}: ${text}`).toBe(200);
    next = nextPage({ headers });
    pages.push({ status, text, next });
  }
  return pages;
}

describe('an installation that was copied', () => {
  it('gives exactly the same answers as before', async () => {
    const all = JSON.stringify([...before.values()]);
    for (const text of oddTexts) expect(all).toContain(JSON.stringify(JSON.stringify(text)).slice(1, -1));
    const after = await answersOf(before.keys());
    for (const [question, answer] of before) expect(after.get(question), question[0]).toEqual(answer);
  });

  it('tells listeners that events are gone if they have not had the last one', async () => {
    expect(lastEvent).toBeGreaterThan(1);
    expect(await listEvents(lastEvent - 1)).toContain('event: reset');
    await post(`/v1/projects/${second.id}/tokens`, { access: admin }, { name: 'new' });
    const later = await listEvents(lastEvent);
    expect(later).toContain(`id: ${lastEvent + 1}\nevent: `);
    expect(later).toContain('event: token.created');
    expect(later).not.toContain('event: reset');
  });

  it('refuses the same requests as before', async () => {
    const me = await app.request('GET', '/v1/me', { as: { project: revoked.token } });
    expect([me.status, me.body]).toMatchObject([401, { code: 'revoked_credential' }]);
    const gone = await app.request('POST', `/v1/agents/${deletedAgent.id}/errors`, {
      as: { agent: deletedAgent.token },
      body: { error: 'from the grave' },
    });
    expect([gone.status, gone.body]).toMatchObject([410, { code: 'agent_deleted' }]);
  });

  it('knows which errors are open and which are dismissed', async () => {
    const report = (error: string | undefined) =>
      app.request<{ id: string }>('POST', `/v1/agents/${agent.id}/errors`, {
        as: { agent: agent.token },
        body: { error },
      });
    const open = await report(oddTexts[5]);
    expect([open.status, open.headers['muster-agent-error']]).toEqual([201, 'ignored']);
    const fresh = await report(oddTexts[12]);
    expect([fresh.status, fresh.headers['muster-agent-error']]).toEqual([201, 'created']);
    const url = `/v1/agent_errors/${dismissed}/dismiss`;
    const again = await app.request('POST', url, { as: { access: admin }, body: { reason: 'again' } });
    expect(again.status).toBe(409);
  });

  it('knows the addresses of alert channels with the same MUSTER_SECRET_KEY', async () => {
    const url = `/v1/alert_channels/${filled.channelID}/test`;
    const { body } = await app.request('POST', url, { as: { access: admin } });
    // The resolver of the tests finds no host.
    expect(body).toMatchObject({ failure: 'hooks.example.com could not be reached (ENOTFOUND).' });
  });

  it('gives agents the secrets of their fleets with the same MUSTER_SECRET_KEY', async () => {
    expect(await filled.readFleetSecret(app)).toBe(true);
  });

  it('knows an agent by its machine id', async () => {
    const known = await post<Created>(
      '/v1/agents',
      { project: first.token },
      {
        name: 'renamed',
        machineID: oddTexts[3],
      },
    );
    expect(known.id).toBe(agent.id);
  });

  it('revokes a token together with the tokens that it created', async () => {
    const url = `/v1/project_tokens/${reader.id}`;
    expect((await app.request('DELETE', url, { as: { access: admin } })).status).toBe(204);
    expect((await app.request('GET', '/v1/me', { as: { project: reader.token } })).status).toBe(401);
    const { body } = await app.request<{ name: string }[]>(
      'GET',
      `/v1/projects/${first.id}/tokens?status=revoked`,
      { as: { access: admin } },
    );
    expect(body.map(({ name }) => name)).toEqual(['revoked', 'child', 'reader']);
  });
});
