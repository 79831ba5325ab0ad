import { once } from 'node:events';
import { request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let app: TestApp;
let port: number;
let project: TestProject;
let fleetID: string;

const rawConfig = '[INPUT]\n    Name dummy\n\n[OUTPUT]\n    Name  stdout\n    Match *\n';

beforeAll(async () => {
  // At this level, not every answer is logged, so that the shortcut is open.
  app = await startTestApp({ logLevel: 'warn' });
  await app.app.http.listen({ port: 0, host: '127.0.0.1' });
  port = (app.app.http.server.address() as AddressInfo).port; // it listens on a port
  project = await app.createProject();
  fleetID = await createFleet('edge');
});

afterAll(() => app.close());

async function createFleet(name: string, reporting = 'off'): Promise<string> {
  const { body } = await app.request<{ id: string }>('POST', `/v1/projects/${project.id}/fleets`, {
    as: { access: app.admin },
    body: { name, rawConfig, reporting },
  });
  return body.id;
}

interface Received {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

/** As a stock agent asks. */
async function poll(id: string, headers: Record<string, string> = {}): Promise<Received> {
  const path = `/v1/fleets/${id}/config?format=ini&config_format=ini`;
  const asking = send({
    port,
    path,
    headers: { 'X-Project-Token': project.token, 'Fleet-Config-Version': '-1', ...headers },
  });
  asking.end();
  const [answer] = (await once(asking, 'response')) as [import('node:http').IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer); // bytes, because no encoding is set
  const { date, connection, 'x-request-id': _, 'keep-alive': __, ...rest } = answer.headers;
  return { status: answer.statusCode, headers: rest, text: Buffer.concat(chunks).toString() };
}

describe('a poll that is answered before the framework', () => {
  it('has the same answer as the first one, for which the fleet had to be read', async () => {
    const first = await poll(fleetID);
    expect(first).toEqual({
      status: 200,
      text: rawConfig,
      headers: {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-type': 'text/plain',
        'content-length': String(rawConfig.length),
        'last-modified': expect.stringMatching(/ GMT$/),
      },
    });
    expect(await poll(fleetID)).toEqual(first);
  });

  it.each([
    ['short', '', 'eu-1'],
    ['not in ASCII', '# Grüße\n', 'eu-1'],
    ['with a value that is not in ASCII', '', 'münchen'],
    ['long', `${'# more\n'.repeat(3_000)}`, 'eu-1'],
  ])('has values of variables and the bytes of the framework: %s', async (_, comment, value) => {
    const id = await createFleet(`fleet-${comment.length}-${value.length}`);
    const set = (kind: string, name: string, text: string) =>
      app.request('PATCH', `/v1/fleets/${id}/${kind}`, {
        as: { access: app.admin },
        body: { set: [{ name, value: text }] },
      });
    await set('variables', 'region', value);
    await set('secrets', 'key', 'a long secret');
    const config = (region: string, key: string) =>
      `${comment}[INPUT]\n    Name dummy\n    Tag  ${region}.${key}\n\n[OUTPUT]\n    Name  stdout\n    Match *\n`;
    await app.request('PATCH', `/v1/fleets/${id}`, {
      as: { access: app.admin },
      body: { rawConfig: config('{{vars.region}}', '{{secrets.key}}') },
    });
    const first = await poll(id);
    expect(first.text).toBe(config(value, 'a long secret'));
    expect(first.headers['content-length']).toBe(String(Buffer.byteLength(first.text)));
    expect(await poll(id)).toEqual(first);
  });

  it('is refused as by the framework', async () => {
    await poll(fleetID);
    const missing = fleetID.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    expect((await poll(missing)).status).toBe(404);
    const other = await app.createProject();
    expect((await poll(fleetID, { 'X-Project-Token': other.token })).status).toBe(404);
    const { token } = await app.createToken(project.id, ['create:agent']);
    await poll(fleetID, { 'X-Project-Token': token });
    expect((await poll(fleetID, { 'X-Project-Token': token })).status).toBe(403);
    expect((await poll(fleetID, { 'X-Project-Token': 'unknown' })).status).toBe(401);
    for (const id of [fleetID, await createFleet('reporting', 'on')])
      expect(await poll(id, { Host: '[' })).toMatchObject({
        status: 400,
        text: expect.stringContaining('The header Host is not the address of a host.'),
      });
  });

  it('gets a change at once, and nothing once the fleet or the token is gone', async () => {
    const id = await createFleet('core');
    const { id: tokenID, token } = await app.createToken(project.id, ['read:fleet']);
    const ask = () => poll(id, { 'X-Project-Token': token });
    await ask();
    await ask();
    const as = { access: app.admin };
    const changed = rawConfig.replace('dummy', 'random');
    await app.request('PATCH', `/v1/fleets/${id}`, { as, body: { rawConfig: changed } });
    expect((await ask()).text).toBe(changed);
    await app.request('DELETE', `/v1/project_tokens/${tokenID}`, { as });
    expect((await ask()).status).toBe(401);
    await app.request('DELETE', `/v1/fleets/${id}`, { as });
    expect((await poll(id)).status).toBe(404);
  });
});
