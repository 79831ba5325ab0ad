import { problems } from '@muster/contract';
import { toProblem } from '@muster/http/answers/to-problem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { TestSite } from '../testing/test-site.ts';

let site: TestSite;
beforeEach(async () => {
  site = await TestSite.create();
});
afterEach(() => site.close());

const ready = () => eventually(async () => expect((await site.request('GET', '/readyz')).status).toBe(200));

describe('a core instance', () => {
  it.each([
    ['agent_deleted', 410],
    ['not_found', 404],
  ] as const)('refuses what an agent sends when the centre has refused it: %s', async (code, status) => {
    const id = '0192f0a0-0000-7000-8000-00000000c0de';
    const calls = (): Promise<number[]> =>
      Promise.all(
        [
          ['POST', `/v1/agents/${id}/errors`, { error: 'one' }],
          ['POST', `/v1/agents/${id.toUpperCase()}/heartbeat`, {}],
          ['PATCH', `/v1/agents/${id}`, { name: 'x' }],
        ].map(async ([method, path, body]) => (await site.request(`${method}`, `${path}`, { body })).status),
      );
    const { status: ofCode, help } = problems[code];
    expect(ofCode).toBe(status);
    let ahead = 0;
    await site.start({ monotonic: () => performance.now() + ahead });
    await ready();
    site.centre.answer = { refused: [{ index: 0, error: toProblem(code, 'request-1', help) }] };
    expect((await calls())[0]).toBe(201);
    await eventually(async () => expect(await calls()).toEqual([status, status, status]));
    site.centre.answer = {};
    // It may have registered with the centre itself.
    await eventually(async () => {
      ahead += 600_000;
      expect(await calls()).toEqual([201, 204, 204]);
    });
  });

  it('serves an agent that registered while nobody knew here that it was deleted, by the id that it has then', async () => {
    const { centre } = site;
    await site.start();
    await ready();
    const register = async () =>
      (await site.request('POST', '/v1/agents', { body: { name: 'web-1', machineID: 'web-1' } })).body as {
        readonly id: string;
      }; // by the contract
    const report = async (id: string) =>
      (await site.request('POST', `/v1/agents/${id}/errors`, { body: { error: 'one' } })).status;
    const deletedID = '0192f0a0-0000-7000-8000-00000000c0de';
    centre.fate = () => ({ refuse: 'overloaded' });
    const { id } = await register();
    centre.answer = { aliases: [{ agentID: id, canonicalID: deletedID }] };
    centre.fate = () => 'store';
    await eventually(() => expect(centre.items).toMatchObject([{ kind: 'registration', agentID: id }]));
    centre.fate = () => ({ refuse: 'overloaded' });
    expect(await register()).toMatchObject({ id });
    centre.credentials.push(
      centre.credentialOf('its token', { kind: 'agent', id: deletedID, revoked: true, deleted: true }),
    );
    centre.answer = {};
    centre.fate = () => 'store';
    await eventually(async () => expect(await report(deletedID)).toBe(410));
    expect(await report(id)).toBe(201);
    await site.stop();
    await site.start();
    expect(await report(id)).toBe(201);
  });

  it('takes what such an agent sends after it has registered again', async () => {
    const register = async () =>
      (await site.request('POST', '/v1/agents', { body: { name: 'web-1', machineID: 'web-1' } })).body as {
        readonly id: string;
      }; // by the contract
    await site.start();
    await ready();
    const { id } = await register();
    // A registration that is refused itself would get another id.
    await eventually(() => expect(site.centre.items).toMatchObject([{ kind: 'registration', agentID: id }]));
    const report = async () =>
      (await site.request('POST', `/v1/agents/${id}/errors`, { body: { error: 'one' } })).status;
    const { help } = problems.agent_deleted;
    site.centre.answer = { refused: [{ index: 0, error: toProblem('agent_deleted', 'request-1', help) }] };
    await eventually(async () => expect(await report()).toBe(410));
    site.centre.answer = {};
    const next = await register();
    expect(next.id).not.toBe(id);
    expect(await report()).toBe(410);
    expect(
      (await site.request('POST', `/v1/agents/${next.id}/errors`, { body: { error: 'one' } })).status,
    ).toBe(201);
  });
});
