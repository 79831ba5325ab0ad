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

  describe('over a slow line', () => {
    /** What is longer than the line takes in time is cut off by Muster. */
    const cutOff =
      (maxBytes: number): TestSite['centre']['fate'] =>
      ({ items }) =>
        JSON.stringify(items).length > maxBytes ? { refuse: 'request_timeout' } : 'store';
    const texts = Array.from({ length: 60 }, (_, index) => `${index} ${'x'.repeat(500)}`);
    const once = Object.fromEntries(texts.map((text) => [text, 1]));
    const reportAll = async () => {
      const answers = await Promise.all(texts.map((text, index) => site.report(`web-${index}`, text)));
      for (const { status } of answers) expect(status).toBe(201);
    };

    it('is sent in smaller batches, each item once, and signs of life with it', async () => {
      await site.start();
      await ready();
      site.centre.fate = cutOff(0);
      await reportAll();
      for (let index = 0; index < 100; index += 1)
        await site.request('POST', `/v1/machines/${index}/heartbeat?name=${'n'.repeat(200)}`);
      site.centre.fate = cutOff(5_000);
      await eventually(() => expect(site.centre.counts).toEqual(once));
      await eventually(() =>
        expect(site.centre.items.filter(({ kind }) => kind === 'heartbeat')).toHaveLength(100),
      );
    });

    it('is sent in smaller batches also after a batch that may have arrived and has not', async () => {
      await site.start();
      await ready();
      site.centre.fate = () => 'drop';
      await reportAll();
      await site.stop();
      site.centre.fate = cutOff(5_000);
      await site.start();
      await eventually(() => expect(site.centre.counts).toEqual(once));
    });

    it('is sent in smaller batches if the connection breaks, and signs of life with it', async () => {
      await site.start();
      await ready();
      site.centre.fate = () => 'drop';
      await reportAll();
      for (let index = 0; index < 100; index += 1)
        await site.request('POST', `/v1/machines/${index}/heartbeat?name=${'n'.repeat(200)}`);
      site.centre.fate = ({ items }) => (JSON.stringify(items).length > 5_000 ? 'drop' : 'store');
      await eventually(() => expect(site.centre.counts).toEqual(once));
      await eventually(() =>
        expect(site.centre.items.filter(({ kind }) => kind === 'heartbeat')).toHaveLength(100),
      );
    });

    it('is sent again as it was if it has arrived whole, because something of it may be stored', async () => {
      await site.start();
      await ready();
      const attempts: (string | undefined)[] = [];
      site.centre.fate = ({ id, items }) => {
        if (JSON.stringify(items).length <= 5_000) return 'store';
        attempts.push(id);
        site.centre.pendingID = id ?? null;
        return attempts.length < 5 ? 'drop' : 'store';
      };
      await reportAll();
      await eventually(() => expect(site.centre.counts).toEqual(once));
      // What was reported meanwhile comes in another one.
      expect(attempts.slice(0, 5)).toEqual(Array.from({ length: 5 }, () => attempts[0]));
    });

    it('is not sent twice if the batch had arrived before', async () => {
      await site.start();
      await ready();
      let isLost = false;
      site.centre.fate = ({ items }) => {
        if (JSON.stringify(items).length <= 5_000) return 'store';
        if (isLost) return { refuse: 'request_timeout' };
        isLost = true;
        return 'lose';
      };
      await reportAll();
      await eventually(async () =>
        expect((await site.request('GET', '/metrics')).text).toMatch(/spooled_reports 0\n/),
      );
      expect([isLost, site.centre.counts]).toEqual([true, once]);
    });
  });
});
