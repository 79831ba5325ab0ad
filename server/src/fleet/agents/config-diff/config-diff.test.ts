import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../../testing/calls/agent-calls.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
});

afterAll(() => app.close());

const missingID = '0192f0a0-0000-7000-8000-000000000000';

/** An agent that has run these configurations, a second each; returns them newest first. */
async function start(...rawConfigs: string[]) {
  const project = await app.createProject();
  const { body: agent } = await agents.register(project, { name: 'n', machineID: randomUUID() });
  for (const rawConfig of rawConfigs) {
    app.clock.advance(1_000);
    await agents.update(agent, { rawConfig });
  }
  const { body } = await agents.listConfigs(agent.id);
  const configs = body.map(({ id, createdAt }) => ({ id, createdAt }));
  return { project, agent, configs };
}

describe('GET /v1/agents/{agentID}/config_diff', () => {
  describe('200', () => {
    it('compares the previous configuration with the current one', async () => {
      const { agent, configs } = await start('other\n', '[OUTPUT]\n    Host a\n', '[OUTPUT]\n    Host b\n');
      const [to, from] = configs;
      expect(await agents.diffConfigs(agent.id)).toMatchObject({
        status: 200,
        body: {
          from,
          to,
          diff: `--- ${from?.id}\t${from?.createdAt}\n+++ ${to?.id}\t${to?.createdAt}\n@@ -1,2 +1,2 @@\n [OUTPUT]\n-    Host a\n+    Host b\n`,
          addedLines: 1,
          removedLines: 1,
          isCoarse: false,
        },
      });
    });

    it('compares the given ones, in either direction, in upper case too', async () => {
      const { agent, configs } = await start('a\n', 'b\n', 'c\n');
      const [newest, middle, oldest] = configs.map(({ id }) => id);
      const changeOf = async (query: string) => {
        const { body } = await agents.diffConfigs(agent.id, query);
        return [body.from?.id, body.to.id, body.diff.split('\n').slice(3)];
      };
      expect(await changeOf(`?from=${oldest}`)).toEqual([oldest, newest, ['-a', '+c', '']]);
      expect(await changeOf(`?to=${middle}`)).toEqual([oldest, middle, ['-a', '+b', '']]);
      expect(await changeOf(`?from=${newest}&to=${oldest?.toUpperCase()}`)).toEqual([
        newest,
        oldest,
        ['-c', '+a', ''],
      ]);
      expect(await changeOf(`?from=${newest}`)).toEqual([newest, newest, []]);
    });

    it('adds all lines of the first configuration', async () => {
      const { agent, configs } = await start('a\n');
      const [to] = configs;
      expect((await agents.diffConfigs(agent.id)).body).toEqual({
        from: null,
        to,
        diff: `--- /dev/null\n+++ ${to?.id}\t${to?.createdAt}\n@@ -0,0 +1 @@\n+a\n`,
        addedLines: 1,
        removedLines: 0,
        isCoarse: false,
      });
    });

    it('has no secrets, and no difference where only a secret has changed', async () => {
      const { agent } = await start(
        'password: Hunter2\na\n',
        'password: Hunter2\nb\n',
        'password: Swordfish\nb\n',
      );
      const { text } = await agents.diffConfigs(agent.id);
      expect(JSON.parse(text)).toMatchObject({ diff: '', addedLines: 0, removedLines: 0 });
      const before = await agents.diffConfigs(agent.id, `?to=${JSON.parse(text).from.id}`);
      expect(before.body.diff).toContain(' password: --redacted--\n-a\n+b\n');
      expect(before.text + text).not.toMatch(/Hunter2|Swordfish/);
    });

    it('keeps control characters, and bounds what half a million different lines cost', async () => {
      const lines = (digit: (index: number) => number) =>
        Array.from({ length: 500_000 }, (_, index) => `${digit(index)}`).join('\n');
      const { agent } = await start(
        `\u001b[2Ja\r\n${lines((index) => index % 10)}`,
        `\u001b[2Jb\r\n${lines((index) => (index * 7) % 10)}`,
      );
      const { status, body } = await agents.diffConfigs(agent.id);
      expect(status).toBe(200);
      expect(body).toMatchObject({ addedLines: 500_001, removedLines: 500_001, isCoarse: true });
      expect(body.diff.split('\n').slice(2, 5)).toEqual(['@@ -1,500001 +1,500001 @@', '-\u001b[2Ja\r', '-0']);
    });
  });

  describe('400', () => {
    it.each(['from', 'to'])('for a malformed %s, which it names', async (name) => {
      const { agent } = await start('a\n');
      const { status, body } = await agents.diffConfigs(agent.id, `?${name}=7`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'invalid_query_parameter', fields: [{ path: name }] });
    });
  });

  describe('403', () => {
    it('for a project token without read:agent', async () => {
      const { project, agent } = await start('a\n');
      const url = `/v1/agents/${agent.id}/config_diff`;
      const { status, body } = await app.request('GET', url, { as: { project: project.token } });
      expect(status).toBe(403);
      expect(body).toMatchObject({ code: 'permission_denied' });
    });
  });

  describe('404', () => {
    it('for an agent that has sent no configuration', async () => {
      const { agent } = await start();
      expect(await agents.diffConfigs(agent.id)).toMatchObject({
        status: 404,
        body: problemBody('not_found', `The agent ${agent.id} has not sent a configuration.`),
      });
    });

    it.each(['from', 'to'])('for a configuration of another agent as %s', async (name) => {
      const { agent } = await start('a\n', 'b\n');
      const other = (await start('c\n')).configs[0]?.id;
      const answer = await agents.diffConfigs(agent.id, `?${name}=${other}`);
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(
        problemBody(
          'not_found',
          `There is no configuration ${other} in the history of the agent ${agent.id}; the latest 100 are kept.`,
        ),
      );
    });

    it('for an agent of another project, as for a missing one', async () => {
      const { agent } = await start('a\n');
      const { token } = await app.createToken((await app.createProject()).id, ['*']);
      for (const id of [agent.id, missingID]) {
        const answer = await app.request('GET', `/v1/agents/${id}/config_diff`, { as: { project: token } });
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual(
          problemBody('not_found', `There is no agent ${id} that this credential can see.`),
        );
      }
    });
  });

  it('answers 410 for a deleted agent', async () => {
    const { agent } = await start('a\n');
    await agents.delete(agent.id);
    expect(await agents.diffConfigs(agent.id)).toMatchObject({
      status: 410,
      body: { code: 'agent_deleted' },
    });
  });
});
