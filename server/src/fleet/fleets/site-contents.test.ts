import type { Fleet, SiteFleetContent, SiteFleets } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  });
});
