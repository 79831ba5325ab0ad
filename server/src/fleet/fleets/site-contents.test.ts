import { gunzipSync } from 'node:zlib';
import type { Fleet, SiteFleetContent, SiteFleets } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StockAgent } from '../../testing/calls/stock-agent.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';
import { maxInlineBytes, maxWaitingTasks } from './config-thread.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

describe('a large configuration', () => {
  it('is prepared once for all sites that ask for it together', async () => {
    const project = await app.createProject();
    const site = await app.createCoreInstance(project);
    const rawConfig = `${'# a comment\n'.repeat(maxInlineBytes / 10)}[INPUT]\n    Name cpu\n`;
    const created = await app.request<Fleet>('POST', `/v1/projects/${project.id}/fleets`, {
      as: { access: app.admin },
      body: { name: 'edge', rawConfig },
    });
    expect(created.status).toBe(201);
    const as = { core_instance: site.token };
    const listed = await app.request<SiteFleets>('GET', '/v1/core_instances/self/fleets', { as });
    const key = listed.body.changed?.fleets[0]?.current?.content;
    const path = `/v1/core_instances/self/fleet_contents/${key}`;
    const ask = () => app.request<SiteFleetContent>('GET', path, { as });
    const answers = await Promise.all(Array.from({ length: maxWaitingTasks + 5 }, ask));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { body } = await ask();
    for (const answer of answers) expect(answer.body).toEqual(body);
    // The line of a site may be thin.
    const headers = { 'x-core-instance-token': site.token };
    const asked = async (encoding: string) => {
      const answer = await app.app.http.inject({
        url: path,
        headers: { ...headers, 'accept-encoding': encoding },
      });
      return { coding: answer.headers['content-encoding'], bytes: answer.rawPayload };
    };
    const { coding, bytes } = await asked('gzip');
    expect([coding, JSON.parse(gunzipSync(bytes).toString())]).toEqual(['gzip', body]);
    const plain = await asked('identity');
    expect([plain.coding, JSON.parse(plain.bytes.toString())]).toEqual([undefined, body]);
  });
});

describe('an agent that was moved to another fleet', () => {
  it('is named to each site of its project, also one that has never heard it, until it is deleted', async () => {
    const project = await app.createProject();
    const as = { access: app.admin };
    const createFleet = async (name: string): Promise<string> => {
      const body = { name, rawConfig: '[INPUT]\n    Name cpu\n' };
      return (await app.request<Fleet>('POST', `/v1/projects/${project.id}/fleets`, { as, body })).body.id;
    };
    await createFleet('edge');
    const canary = await createFleet('canary');
    const agent = new StockAgent(app, { project, machineID: 'machine-1' });
    await agent.startByName('edge');
    const sites = [await app.createCoreInstance(project), await app.createCoreInstance(project)];
    const foreign = await app.createCoreInstance(await app.createProject());
    const movedAt = async ({ token }: { readonly token: string }, cursor?: string) => {
      const { body } = await app.request<SiteFleets>(
        'GET',
        `/v1/core_instances/self/fleets${cursor === undefined ? '' : `?cursor=${cursor}`}`,
        { as: { core_instance: token } },
      );
      return { cursor: body.cursor, moved: body.changed?.moved };
    };
    const before = await Promise.all(sites.map((site) => movedAt(site)));
    expect(before.map(({ moved }) => moved)).toEqual([[], []]);
    const agentIDs = [agent.agent?.id];
    await app.request('POST', `/v1/fleets/${canary}/agents`, { as, body: { agentIDs } });
    const expected = [{ handle: agent.fleetID, fleetID: canary, shift: expect.any(Number) }];
    const after = await Promise.all(sites.map((site, index) => movedAt(site, before[index]?.cursor)));
    expect(after.map(({ moved }) => moved)).toEqual([expected, expected]);
    expect((await movedAt(foreign)).moved).toEqual([]);
    await app.request('DELETE', `/v1/agents/${agent.agent?.id}`, { as });
    expect((await movedAt(sites[0] ?? foreign, after[0]?.cursor)).moved).toEqual([]);
  });
});
