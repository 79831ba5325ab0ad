import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { callAgentErrors, nextPage } from '../../testing/calls/agent-error-calls.ts';
import { callErrorGroups } from '../../testing/calls/error-group-calls.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;
let agents: ReturnType<typeof callAgents>;
let errors: ReturnType<typeof callAgentErrors>;

beforeAll(async () => {
  app = await startTestApp();
  agents = callAgents(app);
  errors = callAgentErrors(app);
});

afterAll(() => app.close());

const now = () => new Date(app.clock.now()).toISOString();

describe('GET /v1/agents/{agentID}/config_changes', () => {
  it('tells which causes came and went with each configuration', async () => {
    const project = await app.createProject();
    const { id } = await app.registerAgent(project, 'web-1', 'first');
    const registeredAt = now();
    await errors.report(project, id, 'no route to 10.0.0.1');
    await errors.report(project, id, 'no route to 10.0.0.2');
    await errors.report(project, id, 'disk full');
    app.clock.advance(60_000);
    await errors.configure(id, 'second');
    const changedAt = now();
    const { body: kept } = await errors.report(project, id, 'disk full');
    await errors.dismiss(kept.id);
    app.clock.advance(60_000);
    await errors.report(project, id, 'unknown plugin');
    const seenAt = now();
    await errors.configure(id, 'third');
    const [third, second, first] = (await agents.listConfigs(id)).body;
    const groupID = await groupIDs(project.id);
    const noRoute = {
      groupID: groupID.get('no route to 10.0.0.1'),
      pattern: 'no route to <address>',
      ...{ errorsCount: 2, firstSeenAt: registeredAt, lastSeenAt: registeredAt },
    };
    const diskFull = { groupID: groupID.get('disk full'), pattern: 'disk full', errorsCount: 1 };
    const unknown = {
      groupID: groupID.get('unknown plugin'),
      pattern: 'unknown plugin',
      ...{ errorsCount: 1, firstSeenAt: seenAt, lastSeenAt: seenAt },
    };
    const answer = await agents.listConfigChanges(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual([
      {
        configID: third?.id,
        createdAt: third?.createdAt,
        current: true,
        ...{ errorsCount: 0, causesCount: 0, came: [], cameCount: 0 },
        went: inOrder(unknown, { ...diskFull, firstSeenAt: changedAt, lastSeenAt: changedAt }),
        wentCount: 2,
      },
      {
        configID: second?.id,
        createdAt: second?.createdAt,
        current: false,
        ...{ errorsCount: 2, causesCount: 2, came: [unknown], cameCount: 1, went: [noRoute], wentCount: 1 },
      },
      {
        configID: first?.id,
        createdAt: first?.createdAt,
        current: false,
        ...{ errorsCount: 3, causesCount: 2 },
        came: [noRoute, { ...diskFull, firstSeenAt: registeredAt, lastSeenAt: registeredAt }],
        cameCount: 2,
        ...{ went: [], wentCount: 0 },
      },
    ]);
    const pages = [await agents.listConfigChanges(id, '?last=1')];
    for (let next = nextPage(pages[0] ?? answer); next !== undefined; ) {
      const page = await agents.listConfigChanges(id, next.replace(/^[^?]*/, ''));
      pages.push(page);
      next = nextPage(page);
    }
    expect(pages.map(({ body }) => body)).toEqual(answer.body.map((change) => [change]));
  });

  it('is empty for an agent without a configuration', async () => {
    const project = await app.createProject();
    const { body: agent } = await agents.register(project, { name: 'a', machineID: 'a' });
    await errors.report(project, agent.id, 'disk full');
    expect(await agents.listConfigChanges(agent.id)).toMatchObject({ status: 200, body: [] });
  });
});

async function groupIDs(projectID: string): Promise<Map<string, string>> {
  const { body } = await callErrorGroups(app).list(projectID, '?dismissed=false');
  const { body: dismissed } = await callErrorGroups(app).list(projectID, '?dismissed=true');
  return new Map([...body, ...dismissed].map(({ example, id }) => [example, id]));
}

/** Causes with the same number of errors are in the order of their ids. */
function inOrder<Cause extends { readonly groupID: string | undefined }>(...causes: Cause[]): Cause[] {
  return causes.toSorted((one, other) => ((one.groupID ?? '') < (other.groupID ?? '') ? -1 : 1));
}
