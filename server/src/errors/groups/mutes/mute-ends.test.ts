import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AuditService } from '../../../record/audit/audit-service.ts';
import { callAgentErrors } from '../../../testing/calls/agent-error-calls.ts';
import { callErrorGroups } from '../../../testing/calls/error-group-calls.ts';
import { readRows } from '../../../testing/rows/read-rows.ts';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';

let test: TestApp;
let errors: ReturnType<typeof callAgentErrors>;
let groups: ReturnType<typeof callErrorGroups>;

const minute = 60_000;
const lost = (host: number) => `no route to 10.0.0.${host}`;

beforeAll(async () => {
  test = await startTestApp();
  errors = callAgentErrors(test);
  groups = callErrorGroups(test);
});
afterAll(() => test.close());

/** A group that two agents have, muted for an hour with conditions. */
async function muted(conditions: { readonly endsWithConfiguration?: boolean; readonly moreAgents?: number }) {
  const project = await test.createProject();
  const [first, second] = [await test.registerAgent(project), await test.registerAgent(project)];
  for (const { id } of [first, second]) await errors.report(project, id, lost(1));
  const groupID = (await groups.list(project.id)).body[0]?.id ?? '';
  test.clock.advance(minute);
  const until = new Date(test.clock.now() + 60 * minute).toISOString();
  const { body } = await groups.mute(groupID, { until, reason: 'known', ...conditions });
  test.clock.advance(minute);
  return { project, first: first.id, second: second.id, groupID, body, until };
}

const isMuted = async (groupID: string) => {
  await test.app.endMutes();
  return (await groups.get(groupID)).body.mutedUntil !== null;
};

const lastEntry = async ({ id }: TestProject) =>
  (
    await test.request<unknown[]>('GET', `/v1/projects/${id}/audit_log?last=1`, {
      as: { access: test.admin },
    })
  ).body[0];

describe('the same mute again', () => {
  it('makes no report check its credential again, unless reports are stored differently', async () => {
    const { groupID, until } = await muted({});
    const generation = async () => {
      const [row] = await readRows<{ generation: number | string }>(
        test.dataDirectory,
        'select generation from credential_changes',
      );
      return Number(row?.generation);
    };
    const before = await generation();
    for (const conditions of [{}, { moreAgents: 5 }])
      expect(await groups.mute(groupID, { until, reason: 'known', ...conditions })).toMatchObject({
        status: 200,
        body: {
          mutedUntil: until,
          muteReason: 'known',
          muteEndsAtAgentsCount: 'moreAgents' in conditions ? 7 : null,
        },
      });
    expect(await generation()).toBe(before);
    await groups.mute(groupID, { until, reason: 'other' });
    expect(await generation()).toBe(before + 1);
    await groups.unmute(groupID);
    expect(await generation()).toBe(before + 2);
  });
});

describe('a mute until the next configuration', () => {
  it('lasts while agents have the configuration that they had, and ends when one has the error with another', async () => {
    const { project, first, second, groupID, body, until } = await muted({ endsWithConfiguration: true });
    expect(body).toMatchObject({ muteEndsWithConfiguration: true, muteEndsAtAgentsCount: null });
    await errors.report(project, second, lost(2));
    expect(await isMuted(groupID)).toBe(true);
    await errors.configure(first, '[OUTPUT]');
    expect(await isMuted(groupID)).toBe(true);
    await errors.report(project, first, lost(1));
    expect(await isMuted(groupID)).toBe(false);
    expect(await lastEntry(project)).toMatchObject({
      action: 'agent_error_group.unmuted',
      actor: { kind: 'system', name: 'an agent still has it with another configuration' },
      before: { mutedUntil: until, reason: 'known' },
    });
    // What was stored meanwhile stays dismissed, and the next report opens it.
    expect((await errors.listOfAgent(first, '?dismissed=false&current=true')).body).toEqual([]);
    await errors.report(project, first, lost(1));
    expect((await errors.listOfAgent(first, '?dismissed=false&current=true')).body).toMatchObject([
      { error: lost(1) },
    ]);
  });

  it('is no condition of another mute', async () => {
    const { project, first, groupID, until } = await muted({ endsWithConfiguration: true });
    await groups.mute(groupID, { until, reason: 'for an hour' });
    await errors.configure(first, '[OUTPUT]');
    await errors.report(project, first, lost(1));
    expect(await isMuted(groupID)).toBe(true);
  });
});

describe('a mute that cannot be ended', () => {
  it('keeps no other from ending, and ends with the next attempt', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      const { project, first, groupID } = await muted({ endsWithConfiguration: true });
      await errors.configure(first, '[OUTPUT]');
      await errors.report(project, first, lost(1));
      ids.push(groupID);
    }
    const record = vi.spyOn(AuditService.prototype, 'record').mockRejectedValueOnce(new Error('disk full'));
    await expect(test.app.endMutes()).rejects.toThrow('disk full');
    record.mockRestore();
    const left = async () => {
      const all = await Promise.all(ids.map((id) => groups.get(id)));
      return all.filter(({ body }) => body.mutedUntil !== null).length;
    };
    expect(await left()).toBe(1);
    await test.app.endMutes();
    expect(await left()).toBe(0);
  });
});

describe('a mute until it is on more agents', () => {
  it('ends when as many agents had it that had not', async () => {
    const { project, second, groupID, body } = await muted({ moreAgents: 2 });
    expect(body).toMatchObject({ muteEndsWithConfiguration: false, muteEndsAtAgentsCount: 4 });
    const others = [await test.registerAgent(project), await test.registerAgent(project)];
    await errors.report(project, second, lost(9));
    await errors.report(project, others[0]?.id ?? '', lost(3));
    expect(await isMuted(groupID)).toBe(true);
    await errors.report(project, others[1]?.id ?? '', lost(3));
    expect(await isMuted(groupID)).toBe(false);
    expect(await lastEntry(project)).toMatchObject({
      actor: { kind: 'system', name: 'it is on as many agents as the mute allowed' },
    });
    expect((await groups.get(groupID)).body).toMatchObject({ muteEndsAtAgentsCount: null });
  });

  it('counts those that have it before', async () => {
    const { project, groupID, until } = await muted({});
    for (let count = 0; count < 3; count += 1)
      await errors.report(project, (await test.registerAgent(project)).id, lost(1));
    const { body } = await groups.mute(groupID, { until, reason: 'known', moreAgents: 2 });
    expect(body).toMatchObject({ muteEndsAtAgentsCount: 7 });
    expect(await isMuted(groupID)).toBe(true);
  });

  it('refuses none and a part of one', async () => {
    const { groupID, until } = await muted({});
    for (const moreAgents of [0, 1.5]) {
      const { status, body } = await groups.mute(groupID, { until, reason: 'known', moreAgents });
      expect([status, body]).toMatchObject([422, { fields: [{ path: '/moreAgents' }] }]);
    }
  });
});
