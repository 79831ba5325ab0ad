import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../testing/calls/agent-error-calls.ts';
import { callErrorGroups } from '../../testing/calls/error-group-calls.ts';
import { readAuditLog } from '../../testing/rows/read-audit-log.ts';
import { startTestApp, type TestApp, type TestProject } from '../../testing/start-test-app.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;
let groups: ReturnType<typeof callErrorGroups>;
let project: TestProject;
let adminID: string;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
  groups = callErrorGroups(test);
  project = await test.createProject();
  const { body } = await test.request<{ id: string }>('GET', '/v1/me', { as: { access: test.admin } });
  adminID = body.id;
});
afterAll(() => test.close());

const link = 'https://tickets.example.com/4711';
const nothing = { assignee: null, note: null, link: null, notedAt: null, notedBy: null };

/** A group for each text. */
async function groupsOf(...texts: string[]): Promise<string[]> {
  const { id: agentID } = await test.registerAgent(project);
  const ids: string[] = [];
  for (const text of texts) {
    const { body } = await errors.report(project, agentID, text);
    const { body: listed } = await groups.list(project.id, `?q=${encodeURIComponent(text)}`);
    expect([text, body.id]).toEqual([text, expect.any(String)]);
    ids.push(listed[0]?.id ?? '');
  }
  return ids;
}

const lastEntry = async () =>
  (await readAuditLog(test)).find(({ action }) => action === 'agent_error_group.updated');

describe('PATCH /v1/projects/{projectID}/agent_error_groups', () => {
  it('assigns a group and notes what is known of it, and records both', async () => {
    const [id = ''] = await groupsOf('disk full');
    expect((await groups.get(id)).body).toMatchObject(nothing);
    const admin = { kind: 'user', id: adminID, name: 'administrator' };
    const { status, body } = await groups.update(project.id, {
      groupIDs: [id],
      assigneeID: adminID,
      note: 'Asking storage',
      link,
    });
    const notedAt = new Date(test.clock.now()).toISOString();
    expect([status, body]).toEqual([
      200,
      [
        expect.objectContaining({
          id,
          assignee: admin,
          note: 'Asking storage',
          link,
          notedAt,
          notedBy: admin,
        }),
      ],
    ]);
    expect((await groups.get(id)).body).toEqual(body[0]);
    expect(await lastEntry()).toMatchObject({
      actor: { id: adminID },
      target: { kind: 'agent_error_group', id, name: 'disk full' },
      before: { assigneeID: null, assignee: null, note: null, link: null },
      after: { assigneeID: adminID, assignee: 'administrator', note: 'Asking storage', link },
    });
    await groups.update(project.id, { groupIDs: [id], assigneeID: null, link: null });
    expect((await groups.get(id)).body).toMatchObject({ assignee: null, note: 'Asking storage', link: null });
    expect(await lastEntry()).toMatchObject({
      before: { assigneeID: adminID, assignee: 'administrator', link },
      after: { assigneeID: null, assignee: null, link: null },
    });
  });

  it('changes many groups with one entry', async () => {
    const ids = await groupsOf('certificate expired', 'no route to host');
    const { body } = await groups.update(project.id, { groupIDs: ids, note: 'known' });
    expect(body.map(({ id, note }) => [id, note])).toEqual(ids.toSorted().map((id) => [id, 'known']));
    expect(await lastEntry()).toMatchObject({
      target: { kind: 'agent_error_group', id: null, name: null },
      before: null,
      after: { groupsCount: 2, note: 'known' },
    });
  });

  it('changes none if one is unknown, or of another project', async () => {
    const [id = ''] = await groupsOf('broken pipe');
    const other = await test.createProject();
    const { id: agentID } = await test.registerAgent(other);
    await errors.report(other, agentID, 'broken pipe');
    const theirs = (await groups.list(other.id)).body[0]?.id ?? '';
    for (const missing of [randomUUID(), theirs]) {
      const { status, body } = await groups.update(project.id, { groupIDs: [id, missing], note: 'known' });
      expect([status, body]).toEqual([
        404,
        expect.objectContaining({
          detail: `There is no group of agent errors ${missing} that this credential can see.`,
        }),
      ]);
    }
    expect((await groups.get(id)).body).toMatchObject(nothing);
  });

  it('assigns only users who have access to the project', async () => {
    const [id = ''] = await groupsOf('queue full');
    const assigneeID = randomUUID();
    const { status, body } = await groups.update(project.id, { groupIDs: [id], assigneeID });
    expect([status, body]).toEqual([
      422,
      expect.objectContaining({
        code: 'invalid_body',
        fields: [
          { path: '/assigneeID', message: 'must be a user who has access to the project: invite them first' },
        ],
      }),
    ]);
  });

  it.each(['javascript:alert(1)', 'ftp://example.com', 'https://a b', ''])(
    'refuses the link %j',
    async (wrong) => {
      const [id = ''] = await groupsOf('oom');
      expect((await groups.update(project.id, { groupIDs: [id], link: wrong })).status).toBe(422);
    },
  );
});
