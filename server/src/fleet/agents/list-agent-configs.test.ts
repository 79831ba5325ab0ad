import { randomUUID } from 'node:crypto';
import type { AgentConfig } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { nextPage } from '../../testing/calls/agent-error-calls.ts';
import { problemBody } from '../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
});

afterAll(() => app.close());

const missingID = '0192f0a0-0000-7000-8000-000000000000';

async function start(rawConfig?: string) {
  const project = await app.createProject();
  const machineID = randomUUID();
  const { body: agent } = await agents.register(project, { name: 'n', machineID, rawConfig });
  return { project, agent, machineID };
}

async function textsOf(agentID: string): Promise<string[]> {
  const { body } = await agents.listConfigs(agentID);
  return body.map(({ rawConfig }) => rawConfig);
}

/** Reads every page of the history through the Link headers. */
async function walk(agentID: string, query = ''): Promise<AgentConfig[][]> {
  const path = `/v1/agents/${agentID}/config_history`;
  const pages: AgentConfig[][] = [];
  for (let next: string | undefined = path + query; next !== undefined; ) {
    const page = await agents.listConfigs(agentID, next.slice(path.length));
    expect(page.status).toBe(200);
    pages.push(page.body);
    next = nextPage(page);
  }
  return pages;
}

describe('GET /v1/agents/{agentID}/config_history', () => {
  describe('200', () => {
    it('returns an empty list for an agent that has never sent a configuration', async () => {
      const { agent } = await start();
      expect(await agents.listConfigs(agent.id)).toMatchObject({ status: 200, body: [] });
    });

    it('returns id, text and time, the current configuration first', async () => {
      const { agent } = await start('A');
      const createdAt = new Date(app.clock.now()).toISOString();
      app.clock.advance(1_000);
      await agents.update(agent, { rawConfig: 'B' });
      const { body } = await agents.listConfigs(agent.id);
      expect(body).toEqual([
        { id: expect.any(String), rawConfig: 'B', createdAt: new Date(app.clock.now()).toISOString() },
        { id: expect.any(String), rawConfig: 'A', createdAt },
      ]);
      expect(await agents.get(agent.id)).toMatchObject({ configID: body[0]?.id, rawConfig: 'B' });
    });

    it('has no new entry for an unchanged configuration, from an update or a registration', async () => {
      const { project, agent, machineID } = await start('A');
      const { configID } = await agents.get(agent.id);
      await agents.update(agent, { rawConfig: 'A' });
      await agents.register(project, { name: 'n', machineID, rawConfig: 'A' });
      await agents.update(agent, { name: 'other' });
      expect(await textsOf(agent.id)).toEqual(['A']);
      expect((await agents.get(agent.id)).configID).toBe(configID);
    });

    it('has a new entry for any difference, even one space', async () => {
      const { project, agent, machineID } = await start('A');
      await agents.update(agent, { rawConfig: 'A ' });
      await agents.register(project, { name: 'n', machineID, rawConfig: 'a ' });
      expect(await textsOf(agent.id)).toEqual(['a ', 'A ', 'A']);
    });

    it('has three entries for A, B and A again', async () => {
      const { agent } = await start('A');
      await agents.update(agent, { rawConfig: 'B' });
      await agents.update(agent, { rawConfig: 'A' });
      expect(await textsOf(agent.id)).toEqual(['A', 'B', 'A']);
    });

    it('includes an empty configuration', async () => {
      const { agent } = await start();
      for (const rawConfig of ['', '', 'A', '']) await agents.update(agent, { rawConfig });
      expect(await textsOf(agent.id)).toEqual(['', 'A', '']);
    });

    it('has one entry for twenty concurrent updates with the same configuration', async () => {
      const { agent } = await start('A');
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => agents.update(agent, { rawConfig: 'B' })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
      expect(await textsOf(agent.id)).toEqual(['B', 'A']);
    });

    it('has the current configuration first after twenty concurrent different ones', async () => {
      const { agent } = await start('A');
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => agents.update(agent, { rawConfig: `B${index}` })),
      );
      const { body } = await agents.listConfigs(agent.id);
      expect(body).toHaveLength(21);
      expect(await agents.get(agent.id)).toMatchObject({
        configID: body[0]?.id,
        rawConfig: body[0]?.rawConfig,
      });
    });

    it('is empty for a new agent of the same machine after a deletion', async () => {
      const { project, agent, machineID } = await start('A');
      await agents.delete(agent.id);
      const { body: next } = await agents.register(project, { name: 'n', machineID, rawConfig: 'A' });
      expect(await textsOf(next.id)).toEqual(['A']);
    });
  });

  describe('200 in pages', () => {
    it('keeps the latest 100', async () => {
      const { agent } = await start('0');
      for (let index = 1; index <= 104; index += 1) await agents.update(agent, { rawConfig: `${index}` });
      const pages = await walk(agent.id, '?last=30');
      expect(pages.map((page) => page.length)).toEqual([30, 30, 30, 10]);
      const expected = Array.from({ length: 100 }, (_, index) => `${104 - index}`);
      expect(pages.flat().map(({ rawConfig }) => rawConfig)).toEqual(expected);
    });

    it('returns fewer large configurations per page, and all of them over all pages', async () => {
      const { agent } = await start();
      const texts = Array.from({ length: 9 }, (_, index) => `${index}${'é'.repeat(1_000_000)}`);
      for (const rawConfig of texts) await agents.update(agent, { rawConfig });
      const pages = await walk(agent.id);
      expect(pages.map((page) => page.length)).toEqual([4, 4, 1]);
      expect(pages.flat().map(({ rawConfig }) => rawConfig === texts[Number(rawConfig[0])])).toEqual(
        texts.map(() => true),
      );
      expect(pages.flat().map(({ rawConfig }) => rawConfig[0])).toEqual([...'876543210']);
    });

    it('skips no large configuration in favour of a smaller later one', async () => {
      const { agent } = await start();
      const names = ['6: small', '5', '4', '3', '2', '1'];
      for (const name of names) {
        const filler = name.endsWith('small') ? '' : 'é'.repeat(1_000_000);
        await agents.update(agent, { rawConfig: `${name}${filler}` });
      }
      const pages = await walk(agent.id);
      expect(pages.map((page) => page.map(({ rawConfig }) => rawConfig[0]).join(''))).toEqual(['1234', '56']);
    });
  });

  describe('400', () => {
    it("for a cursor of another agent's history", async () => {
      const [{ agent }, { agent: other }] = [await start('A'), await start('A')];
      await agents.update(other, { rawConfig: 'B' });
      const link = nextPage(await agents.listConfigs(other.id, '?last=1')) ?? '';
      const answer = await agents.listConfigs(agent.id, link.slice(link.indexOf('?')));
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'invalid_cursor' });
    });
  });

  describe('403', () => {
    it('for the agent itself and for a project token without read:agent', async () => {
      const { project, agent } = await start('A');
      const url = `/v1/agents/${agent.id}/config_history`;
      const own = await app.request('GET', url, { as: { agent: agent.token } });
      expect(own.status).toBe(403);
      expect(own.body).toMatchObject({ code: 'credential_kind_not_accepted' });
      const preset = await app.request('GET', url, { as: { project: project.token } });
      expect(preset.status).toBe(403);
      expect(preset.body).toMatchObject({ code: 'permission_denied' });
    });
  });

  describe('404', () => {
    it('for a missing agent and for one of another project, with the same answer', async () => {
      const { agent } = await start('A');
      const { token } = await app.createToken((await app.createProject()).id, ['*']);
      for (const id of [agent.id, missingID]) {
        const answer = await app.request('GET', `/v1/agents/${id}/config_history`, {
          as: { project: token },
        });
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual(
          problemBody('not_found', `There is no agent ${id} that this credential can see.`),
        );
      }
    });
  });
});
