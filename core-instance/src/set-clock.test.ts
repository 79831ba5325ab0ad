import { type CoreInstanceBatch, formatToken } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { TestSite } from './testing/test-site.ts';

let site: TestSite;
beforeEach(async () => {
  site = await TestSite.create();
});
afterEach(() => site.close());

const ready = () => eventually(async () => expect((await site.request('GET', '/readyz')).status).toBe(200));

describe('a core instance whose clock is set', () => {
  it('goes on as before, also if it is set back by an hour', async () => {
    let now = Date.UTC(2026, 0, 1);
    await site.start({ clock: () => now });
    await ready();
    await site.report('web-1', 'one');
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1 }));
    now -= 3_600_000;
    const token = formatToken('agent', Buffer.alloc(32, 8));
    const id = '0192f0a0-0000-7000-8000-00000000c0de';
    site.centre.credentials.push(
      site.centre.credentialOf(token, { kind: 'agent', id, permissions: ['create:agent_error'] }),
    );
    // Heard of by asking, which is limited to once in a second.
    await eventually(async () => {
      const body = { error: 'two' };
      expect((await site.request('POST', `/v1/agents/${id}/errors`, { token, body })).status).toBe(201);
    });
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1, two: 1 }));
  });

  it.each([
    ['forward', 10 * 86_400_000],
    ['back', -3_600_000],
  ])('says when things happened by a clock that goes on evenly: set %s', async (_, step) => {
    const start = Date.UTC(2026, 0, 1);
    let now = start;
    let passed = 0;
    await site.start({
      clock: () => now + passed,
      monotonic: () => passed,
      bounds: { segmentBytes: 1 },
    });
    await ready();
    site.centre.fate = () => 'drop';
    await site.report('web-1', 'one');
    passed += 60_000;
    const body = { name: 'web-1', machineID: 'web-1' };
    expect((await site.request('POST', '/v1/agents', { body })).status).toBe(201);
    now += step;
    passed += 60_000;
    // A new file of the spool: what is old in the others would be dropped.
    await site.report('web-1', 'two');
    await site.report('web-1', 'three');
    passed += 60_000;
    await site.request('POST', '/v1/machines/web-2/heartbeat');
    site.centre.fate = () => 'store';
    const minutes = [0, 1, 2, 2, 3];
    // In how many batches they come depends on how often the line was tried meanwhile.
    await eventually(() =>
      expect(site.centre.items.flatMap(timesOf).toSorted((one, other) => one - other)).toEqual(
        minutes.map((minute) => start + minute * 60_000),
      ),
    );
    expect(site.centre.statuses.at(-1)).toMatchObject({ startedAt: start, sentAt: start + 180_000 });
    const { text } = await site.request('GET', '/metrics');
    // By the clock of the machine, to which Prometheus compares it.
    expect(/^muster_core_instance_last_contact_seconds (.*)$/m.exec(text)?.[1]).toBe(
      String((start + step + 180_000) / 1_000),
    );
  });
});

function timesOf(item: CoreInstanceBatch['items'][number]): number[] {
  return item.kind === 'errors' ? item.errors.map(({ firstAt }) => firstAt) : [item.at];
}
