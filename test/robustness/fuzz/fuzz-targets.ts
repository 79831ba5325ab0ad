import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { formatProjectToken, formatToken } from '@muster/contract';
import type { TestApp } from '../../../server/src/testing/start-test-app.ts';
import type { FuzzTargets } from './fuzz-request.ts';

const samples = ['metrics-fleet', 'metrics-labels', 'metrics-nolabels'].map((name) =>
  readFileSync(new URL(`../../../samples/agent-requests/${name}.msgpack`, import.meta.url)),
);

/** Creates resources for the requests; some of them are deleted within a few hundred requests. */
export async function createFuzzTargets(test: TestApp): Promise<FuzzTargets> {
  const admin = { access: test.admin };
  const project = await test.createProject();
  const operator = await test.createToken(project.id, ['*']);
  const narrow = await test.createToken(project.id, ['read:token']);
  const revoked = await test.createToken(project.id, ['*']);
  await test.request('DELETE', `/v1/project_tokens/${revoked.id}`, { as: admin });
  const other = await test.createProject('other');
  const agent = await test.registerAgent(project);
  const site = await test.createCoreInstance(project);
  const deleted = await test.registerAgent(project);
  await test.request('DELETE', `/v1/agents/${deleted.id}`, { as: admin });
  const { body: access } = await test.request<{ id: string; token: string }>('POST', '/v1/access_tokens', {
    as: admin,
    body: { name: 'fuzz' },
  });
  const errors = await Promise.all(
    ['a', 'b', 'c'].map((error) =>
      test.request<{ id: string }>('POST', `/v1/agents/${agent.id}/errors`, {
        as: { project: operator.token },
        body: { error },
      }),
    ),
  );
  const { headers } = await test.request('GET', `/v1/agents/${agent.id}/errors?last=1`, { as: admin });
  const unknown = randomUUID();
  const random = new Uint8Array(32);
  const invented = formatProjectToken({ projectID: project.id, tokenID: unknown }, random);
  return {
    credentials: {
      access: {
        valid: [test.admin],
        invalid: [access.token, formatToken('access', random), 'mst_u_…abcd', 'a.b.c'],
      },
      project: {
        valid: [project.token, operator.token, operator.token],
        invalid: [
          narrow.token,
          revoked.token,
          other.token,
          invented,
          operator.token.slice(0, -1),
          'mst_p_...abcd',
        ],
      },
      agent: { valid: [agent.token], invalid: [deleted.token, formatToken('agent', random), 'mst_a_'] },
      core_instance: {
        valid: [site.token],
        invalid: [formatToken('core_instance', random), 'mst_c_'],
      },
    },
    ids: {
      projectID: [project.id, project.id, project.id, other.id, unknown],
      agentID: [agent.id, agent.id, agent.id, deleted.id, unknown],
      coreInstanceID: [site.id, unknown],
      machineID: ['fuzz-1', 'fuzz-2', 'fuzz-3'],
      tokenID: [operator.id, narrow.id, revoked.id, unknown],
      agentErrorID: [...errors.map(({ body }) => body.id), unknown],
      accessTokenID: [access.id, unknown],
    },
    disposableIDs: {
      projectID: [other.id, unknown],
      agentID: [deleted.id, unknown],
      coreInstanceID: [unknown],
      tokenID: [narrow.id, revoked.id, unknown],
      accessTokenID: [access.id, unknown],
    },
    unknownIDs: { projectID: [unknown] },
    cursors: [/before=([^&>]+)/.exec(headers.link ?? '')?.[1] ?? '', 'AAAA', 'x'.repeat(300)],
    metrics: samples,
  };
}
