import type { AppliedProvisioning, ApplyProvisioning, AuditEntry, Token } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { provisioningCalls } from '../../testing/calls/provisioning-calls.ts';
import { addUser } from '../../testing/stages/people-targets.ts';
import { type Replicas, startReplicas } from '../../testing/start-replicas.ts';

const rounds = 6;

let replicas: Replicas;

beforeAll(async () => {
  replicas = await startReplicas();
});

afterAll(() => replicas.close());

const { newID, newValue } = provisioningCalls(() => replicas.other);

function call<Body = unknown>(turn: number, method: string, url: string, body?: object) {
  const app = turn % 2 === 0 ? replicas.one : replicas.other;
  return app.request<Body>(method, url, { as: { access: replicas.admin }, ...(body && { body }) });
}

async function statusOf(token: string): Promise<number> {
  return (await replicas.one.request('GET', '/v1/me', { as: { project: token } })).status;
}

describe('POST /v1/provisioning, several times at once', () => {
  it('makes each thing once, however many apply the same file on different replicas', async () => {
    const id = newID();
    const member = await addUser(replicas.other);
    const file: ApplyProvisioning = {
      projects: [
        {
          name: `edge ${id}`,
          id,
          members: [{ userID: member.userID, role: 'viewer' }],
          tokens: [{ name: 'agents', value: newValue(id).value }],
        },
      ],
    };
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, turn) =>
        call<AppliedProvisioning>(turn, 'POST', '/v1/provisioning', file),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(answers.flatMap(({ body }) => body.changes.map(({ resource }) => resource)).toSorted()).toEqual([
      'member',
      'project',
      'token',
    ]);
    const { body: entries } = await call<AuditEntry[]>(0, 'GET', `/v1/projects/${id}/audit_log`);
    expect(entries.map(({ action }) => action).toSorted()).toEqual([
      'member.added',
      'project.created',
      'token.created',
    ]);
  });

  it('waits for changes of the same tokens and members in one order, so that no request fails', async () => {
    // In both orders, so that locks that were taken as the file lists its projects would close a circle.
    const projects = [newID(), newID()].map((id) => ({ id, ...newValue(id) }));
    const member = await addUser(replicas.other);
    const fileWith = (values: readonly string[], role: 'viewer' | 'operator') =>
      projects.map(({ id }, index) => ({
        id,
        name: `edge ${id}`,
        members: [{ userID: member.userID, role }],
        tokens: [{ name: 'agents', value: values[index] ?? '', graceSeconds: 0 }],
      }));
    await call(0, 'POST', '/v1/provisioning', {
      projects: fileWith(
        projects.map(({ value }) => value),
        'viewer',
      ),
    });
    let newest = projects.map(({ value }) => value);
    for (let round = 0; round < rounds; round += 1) {
      newest = projects.map(({ id, tokenID }) => newValue(id, tokenID).value);
      const wanted = fileWith(newest, round % 2 === 0 ? 'operator' : 'viewer');
      const answers = await Promise.all([
        call(0, 'POST', '/v1/provisioning', { projects: wanted }),
        call(1, 'POST', '/v1/provisioning', { projects: wanted.toReversed() }),
        ...projects.flatMap(({ id, tokenID }, index) => [
          call(index, 'PATCH', `/v1/project_tokens/${tokenID}`, { permissions: ['read:fleet'] }),
          call(index + 1, 'PATCH', `/v1/projects/${id}/members/${member.userID}`, { role: 'viewer' }),
          call<Token>(index, 'POST', `/v1/projects/${id}/tokens`, { name: `made ${round}` }),
          call(index + 1, 'POST', '/v1/access_tokens', { name: 'narrowed', projects: [id] }),
        ]),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([
        ...[200, 200],
        ...projects.flatMap(() => [200, 200, 201, 201]),
      ]);
      expect(await Promise.all(newest.map(statusOf))).toEqual([200, 200]);
    }
    expect(await Promise.all(projects.map(({ value }) => statusOf(value)))).toEqual([401, 401]);
  });

  it('never brings back a token that is revoked meanwhile', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const id = newID();
      const { value, tokenID } = newValue(id);
      const file = { projects: [{ id, name: `edge ${id}`, tokens: [{ name: 'agents', value }] }] };
      expect((await call(round, 'POST', '/v1/provisioning', file)).status).toBe(200);
      const changed = newValue(id, tokenID).value;
      const rotating = { projects: [{ ...file.projects[0], tokens: [{ name: 'agents', value: changed }] }] };
      const [, revoked] = await Promise.all([
        call(round, 'POST', '/v1/provisioning', rotating),
        call(round + 1, 'DELETE', `/v1/project_tokens/${tokenID}`),
        call(round + 1, 'POST', '/v1/provisioning', file),
      ]);
      expect(revoked.status).toBe(204);
      for (const again of [file, rotating])
        expect((await call(round, 'POST', '/v1/provisioning', again)).status).toBe(200);
      expect([await statusOf(value), await statusOf(changed)]).toEqual([401, 401]);
    }
  });
});
