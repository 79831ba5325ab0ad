import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { TestSite } from '../testing/test-site.ts';

let site: TestSite;
beforeEach(async () => {
  site = await TestSite.create();
});
afterEach(() => site.close());

const ready = () => eventually(async () => expect((await site.request('GET', '/readyz')).status).toBe(200));

describe('what a core instance sends', () => {
  it('says of metrics that they came, beside what heartbeats said', async () => {
    await site.start();
    await ready();
    site.centre.fate = () => 'drop';
    const answer = await site.request('POST', '/v1/agents', { body: { name: 'a', machineID: 'm-1' } });
    const { id, token } = answer.body as { id: string; token: string };
    const body = { heartbeatSeconds: 60 };
    await site.request('POST', `/v1/agents/${id}/heartbeat`, { token, body });
    const metrics = await fetch(`${site.url}/v1/agents/${id}/metrics`, {
      method: 'POST',
      headers: { 'X-Agent-Token': token, 'Content-Type': 'application/x-msgpack' },
      body: Buffer.from('90', 'hex'),
    });
    expect([metrics.status, await metrics.json()]).toEqual([200, { totalInserted: 0 }]);
    site.centre.fate = () => 'store';
    await eventually(() =>
      expect(site.centre.items).toEqual([
        expect.objectContaining({ kind: 'registration', agentID: id }),
        { kind: 'heartbeat', at: expect.any(Number), by: { agentID: id }, agentID: id, heartbeat: body },
      ]),
    );
  });
});
