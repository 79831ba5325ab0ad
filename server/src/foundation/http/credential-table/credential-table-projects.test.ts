import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Row, send, type Target, takesKind, titled } from '../../../testing/calls/credential-table.ts';
import {
  type Answer,
  type Credentials,
  startTestApp,
  type TestApp,
  type TestProject,
} from '../../../testing/start-test-app.ts';

const missingID = '0192f0a0-0000-7000-8000-000000000000';

let app: TestApp;
let own: TestProject;
let other: TestProject;
let ownToken: string;
let ownAgent: string;
let ownSite: string;

beforeAll(async () => {
  app = await startTestApp();
  [own, other] = [await app.createProject('own'), await app.createProject('other')];
  ownToken = (await app.createToken(own.id, ['*'])).token;
  ownAgent = (await app.registerAgent(own)).token;
  ownSite = (await app.createCoreInstance(own)).token;
});

afterAll(() => app.close());

function namesID({ path }: Row): boolean {
  return /\{\w+ID\}/.test(path) && !path.includes('{machineID}');
}

/** The same path with an unknown id. */
function nowhere({ params }: Target): Target {
  return { params: Object.fromEntries(Object.keys(params).map((name) => [name, missingID])) };
}

/** Everything that a caller can see of an answer, except what differs between any two answers. */
function visible({ status, headers, text }: Answer, ids: readonly string[]) {
  const { 'x-request-id': requestID = '', date: _, ...others } = headers;
  const withoutIDs = [requestID, ...ids].reduce((rest, id) => rest.replaceAll(id, 'ID'), text);
  return { status, headers: others, text: withoutIDs };
}

/** Objects of others give the same answer as missing ones. */
async function expectHidden(row: Row, target: Target, as: Credentials): Promise<void> {
  const hidden = await send(app, row, target, { as });
  const missing = await send(app, row, nowhere(target), { as });
  expect(hidden.status).toBe(404);
  expect(hidden.body).toMatchObject({ code: 'not_found' });
  expect(visible(hidden, Object.values(target.params))).toEqual(visible(missing, [missingID]));
}

describe.each(titled(takesKind('project').filter(namesID)))('%s, of another project', (_, row) => {
  it('looks to a project token as if it did not exist, byte for byte', async () => {
    await expectHidden(row, await row.target(app, other), { project: ownToken });
  });

  it('is not changed', async () => {
    const target = await row.target(app, other);
    await send(app, row, target, { as: { project: ownToken } });
    const { token } = await app.createToken(other.id, ['*']);
    expect((await send(app, row, target, { as: { project: token } })).status).toBe(row.success);
  });
});

describe.each(titled(takesKind('agent').filter(namesID)))('%s, of another agent', (_, row) => {
  it('looks to an agent as if it did not exist, in the same project and in another', async () => {
    await expectHidden(row, await row.target(app, own), { agent: ownAgent });
    await expectHidden(row, await row.target(app, other), { agent: ownAgent });
  });
});

describe.each(titled(takesKind('core_instance').filter(namesID)))(
  '%s, of another core instance',
  (_, row) => {
    it('looks to a core instance as if it did not exist, in the same project and in another', async () => {
      await expectHidden(row, await row.target(app, own), { core_instance: ownSite });
      await expectHidden(row, await row.target(app, other), { core_instance: ownSite });
    });
  },
);

describe.each(titled(takesKind('access').filter(namesID)))('%s, with an unknown id', (_, row) => {
  it('answers 404', async () => {
    const answer = await send(app, row, nowhere(await row.target(app, own)), { as: { access: app.admin } });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'not_found' });
  });
});

describe('what a project token can reach without an id in the path', () => {
  it('is only its own project', async () => {
    const { body } = await app.request<{ id: string }[]>('GET', '/v1/projects', {
      as: { project: ownToken },
    });
    expect(body.map(({ id }) => id)).toEqual([own.id]);
  });

  it('is an agent of its own project, if two projects have the same machine id', async () => {
    const foreign = await app.registerAgent(other, 'shared-name');
    const answer = await app.request<{ id: string }>('POST', '/v1/machines/shared-name/errors', {
      as: { project: ownToken },
      body: { error: 'mine' },
    });
    expect(answer.status).toBe(201);
    const { body } = await app.request<unknown[]>('GET', `/v1/agents/${foreign.id}/errors`, {
      as: { access: app.admin },
    });
    expect(body).toEqual([]);
    const again = await app.registerAgent(own, 'shared-name');
    expect(again.id).not.toBe(foreign.id);
  });

  it('is nothing of another project with a filter', async () => {
    const foreign = await app.registerAgent(other);
    await app.request('POST', `/v1/agents/${foreign.id}/errors`, {
      as: { agent: foreign.token },
      body: { error: 'theirs' },
    });
    const answer = await app.request('GET', `/v1/projects/${own.id}/agent_errors?agent_id=${foreign.id}`, {
      as: { project: ownToken },
    });
    expect([answer.status, answer.body]).toEqual([200, []]);
  });

  it('includes no deleted agent of another project: the answer is the same as for an unknown one', async () => {
    const [row] = takesKind('agent').filter(
      ({ method, path }) => method === 'PATCH' && namesID({ path } as Row),
    ); // reads only the path
    if (row === undefined) throw new Error('the table lacks the route');
    const target = await row.target(app, other);
    await app.request('DELETE', `/v1/agents/${target.params.agentID}`, { as: { access: app.admin } });
    await expectHidden(row, target, { project: ownToken });
  });
});
