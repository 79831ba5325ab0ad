import type { CreatedAlertChannel, CreatedProject, Dismissal, SignInLink } from '@muster/contract';
import { StockAgent } from '../../server/src/testing/calls/stock-agent.ts';
import { TestBrowser } from '../../server/src/testing/receivers/test-browser.ts';
import { changeRows } from '../../server/src/testing/rows/change-rows.ts';
import { newArrival } from '../../server/src/testing/stages/move-targets.ts';
import type { Credentials, TestApp } from '../../server/src/testing/start-test-app.ts';

export interface Filled {
  readonly projectID: string;
  readonly channelID: string;
  /** Addresses and secrets of channels, and a secret of a fleet, which must be in no answer for people and in no file as they are. */
  readonly secrets: readonly string[];
  /** True if an agent of the fleet gets its secret from an installation. */
  readFleetSecret(app: TestApp): Promise<boolean>;
}

const fleetSecret = 'canary-of-a-fleet';

/**
 * A project in which everything has happened once, so that each table has a row: agents, errors in groups, a dismissal, tokens that were rotated,
 * revoked and found in public, people, a session, alerts and what they sent.
 */
export async function fillEveryTable(app: TestApp, admin: string, name = 'whole'): Promise<Filled> {
  const asAdmin = { access: admin };
  async function call<Body>(method: string, url: string, as: Credentials, body?: unknown, headers = {}) {
    const answer = await app.request<Body>(method, url, {
      as,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.text}`);
    return answer.body;
  }
  const project = await call<CreatedProject>('POST', '/v1/projects', asAdmin, { name });
  const of = `/v1/projects/${project.id}`;
  const asProject = { project: project.token };

  // Alerts first, because rules look at what happens from then on.
  const address = 'https://hooks.example.com/canary-of-a-channel';
  const channel = { name: 'on-call', kind: 'webhook', url: address };
  const { id: channelID, secret = '' } = await call<CreatedAlertChannel>(
    'POST',
    `${of}/alert_channels`,
    asAdmin,
    channel,
  );
  await call('POST', `${of}/alert_rules`, asAdmin, { kind: 'wildcard_token' });
  await call('POST', `${of}/alert_rules`, asAdmin, { kind: 'new_group' });
  await app.app.runAlerts();

  const machineID = 'machine-1';
  const agent = await call<{ id: string; token: string }>('POST', '/v1/agents', asProject, {
    name: 'web-01',
    machineID,
    rawConfig: '[INPUT]\n  name cpu\n',
  });
  await call('PATCH', `/v1/agents/${agent.id}`, asAdmin, { rawConfig: '[INPUT]\n  name mem\n' });
  for (const fault of ['a', 'b', 'c', 'd']) {
    await call('POST', `/v1/agents/${agent.id}/errors`, { agent: agent.token }, [
      { error: `fault ${fault}` },
      { error: `[output:http:http.0] no upstream connections available to 10.0.0.1:${fault.charCodeAt(0)}` },
    ]);
    // Events of one group within a second are folded.
    await app.app.runAlerts();
  }
  const filter = { q: 'fault a' };
  await call<Dismissal>('POST', `${of}/dismissals`, asAdmin, { reason: 'known', filter });

  const tokens = `${of}/tokens`;
  const newToken = (body: object) =>
    call<{ id: string; token: string }>('POST', tokens, asAdmin, { name: 'token', ...body });
  await newToken({ permissions: ['create:*'] });
  const rotated = await newToken({ permissions: ['read:agent'] });
  const key = { 'idempotency-key': 'a-key-of-sixteen-characters' };
  await call('POST', `/v1/project_tokens/${rotated.id}/rotate`, asAdmin, { graceSeconds: 600 }, key);
  await app.request('GET', '/v1/me', { as: { project: rotated.token } });
  const found = await newToken({ permissions: ['read:agent'] });
  await call('POST', '/v1/token_leaks', {}, [{ token: found.token, url: 'https://git.example.com/one' }]);

  const member = await call<{ code: string }>('POST', `${of}/invitations`, asAdmin, { role: 'viewer' });
  await call('POST', '/v1/invitations/sign_up', {}, { code: member.code, name: `member of ${name}` });
  await call('POST', `${of}/invitations`, asAdmin, { role: 'operator', email: 'ada@example.com' });
  await call('POST', '/v1/provisioning', asAdmin, { projects: [{ name: `provisioned ${name}` }] });
  const link = await call<SignInLink>('POST', '/v1/sign_in_links', asAdmin);
  const browser = new TestBrowser(app);
  await browser.open(new URL(link.url).pathname);
  await browser.open('/sign_in/link');
  await browser.submit('/sign_in/link');
  await call<SignInLink>('POST', '/v1/sign_in_links', asAdmin);
  // A refusal, which waits to be counted.
  await app.request('DELETE', `${of}`, { as: asProject });

  // Counts of the fleet, and events of what was counted.
  await call('GET', `${of}/summary`, asAdmin);
  await app.app.runAlerts();
  app.clock.advance(2_000);
  await call('GET', `${of}/summary`, asAdmin);
  await app.app.runAlerts();
  // After the first message was tried, everything new waits as a note.
  await newToken({ permissions: ['delete:*'] });
  await app.app.runAlerts();
  await call('POST', `/v1/agents/${agent.id}/errors`, { agent: agent.token }, [{ error: 'last' }]);
  const maker = await newToken({ permissions: ['create:core_instance'] });
  const { token: site } = await call<{ token: string }>(
    'POST',
    '/v1/core_instances',
    { project: maker.token },
    { name: 'plant-7' },
  );
  const registration = {
    kind: 'registration',
    at: app.clock.now(),
    agentID: '0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d',
    tokenDigest: '0'.repeat(64),
    tokenID: (await call<{ id: string }>('GET', '/v1/project_tokens/self', asProject)).id,
    agent: { name: 'web-01', machineID },
  };
  await call(
    'POST',
    '/v1/core_instances/self/batches',
    { core_instance: site },
    {
      protocol: 1,
      sequence: 1,
      status: {
        version: '0.1.0',
        startedAt: 0,
        agentsCount: 1,
        spooledCount: 0,
        spooledBytes: 0,
        oldestSpooledAt: null,
        lostCount: 0,
        lastLossAt: null,
        sentAt: app.clock.now(),
      },
      items: [registration],
    },
  );
  const rawConfig = '[INPUT]\n    Name dummy\n    Tag  {{vars.region}}.{{secrets.password}}\n';
  const fleet = await call<{ id: string }>('POST', `${of}/fleets`, asAdmin, { name: 'edge' });
  const set = (name: string, value: string) => ({ set: [{ name, value }] });
  await call('PATCH', `/v1/fleets/${fleet.id}/variables`, asAdmin, set('region', 'eu-central'));
  await call('PATCH', `/v1/fleets/${fleet.id}/secrets`, asAdmin, set('password', fleetSecret));
  await call('PATCH', `/v1/fleets/${fleet.id}`, asAdmin, { rawConfig });
  await call('POST', `/v1/fleets/${fleet.id}/files`, asAdmin, {
    name: 'parsers.conf',
    contents: 'IyBhIGZpbGUK',
  });
  await call('POST', '/v1/agents', asProject, {
    name: 'web-03',
    machineID: 'machine-3',
    rawConfig,
    fleetID: fleet.id,
  });
  await new StockAgent(app, { project, machineID: 'machine-4' }).startByName('edge');
  await new StockAgent(app, { project, machineID: 'machine-5' }).startByName('edge');
  const version = await call<{ id: string }>('POST', `/v1/fleets/${fleet.id}/versions`, asAdmin, {
    rawConfig: rawConfig.replace('dummy', 'random'),
  });
  await call('POST', `/v1/fleets/${fleet.id}/rollouts`, asAdmin, { versionID: version.id, reason: 'to try' });
  await app.registerAgent(project, 'machine-2');
  await call('POST', '/v1/project_arrivals', asAdmin, newArrival());
  // A report that a killed service has not dealt with.
  await changeRows(
    app.dataDirectory,
    `insert into token_leaks (id, digest, request_id, reported_at)
     values ('${project.id.replace(/.$/, '0')}', 'of no token', 'request-1', ${app.clock.now()})`,
  );
  return {
    projectID: project.id,
    channelID,
    secrets: [address, 'canary-of-a-channel', secret, fleetSecret],
    async readFleetSecret({ request }) {
      const headers = { 'fleet-config-version': '-1' };
      const { text } = await request('GET', `/v1/fleets/${fleet.id}/config`, { as: asProject, headers });
      return /eu-central\.(.*)/.exec(text)?.[1] === fleetSecret;
    },
  };
}
