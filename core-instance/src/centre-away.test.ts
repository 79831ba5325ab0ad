import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { formatToken } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { TestSite } from './testing/test-site.ts';

let site: TestSite;
beforeEach(async () => {
  site = await TestSite.create();
});
afterEach(() => site.close());

const ready = () => eventually(async () => expect((await site.request('GET', '/readyz')).status).toBe(200));

describe('a core instance whose centre is away', () => {
  it('takes what agents with known credentials send, and neither accepts nor refuses others', async () => {
    await site.start();
    await ready();
    await site.stop();
    const { url } = site.centre;
    site.centre.close();
    await site.start({ url });
    expect((await site.report('web-1', 'one')).status).toBe(201);
    const stranger = site.centre.projectToken.slice(0, 135);
    const wrong = await site.request('POST', '/v1/machines/m/errors', {
      token: `${stranger}.mst_p_x`,
      body: {},
    });
    expect(wrong.body).toMatchObject({ status: 401, code: 'invalid_credential' });
    const agentToken = formatToken('agent', Buffer.alloc(32, 1));
    const id = '0192f0a0-0000-7000-8000-00000000c0de';
    const later = await site.request('POST', `/v1/agents/${id}/errors`, {
      token: agentToken,
      body: { error: 'x' },
    });
    expect(later.body).toMatchObject({ status: 503, code: 'overloaded' });
    expect(later.headers.get('retry-after')).toBe('30');
  });

  it('refuses more updates of an agent of which much waits, and nothing of others', async () => {
    await site.start({ bounds: { maxStateBytesPerAgent: 150_000 } });
    await ready();
    site.centre.fate = () => ({ refuse: 'overloaded' });
    const update = (id: string) =>
      site.request('PATCH', `/v1/agents/${id}`, { body: { rawConfig: '#'.repeat(65_000) } });
    const greedy = randomUUID();
    for (const status of [204, 204, 503]) expect((await update(greedy)).status).toBe(status);
    const { body, headers } = await update(greedy);
    expect({ body, retryAfter: headers.get('retry-after') }).toEqual({
      body: expect.objectContaining({
        code: 'overloaded',
        detail:
          'Too many registrations and updates of this agent wait at this core instance until Muster takes them. Nothing was stored. Send the request again later.',
      }),
      retryAfter: '60',
    });
    expect((await update(randomUUID())).status).toBe(204);
    expect((await site.report('web-1', 'one')).status).toBe(201);
    site.centre.fate = () => 'store';
    await eventually(async () => expect((await update(greedy)).status).toBe(204));
  });

  it('tells Prometheus whether the last request to its centre succeeded', async () => {
    const isUp = async () => {
      const { text } = await site.request('GET', '/metrics');
      return /^muster_core_instance_service_up (.*)$/m.exec(text)?.[1];
    };
    await site.start();
    await ready();
    await site.report('web-1', 'one');
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1 }));
    await eventually(async () => expect(await isUp()).toBe('1'));
    site.centre.fate = () => ({ refuse: 'overloaded' });
    await site.report('web-1', 'two');
    await eventually(async () => expect(await isUp()).toBe('0'));
    site.centre.fate = () => 'store';
    await eventually(async () => expect(await isUp()).toBe('1'));
  });

  it('refuses what agents send if it was deleted before, until the centre takes something again', async () => {
    const fates: string[] = [];
    const refuse = (code: 'core_instance_deleted' | 'overloaded') => () => {
      fates.push(code);
      return { refuse: code };
    };
    await site.start({ forwarding: { flushMilliseconds: 5, deletedPauseMilliseconds: 5 } });
    await ready();
    site.centre.fate = refuse('core_instance_deleted');
    expect((await site.report('web-1', 'one')).status).toBe(201);
    await eventually(async () => expect((await site.report('web-1', 'two')).status).toBe(503));
    site.centre.fate = refuse('overloaded');
    await eventually(() => expect(fates.slice(-2)).toEqual(['overloaded', 'overloaded']));
    expect((await site.report('web-1', 'three')).body).toMatchObject({
      status: 503,
      detail: expect.stringContaining('This core instance was deleted'),
    });
    site.centre.fate = () => 'store';
    await eventually(async () => expect((await site.report('web-1', 'four')).status).toBe(201));
    await eventually(() => expect(site.centre.counts).toMatchObject({ one: 1, four: 1 }));
    expect(site.centre.counts).not.toHaveProperty('three');
  });

  it('says once that its disk takes nothing, and not that the centre is reached again', async () => {
    await site.start();
    await ready();
    await eventually(() => expect(site.centre.statuses).toHaveLength(1));
    const taken = join(site.folder, 'progress.json');
    let attempts = 0;
    site.centre.fate = () => {
      attempts += 1;
      rmSync(taken, { recursive: true, force: true });
      // A file cannot be put into its place.
      mkdirSync(join(taken, 'x'), { recursive: true });
      return 'store';
    };
    expect((await site.report('web-1', 'one')).status).toBe(201);
    await eventually(() => expect(attempts).toBeGreaterThan(3));
    expect(site.logs.filter((line) => /cannot be sent|reached again/.test(line))).toEqual([
      expect.stringContaining('Check the disk of the state folder'),
    ]);
    site.centre.fate = () => {
      rmSync(taken, { recursive: true, force: true });
      return 'store';
    };
    await eventually(async () =>
      expect((await site.request('GET', '/metrics')).text).toMatch(
        /^muster_core_instance_spooled_reports 0$/m,
      ),
    );
    expect(site.centre.counts).toEqual({ one: 1 });
  });

  it('answers agents with 503 before it has ever joined, and says why', async () => {
    const { url } = site.centre;
    site.centre.close();
    await site.start({ url });
    const { status, headers } = await site.report('web-1', 'one');
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 503, retryAfter: '30' });
    expect((await site.request('GET', '/healthz')).body).toEqual({ status: 'ok', version: '1.2.3' });
    expect((await site.request('GET', '/readyz')).status).toBe(503);
    await eventually(() => expect(site.logs).toContainEqual(expect.stringContaining('cannot be joined yet')));
  });
});
