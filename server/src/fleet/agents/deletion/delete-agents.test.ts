import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../../testing/calls/agent-calls.ts';
import { callAgentErrors } from '../../../testing/calls/agent-error-calls.ts';
import { callHeartbeats } from '../../../testing/calls/heartbeat-calls.ts';
import { problemBody } from '../../../testing/calls/problem-body.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;
let errors: ReturnType<typeof callAgentErrors>;
let heartbeats: ReturnType<typeof callHeartbeats>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
  errors = callAgentErrors(app);
  heartbeats = callHeartbeats(app);
});

afterAll(() => app.close());

const minute = 60_000;
const missingID = '0192f0a0-0000-7000-8000-000000000000';

async function register(project: TestProject, name: string, more: object = {}) {
  return (await agents.register(project, { name, machineID: name, rawConfig: 'A', ...more })).body;
}

/** Registers so many agents by one request each; more than a portion. */
async function registerMany(project: TestProject, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `m${index}`);
  for (let at = 0; at < count; at += 50) {
    await Promise.all(names.slice(at, at + 50).map((name) => heartbeats.beatOfMachine(project, name)));
  }
}

function reportOfMachine(project: TestProject, machineID: string) {
  return app.request('POST', `/v1/machines/${machineID}/errors`, {
    as: { project: project.token },
    body: { error: 'broken' },
  });
}

async function namesOf(project: TestProject): Promise<string[]> {
  return (await agents.list(project.id, '?last=1000')).body.map(({ name }) => name);
}

/** A fleet of which each agent matches another filter. */
async function startFleet() {
  const project = await app.createProject();
  const old = await register(project, 'old');
  await errors.report(project, old.id, 'broken');
  app.clock.advance(10 * minute);
  const since = new Date(app.clock.now()).toISOString();
  const gone = await register(project, 'gone', { heartbeatSeconds: 30 });
  app.clock.advance(10 * minute);
  const stopped = await register(project, 'stopped');
  await heartbeats.beat(stopped, { status: 'stopped' });
  const sick = await register(project, 'sick', { fleetID: 'edge' });
  await errors.report(project, sick.id, 'broken');
  const well = await register(project, 'well', { fleetID: 'edge', tags: ['eu'] });
  return { project, since, old, gone, stopped, sick, well };
}

