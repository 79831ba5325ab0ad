import type { Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgents } from '../../testing/calls/agent-calls.ts';
import { startTestApp, type TestApp } from '../../testing/start-test-app.ts';

let app: TestApp;
let projectID: string;

beforeAll(async () => {
  // At the log level of a real service, so that reports take the same path as there.
  app = await startTestApp({ logLevel: 'info' });
  projectID = (await app.createProject()).id;
});

afterAll(() => app.close());

interface Made {
  readonly id: string;
  readonly token: string;
}

const issue = () => app.createToken(projectID, ['create:agent', 'create:agent_error']);
const register = ({ token }: Made, machineID: string) =>
  app.registerAgent({ id: projectID, token }, machineID);

async function report({ token }: Made, machineID: string): Promise<void> {
  const { status } = await app.request('POST', `/v1/machines/${machineID}/errors`, {
    as: { project: token },
    body: { error: 'no upstream connections available' },
  });
  expect(status).toBe(201);
}

/** The count in the token's own answer, which must equal the one in the list. */
async function counted({ id }: Made): Promise<number> {
  const as = { access: app.admin };
  const { body } = await app.request<Token>('GET', `/v1/project_tokens/${id}`, { as });
  const { body: list } = await app.request<Token[]>('GET', `/v1/projects/${projectID}/tokens?last=1000`, {
    as,
  });
  expect(list.find((token) => token.id === id)?.agentsCount).toBe(body.agentsCount);
  return body.agentsCount;
}

describe('agentsCount of a token', () => {
  it('counts agents whose last registration used it', async () => {
    const [one, other] = [await issue(), await issue()];
    await register(one, 'a-1');
    await register(one, 'a-2');
    expect([await counted(one), await counted(other)]).toEqual([2, 0]);
    await register(other, 'a-2');
    expect([await counted(one), await counted(other)]).toEqual([1, 1]);
  });

  it('counts agents that report by machine id with it, even if another token registered them', async () => {
    const [one, other] = [await issue(), await issue()];
    await register(one, 'b-1');
    await report(other, 'b-2');
    expect([await counted(one), await counted(other)]).toEqual([1, 1]);
    await report(other, 'b-1');
    expect([await counted(one), await counted(other)]).toEqual([1, 2]);
  });

  it('counts an agent once if it does both', async () => {
    const one = await issue();
    await report(one, 'c-1');
    await register(one, 'c-1');
    await report(one, 'c-1');
    expect(await counted(one)).toBe(1);
  });

  it('no longer counts an agent that now reports with another token, even if the agent is remembered', async () => {
    const [one, other, registrar] = [await issue(), await issue(), await issue()];
    await register(registrar, 'd-1');
    for (const token of [one, other, one, other]) {
      // For the second one, the machine is already remembered.
      await report(token, 'd-1');
      await report(token, 'd-1');
      const counts = [await counted(one), await counted(other), await counted(registrar)];
      expect(counts).toEqual(token === one ? [1, 0, 1] : [0, 1, 1]);
    }
  });

  it('does not count deleted agents', async () => {
    const one = await issue();
    await report(one, 'e-1');
    const { id } = await register(one, 'e-2');
    await callAgents(app).delete(id);
    expect(await counted(one)).toBe(1);
  });
});
