import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../testing/stages/people-targets.ts';
import { type Replicas, startReplicas } from '../../testing/start-replicas.ts';
import type { TestApp, TestProject } from '../../testing/start-test-app.ts';

let replicas: Replicas;
let project: TestProject;

beforeAll(async () => {
  replicas = await startReplicas({ logLevel: 'info' });
  project = await replicas.other.createProject();
});

afterAll(() => replicas.close());

const admin = () => ({ as: { access: replicas.admin } });

async function createMember(role: string): Promise<{ readonly userID: string; readonly token: string }> {
  const user = await addUser(replicas.other);
  await replicas.other.request('POST', `/v1/projects/${project.id}/members`, {
    ...admin(),
    body: { userID: user.userID, role },
  });
  return user;
}

async function createToken(app: TestApp, access: string): Promise<number> {
  const body = { name: 'by a member', permissions: [] };
  return (await app.request('POST', `/v1/projects/${project.id}/tokens`, { as: { access }, body })).status;
}

describe('a change of a member on one replica', () => {
  it.each([
    ['owner', 'to a weaker role', { role: 'viewer' }, [201, 403]],
    ['viewer', 'to a stronger role', { role: 'owner' }, [403, 201]],
    ['owner', 'to nobody', undefined, [201, 403]],
  ] as const)('is in force on another that remembers the user: %s %s', async (role, _, change, statuses) => {
    const { userID, token } = await createMember(role);
    // Twice, so that it is remembered.
    for (const _time of [1, 2]) expect(await createToken(replicas.one, token)).toBe(statuses[0]);
    const url = `/v1/projects/${project.id}/members/${userID}`;
    const answer = await replicas.other.request(change === undefined ? 'DELETE' : 'PATCH', url, {
      ...admin(),
      ...(change !== undefined && { body: change }),
    });
    expect(answer.status).toBe(200);
    expect(await createToken(replicas.one, token)).toBe(statuses[1]);
  });
});
