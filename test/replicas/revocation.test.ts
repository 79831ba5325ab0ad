import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { send } from './send.ts';
import { startThreeReplicas, type ThreeReplicas } from './three-replicas.ts';

let installation: ThreeReplicas;

beforeAll(async () => {
  installation = await startThreeReplicas();
});

afterAll(() => installation.stop());

async function reportOn(replicaUrl: string, agentID: string, token: string): Promise<number> {
  const { status } = await send(`${replicaUrl}/v1/agents/${agentID}/errors`, {
    headers: { 'x-project-token': token },
    body: { error: 'no upstream connections available' },
  });
  return status;
}

async function listOn(replicaUrl: string, projectID: string, token: string): Promise<number> {
  const { status } = await send(`${replicaUrl}/v1/projects/${projectID}/tokens`, {
    headers: { 'x-project-token': token },
  });
  return status;
}

describe('a restriction of a credential on one replica', () => {
  it('revocation applies on every replica to every request that starts after its answer', async () => {
    const { replicas, admin } = installation;
    const project = await installation.createProject();
    const agent = await installation.registerAgent(project.token);
    for (let round = 0; round < 15; round += 1) {
      const { id, token } = await installation.createToken(project.id, ['create:agent_error', 'read:token']);
      // Every replica has seen the token and remembers it.
      for (const { url } of replicas) {
        expect(await reportOn(url, agent.id, token)).toBe(201);
        expect(await listOn(url, project.id, token)).toBe(200);
      }
      const revoker = replicas[round % 3]?.url;
      const answer = await send(`${revoker}/v1/project_tokens/${id}`, { method: 'DELETE', headers: admin });
      expect(answer.status).toBe(204);
      const statuses = await Promise.all(
        replicas.flatMap(({ url }) => [reportOn(url, agent.id, token), listOn(url, project.id, token)]),
      );
      expect(statuses).toEqual([401, 401, 401, 401, 401, 401]);
    }
  });

  it('revocation applies to a continuous stream of reports', async () => {
    const { replicas, admin } = installation;
    const project = await installation.createProject();
    const agent = await installation.registerAgent(project.token);
    const { id, token } = await installation.createToken(project.id, ['create:agent_error']);
    let isRevoked = false;
    const wrong: { readonly startedAfter: boolean; readonly status: number }[] = [];
    let accepted = 0;
    const stream = async (url: string) => {
      for (let after = 0; after < 20; ) {
        const startedAfter = isRevoked;
        const status = await reportOn(url, agent.id, token);
        if (status === 201) accepted += 1;
        if (startedAfter) after += 1;
        if (status !== (startedAfter ? 401 : 201) && !(status === 401 && !startedAfter)) {
          wrong.push({ startedAfter, status });
        }
      }
    };
    const streams = replicas.flatMap(({ url }) => Array.from({ length: 8 }, () => stream(url)));
    while (accepted < 200) await new Promise((resolve) => setTimeout(resolve, 5));
    await send(`${replicas[1].url}/v1/project_tokens/${id}`, { method: 'DELETE', headers: admin });
    isRevoked = true;
    await Promise.all(streams);
    expect(wrong).toEqual([]);
  });

  it('fewer permissions and an earlier expiry apply on every replica too', async () => {
    const { replicas, admin } = installation;
    const project = await installation.createProject();
    const agent = await installation.registerAgent(project.token);
    const { id, token } = await installation.createToken(project.id, ['create:agent_error']);
    for (const { url } of replicas) expect(await reportOn(url, agent.id, token)).toBe(201);

    const update = (change: object) =>
      send(`${replicas[2].url}/v1/project_tokens/${id}`, { method: 'PATCH', headers: admin, body: change });
    expect((await update({ permissions: ['read:token'] })).status).toBe(200);
    expect(await Promise.all(replicas.map(({ url }) => reportOn(url, agent.id, token)))).toEqual([
      403, 403, 403,
    ]);
    expect(await Promise.all(replicas.map(({ url }) => listOn(url, project.id, token)))).toEqual([
      200, 200, 200,
    ]);

    // It has not yet expired when the update arrives; it expires by the service's clock.
    await eventually(async () => {
      const { createdAt } = await installation.createToken(project.id, []);
      const soon = new Date(Date.parse(createdAt) + 400).toISOString();
      expect((await update({ expiresAt: soon })).status).toBe(200);
    });
    await eventually(async () => expect(await listOn(replicas[0].url, project.id, token)).toBe(401));
    expect(await Promise.all(replicas.map(({ url }) => listOn(url, project.id, token)))).toEqual([
      401, 401, 401,
    ]);
  });

  it('the credentials of a deleted project are refused on every replica', async () => {
    const { replicas, admin } = installation;
    const project = await installation.createProject();
    const agent = await installation.registerAgent(project.token);
    for (const { url } of replicas) expect(await reportOn(url, agent.id, project.token)).toBe(201);
    await send(`${replicas[0].url}/v1/projects/${project.id}`, { method: 'DELETE', headers: admin });
    const byAgent = replicas.map(async ({ url }) => {
      const { status } = await send(`${url}/v1/agents/${agent.id}/errors`, {
        headers: { 'x-agent-token': agent.token },
        body: { error: 'x' },
      });
      return status;
    });
    const byProject = replicas.map(({ url }) => reportOn(url, agent.id, project.token));
    expect(await Promise.all([...byAgent, ...byProject])).toEqual([401, 401, 401, 401, 401, 401]);
  });

  it('three replicas that start at once on an empty database create one administrator and one project', async () => {
    const { body } = await send<{ name: string }[]>(
      `${installation.replicas[0].url}/v1/projects?name=default`,
      {
        headers: installation.admin,
      },
    );
    expect(body).toHaveLength(1);
    const firstStarts = installation.replicas.filter((replica) =>
      replica.stdout.text.includes('first start'),
    );
    expect(firstStarts).toHaveLength(1);
  });
});