describe('DELETE /v1/projects/{projectID}/agents', () => {
  describe('200', () => {
    it('deletes by status, time, fleet, tag, name and id, and by several of them at once', async () => {
      const { project, since, old, well, ...fleet } = await startFleet();
      const all = await namesOf(project);
      expect(all).toEqual(['well', 'sick', 'stopped', 'gone', 'old']);
      const dryRun = async (query: string) => {
        const { status, body } = await agents.deleteMany(project.id, `?${query}&dry_run=true`);
        expect([query, status, body.dryRun]).toEqual([query, 200, true]);
        return body.agentsCount;
      };
      expect(await dryRun('status=unhealthy')).toBe(2);
      expect(await dryRun('status=healthy')).toBe(1);
      expect(await dryRun(`not_seen_since=${since}`)).toBe(1);
      expect(await dryRun('fleet_id=edge')).toBe(2);
      expect(await dryRun('fleet_id=edge&tag=eu')).toBe(1);
      expect(await dryRun('name=*o*')).toBe(3);
      expect(await dryRun(`agent_id=${old.id},${well.id.toUpperCase()},${missingID}`)).toBe(2);
      expect(await dryRun(`agent_id=${old.id}&status=healthy`)).toBe(0);
      expect(await namesOf(project)).toEqual(all);

      const done = async (query: string) => (await agents.deleteMany(project.id, `?${query}`)).body;
      expect(await done('status=offline')).toEqual({ agentsCount: 1, dryRun: false });
      expect(await namesOf(project)).toEqual(['well', 'sick', 'stopped', 'old']);
      expect(await done('status=stopped&dry_run=false')).toEqual({ agentsCount: 1, dryRun: false });
      expect(await done(`not_seen_since=${since}&status=unhealthy`)).toEqual({
        agentsCount: 1,
        dryRun: false,
      });
      expect(await namesOf(project)).toEqual(['well', 'sick']);
      expect(await done(`agent_id=${fleet.sick.id},${old.id}`)).toEqual({ agentsCount: 1, dryRun: false });
      expect(await done(`agent_id=${fleet.sick.id}`)).toEqual({ agentsCount: 0, dryRun: false });
      expect(await namesOf(project)).toEqual(['well']);
    });

    it('removes errors and tokens as the deletion of a single agent does', async () => {
      const { project, old, sick, well } = await startFleet();
      await errors.report(project, well.id, 'of another agent, which stays');
      const { body: dismissed } = await errors.report(project, sick.id, 'dismissed');
      await errors.dismiss(dismissed.id);
      for (const { token } of [old, sick]) expect(await agents.tryToken(token)).toBe(200);
      const query = `?agent_id=${old.id},${sick.id}`;
      expect((await agents.deleteMany(project.id, query)).body.agentsCount).toBe(2);
      for (const { id, token } of [old, sick]) {
        expect((await agents.update({ id, token }, { name: 'x' })).body).toEqual(
          problemBody('agent_deleted'),
        );
        expect((await errors.report(project, id, 'later')).status).toBe(410);
        expect((await agents.listConfigs(id)).status).toBe(410);
      }
      const { body } = await errors.listOfProject(project.id);
      expect(body.map(({ error }) => error)).toEqual(['of another agent, which stays']);
      expect((await agents.register(project, { name: 'old', machineID: 'old' })).body.id).not.toBe(old.id);
    });

    it('counts what was heard a moment ago', async () => {
      const { project, gone } = await startFleet();
      expect((await agents.deleteMany(project.id, '?status=offline&dry_run=true')).body.agentsCount).toBe(1);
      await heartbeats.beat(gone);
      expect((await agents.deleteMany(project.id, '?status=offline')).body.agentsCount).toBe(0);
    });

    it('deletes more than a portion, beside reports, and none of another project', async () => {
      const project = await app.createProject();
      const other = await app.createProject();
      await register(other, 'theirs');
      await registerMany(project, 450);
      const [answer, ...reports] = await Promise.all([
        agents.deleteMany(project.id, '?name=m*'),
        ...Array.from({ length: 40 }, (_, index) => reportOfMachine(project, `m${index * 10}`)),
      ]);
      // 410: the agent was deleted while its report was being stored. The next report registers it again.
      expect(reports.filter(({ status }) => status !== 201 && status !== 410)).toEqual([]);
      expect(answer.body.agentsCount).toBeGreaterThanOrEqual(450);
      await agents.deleteMany(project.id, '?name=m*');
      expect(await namesOf(project)).toEqual([]);
      expect((await errors.listOfProject(project.id)).body).toEqual([]);
      expect(await namesOf(other)).toEqual(['theirs']);
    });

    it('counts each agent once where several requests delete the same ones', async () => {
      const project = await app.createProject();
      await registerMany(project, 300);
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => agents.deleteMany(project.id, '?name=m*')),
      );
      expect(answers.reduce((sum, { body }) => sum + body.agentsCount, 0)).toBe(300);
    });
  });

  describe('409', () => {
    it('if more match than may be deleted, and then deletes none', async () => {
      const project = await app.createProject();
      await registerMany(project, 210);
      const { body } = await agents.deleteMany(project.id, '?name=m*&max_agents=209');
      expect(body).toEqual({
        ...problemBody('more_agents_match'),
        detail: '210 agents match now, and at most 209 may be deleted. None was.',
      });
      expect(await namesOf(project)).toHaveLength(210);
      expect((await agents.deleteMany(project.id, '?name=m*&max_agents=210')).body).toEqual({
        agentsCount: 210,
        dryRun: false,
      });
    });
  });

  describe('400', () => {
    it('without a filter, whose absence would delete all', async () => {
      const { project } = await startFleet();
      for (const query of ['', '?dry_run=true']) {
        const { status, body } = await agents.deleteMany(project.id, query);
        expect(status).toBe(400);
        expect(body).toMatchObject({
          code: 'invalid_query_parameter',
          detail:
            'Say which agents to delete: give at least one of status, not_seen_since, agent_id, name, q, version, tag, fleet_id. To delete all agents of a project, delete the project.',
        });
      }
      expect(await namesOf(project)).toHaveLength(5);
    });

    it.each([
      ['status', 'status=dead'],
      ['not_seen_since', 'not_seen_since=30d'],
      ['agent_id', 'agent_id=a,b'],
      ['agent_id', `agent_id=${missingID},`],
      ['dry_run', 'status=offline&dry_run=yes'],
      ['not_seen_sinse', 'status=offline&not_seen_sinse=2026-01-01T00:00:00Z'],
    ])('for a wrong %s, which it names', async (path, query) => {
      const { status, body } = await agents.deleteMany((await app.createProject()).id, `?${query}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ fields: [{ path }] });
    });
  });

  it('answers 403 to a project token without delete:agent, and 404 to one of another project', async () => {
    const project = await app.createProject();
    await register(project, 'kept');
    const url = `/v1/projects/${project.id}/agents?name=*`;
    const preset = await app.request('DELETE', url, { as: { project: project.token } });
    expect([preset.status, preset.body]).toEqual([
      403,
      expect.objectContaining({ detail: expect.stringContaining("'delete:agent'") }),
    ]);
    const { token } = await app.createToken((await app.createProject()).id, ['*']);
    expect((await app.request('DELETE', url, { as: { project: token } })).status).toBe(404);
    expect(await namesOf(project)).toEqual(['kept']);
  });
});
