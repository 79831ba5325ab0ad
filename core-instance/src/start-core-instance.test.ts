import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CoreInstanceBatch, formatProjectToken, formatToken } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../server/src/testing/eventually.ts';
import { TestSite } from './testing/test-site.ts';

let site: TestSite;
beforeEach(async () => {
  site = await TestSite.create();
});
afterEach(() => site.close());

const ready = () => eventually(async () => expect((await site.request('GET', '/readyz')).status).toBe(200));

describe('a core instance', () => {
  it('joins once, with the project token, and then uses its own credential', async () => {
    await site.start();
    await ready();
    expect(site.centre.joins).toEqual([
      { name: 'plant-7', version: '1.2.3', instanceKey: expect.stringMatching(/^[\w-]{43}$/) },
    ]);
    await site.stop();
    await site.start({ readProjectToken: async () => undefined });
    await ready();
    await site.report('web-1', 'disk full');
    await eventually(() => expect(site.centre.counts).toEqual({ 'disk full': 1 }));
    expect(site.centre.joins).toHaveLength(1);
  });

  it('hears of all credentials of a large project', async () => {
    const { centre } = site;
    const fields = { kind: 'agent', id: '0192f0a0-0000-7000-8000-00000000c0de' } as const;
    const others = Array.from({ length: 6_000 }, (_, index) => centre.credentialOf(`token ${index}`, fields));
    centre.credentials = [...others, centre.credentialOf(centre.projectToken)];
    await site.start();
    await ready();
    expect((await site.report('web-1', 'one')).status).toBe(201);
  });

  it('reads the credentials anew if its centre does not know any more what it has read', async () => {
    const { centre } = site;
    await site.start();
    await ready();
    await site.stop();
    const ids = { projectID: randomUUID(), tokenID: centre.tokenID };
    const token = formatProjectToken(ids, randomBytes(32));
    centre.credentials = [centre.credentialOf(token)];
    centre.knowsCursors = false;
    await site.start();
    const report = (by: string) =>
      site.request('POST', '/v1/machines/web-1/errors', { token: by, body: { error: 'one' } });
    await eventually(async () => expect((await report(centre.projectToken)).status).toBe(401));
    expect((await report(token)).status).toBe(201);
  });

  it('works with a centre that does not say whether machines are registered once', async () => {
    const { registration: _, ...limits } = site.centre.limits;
    site.centre.limits = limits;
    await site.start();
    await ready();
  });

  it('joins again as the same one if the answer was lost', async () => {
    await site.start();
    await ready();
    await site.stop();
    const path = join(site.folder, 'identity.json');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), membership: null }));
    await site.start();
    await eventually(() => expect(site.centre.joins).toHaveLength(2));
    const [first, second] = site.centre.joins;
    expect(second).toEqual(first);
  });

  it('sends everything that it acknowledged, in its order, with the time at which it happened', async () => {
    let now = Date.UTC(2026, 0, 1);
    await site.start({ clock: () => now, monotonic: () => now });
    await ready();
    let attempts = 0;
    site.centre.fate = ({ items }) => {
      if (items.length > 0) attempts += 1;
      return 'drop';
    };
    await site.report('web-1', 'one');
    // What was sent once stays a batch of its own: it may have arrived.
    await eventually(() => expect(attempts).toBeGreaterThan(0));
    for (let count = 0; count < 2; count += 1) {
      now += 60_000;
      await site.report('web-1', 'one');
    }
    const registered = await site.request('POST', '/v1/agents', {
      body: { name: 'web-1', machineID: 'web-1', rawConfig: '[INPUT]' },
    });
    expect(registered.status).toBe(201);
    const { id, token } = registered.body as { id: string; token: string };
    now += 60_000;
    const own = { token, body: [{ error: 'one' }, { error: 'two' }] };
    expect((await site.request('POST', `/v1/agents/${id}/errors`, own)).status).toBe(201);
    expect(site.centre.items).toEqual([]);
    site.centre.fate = () => 'store';
    await eventually(() => expect(site.centre.counts).toEqual({ one: 4, two: 1 }));
    const at = Date.UTC(2026, 0, 1);
    const by = { tokenID: site.centre.tokenID };
    expect(site.centre.items).toEqual([
      {
        kind: 'errors',
        by,
        machineID: 'web-1',
        errors: [{ error: 'one', firstAt: at, lastAt: at, count: 1 }],
      },
      {
        kind: 'errors',
        by,
        machineID: 'web-1',
        errors: [{ error: 'one', firstAt: at + 60_000, lastAt: at + 120_000, count: 2 }],
      },
      {
        kind: 'registration',
        at: at + 120_000,
        agentID: id,
        tokenDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        tokenID: site.centre.tokenID,
        agent: { name: 'web-1', machineID: 'web-1', rawConfig: '[INPUT]' },
      },
      {
        kind: 'errors',
        by: { agentID: id },
        agentID: id,
        errors: [
          { error: 'one', firstAt: at + 180_000, lastAt: at + 180_000, count: 1 },
          { error: 'two', firstAt: at + 180_000, lastAt: at + 180_000, count: 1 },
        ],
      },
    ]);
    expect(site.centre.faults).toEqual([]);
  });

  it('sends each report exactly once, although answers are lost and the process is stopped in between', async () => {
    let turn = 0;
    site.centre.fate = () => {
      turn += 1;
      return (['lose', 'drop', 'store'] as const)[turn % 3] ?? 'store';
    };
    const expected: Record<string, number> = {};
    for (let round = 0; round < 4; round += 1) {
      await site.start({ forwarding: { flushMilliseconds: 1, itemsPerBatch: 7 } });
      await ready();
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const text = `text ${index % 20}`;
          const { status } = await site.report(`web-${index % 3}`, text);
          if (status === 201) expected[text] = (expected[text] ?? 0) + 1;
        }),
      );
      await site.stop();
    }
    site.centre.fate = () => 'store';
    await site.start();
    await eventually(() => expect(site.centre.counts).toEqual(expected));
    expect(Object.values(expected).reduce((sum, count) => sum + count, 0)).toBe(200);
  });

  it.each([
    ['429', { refuse: 'too_many_reports_of_token' }],
    ['503', { refuse: 'overloaded' }],
    ['500', { refuse: 'internal_error' }],
    ['a page of a proxy with 502', { html: 502 }],
    ['a page of a proxy with 200', { html: 200 }],
    ['a page of a proxy with 401', { html: 401 }],
    ['a page of a proxy with 407', { html: 407 }],
    ['a page of a proxy with 410', { html: 410 }],
    ['a page of a proxy with 413', { html: 413 }],
    ['a redirection', { html: 302 }],
    ['a broken connection', 'drop'],
    ['a lost answer', 'lose'],
    ['half an answer', 'midway'],
  ] as const)('sends the same batch with the same number again after %s', async (_, fate) => {
    await site.start();
    await ready();
    const sent: [number, string | undefined, unknown][] = [];
    site.centre.fate = ({ sequence, id, items }) => {
      if (items.length === 0) return 'store';
      sent.push([sequence, id, items]);
      return sent.length <= 3 ? fate : 'store';
    };
    await site.report('web-1', 'one');
    await eventually(() => expect(sent.length).toBeGreaterThan(3));
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1 }));
    expect(sent[0]?.[1]).toMatch(/^[0-9a-f-]{36}$/);
    for (const attempt of sent) expect(attempt).toEqual(sent[0]);
    const { text } = await site.request('GET', '/metrics');
    expect(text).toContain('refused_items_total 0');
    expect(text).toContain('lost_reports_total 0');
  });

  it('goes on with new numbers when its state folder is older than what the centre has', async () => {
    await site.start();
    await ready();
    await site.report('web-1', 'one');
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1 }));
    await site.stop();
    site.centre.sequence += 100;
    await site.start();
    await ready();
    await site.report('web-1', 'two');
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1, two: 1 }));
    expect(site.logs).toContainEqual(expect.stringContaining('newer batches of this core instance'));
  });

  it('takes nothing more when it was deleted, says so, and sends what waits as another one', async () => {
    await site.start();
    await ready();
    site.centre.fate = () => ({ refuse: 'core_instance_deleted' });
    await site.report('web-1', 'one');
    await eventually(() =>
      expect(site.logs).toContainEqual(expect.stringContaining('This core instance was deleted in Muster')),
    );
    const refused = await site.report('web-1', 'two');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '60']);
    expect((await site.request('GET', '/readyz')).status).toBe(503);
    await site.stop();
    site.centre.fate = () => 'store';
    rmSync(join(site.folder, 'identity.json'));
    await site.start();
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1 }));
    expect((await site.report('web-1', 'two')).status).toBe(201);
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1, two: 1 }));
  });

  it('sends the items of a batch that is refused as a whole in smaller ones, and drops the one at fault', async () => {
    await site.start();
    await ready();
    site.centre.fate = () => 'drop';
    for (const text of ['one', 'two', 'bad', 'three']) await site.report('web-1', text);
    site.centre.fate = ({ items }) =>
      JSON.stringify(items).includes('"bad"') ? { refuse: 'invalid_body' } : 'store';
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1, two: 1, three: 1 }));
    await eventually(() =>
      expect(site.logs).toContainEqual(
        expect.stringContaining('refused what an agent sent, and it is dropped'),
      ),
    );
    expect((await site.request('GET', '/metrics')).text).toContain('refused_items_total 1');
  });

  it.each([
    { refuse: 'route_not_found' as const },
    { refuse: 'invalid_body' as const, fields: [{ path: '/status/startedAt', message: 'is too late' }] },
  ])('drops nothing for a refusal that is not about its items: $refuse', async (fate) => {
    await site.start();
    await ready();
    site.centre.fate = () => fate;
    await site.report('web-1', 'one');
    await eventually(() =>
      expect(site.logs).toContainEqual(
        expect.stringContaining('Muster refuses what this core instance sends'),
      ),
    );
    site.centre.fate = () => 'store';
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1 }));
  });

  it('joins again if its credential is not accepted any more', async () => {
    await site.start();
    await ready();
    site.centre.fate = () => ({ refuse: 'revoked_credential' });
    await site.report('web-1', 'one');
    await eventually(() => expect(site.centre.joins.length).toBeGreaterThan(1));
    site.centre.fate = () => 'store';
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1 }));
  });

  it('gets itself a new credential when it was rotated, although the answer is lost, and is killed at any step', async () => {
    let now = 0;
    await site.start({ monotonic: () => now });
    await ready();
    const path = join(site.folder, 'identity.json');
    const tokens = () => {
      const { token, earlierToken } = JSON.parse(readFileSync(path, 'utf8')).membership as Record<
        string,
        string
      >;
      return { token, earlierToken };
    };
    const first = tokens();
    site.centre.rotationFate = () => 'lose';
    site.centre.rotate();
    await site.report('web-1', 'one');
    await eventually(() => expect(site.centre.rotations).toBe(1));
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1 }));
    expect(tokens()).toEqual(first);
    site.centre.rotationFate = () => 'answer';
    now += 10_000;
    await site.report('web-1', 'two');
    await eventually(() =>
      expect(tokens()).toEqual({ token: expect.any(String), earlierToken: first.token }),
    );
    const written = readFileSync(path, 'utf8');
    await site.report('web-1', 'three');
    await eventually(() => expect(tokens().earlierToken).toBeUndefined());
    const second = tokens();
    expect(second.token).not.toBe(first.token);
    await site.stop();
    // Killed after the new one was used, and before that was noted.
    writeFileSync(path, written);
    await site.start();
    await site.report('web-1', 'four');
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1, two: 1, three: 1, four: 1 }));
    await eventually(() => expect(tokens()).toEqual(second));
    expect(site.centre.joins).toHaveLength(1);
  });

  it('goes back to the credential before, if Muster does not know the new one', async () => {
    await site.start();
    await ready();
    await site.stop();
    const path = join(site.folder, 'identity.json');
    const identity = JSON.parse(readFileSync(path, 'utf8')) as { membership: { token: string } };
    const { token: earlierToken } = identity.membership;
    const token = formatToken('core_instance', Buffer.alloc(32, 5));
    writeFileSync(
      path,
      JSON.stringify({ ...identity, membership: { ...identity.membership, token, earlierToken } }),
    );
    await site.start({ readProjectToken: async () => undefined });
    await site.report('web-1', 'one');
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1 }));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(identity);
  });

  it('waits for a project token when its credential ended at once, and joins again as the same one', async () => {
    let projectToken: string | undefined;
    await site.start();
    await ready();
    await site.stop();
    await site.start({ readProjectToken: async () => projectToken });
    site.centre.rotate(0);
    await site.report('web-1', 'one');
    await eventually(() =>
      expect(site.logs).toContainEqual(
        expect.stringContaining('does not accept the credential of this core instance'),
      ),
    );
    expect((await site.report('web-1', 'two')).status).toBe(201);
    expect(site.logs.filter((line) => line.startsWith('Joining again did not help'))).toEqual([]);
    projectToken = site.centre.projectToken;
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1, two: 1 }));
    const [first, second] = site.centre.joins;
    expect(second).toEqual(first);
  });

  it('keeps for ever by which id the centre knows an agent', async () => {
    await site.start();
    await ready();
    const registered = await site.request('POST', '/v1/agents', { body: { name: 'a', machineID: 'm-1' } });
    const { id } = registered.body as { id: string };
    const canonicalID = '0192f0a0-0000-7000-8000-00000000c0de';
    site.centre.answer = { aliases: [{ agentID: id, canonicalID }] };
    const ofCentre = formatToken('agent', Buffer.alloc(32, 7));
    site.centre.credentials.push(
      site.centre.credentialOf(ofCentre, {
        kind: 'agent',
        id: canonicalID,
        permissions: ['create:agent_error', 'update:agent'],
      }),
    );
    await site.report('web-1', 'one');
    await eventually(() =>
      expect(readFileSync(join(site.folder, 'agents.log'), 'utf8')).toContain(canonicalID),
    );
    await site.stop();
    await site.start();
    await ready();
    for (const one of [id, canonicalID]) {
      const answer = await site.request('POST', `/v1/agents/${one}/errors`, {
        token: ofCentre,
        body: { error: 'x' },
      });
      expect(answer.status).toBe(201);
    }
    const again = await site.request('POST', '/v1/agents', { body: { name: 'a', machineID: 'm-1' } });
    expect(again.body).toMatchObject({ id });
  });

  it('leaves room for signs of life in the batches of a long spool', async () => {
    const batches: CoreInstanceBatch[] = [];
    await site.start({ forwarding: { flushMilliseconds: 1, itemsPerBatch: 10 } });
    await ready();
    site.centre.fate = () => 'drop';
    for (let number = 0; number < 30; number += 1) await site.report(`web-${number}`, 'disk full');
    expect((await site.request('POST', '/v1/machines/db-1/heartbeat')).status).toBe(204);
    site.centre.fate = (batch) => {
      batches.push(batch);
      return 'store';
    };
    await eventually(() => expect(site.centre.items).toHaveLength(31));
    const withSign = batches.findIndex(({ items }) => items.some(({ kind }) => kind === 'heartbeat'));
    const full = batches.findIndex(({ items }) => items.length === 10);
    expect(full).toBeGreaterThanOrEqual(0);
    expect(withSign).toBe(full);
  });

  it('tells its centre how it is, with signs of life of its agents', async () => {
    await site.start();
    await ready();
    expect((await site.request('POST', '/v1/machines/web-1/heartbeat')).status).toBe(204);
    await eventually(() =>
      expect(site.centre.items).toEqual([
        {
          kind: 'heartbeat',
          at: expect.any(Number),
          by: { tokenID: site.centre.tokenID },
          machineID: 'web-1',
          heartbeat: {},
        },
      ]),
    );
    expect(site.centre.statuses.at(-1)).toEqual({
      version: '1.2.3',
      startedAt: expect.any(Number),
      spooledCount: 0,
      spooledBytes: 0,
      oldestSpooledAt: null,
      lostCount: 0,
      lastLossAt: null,
      sentAt: expect.any(Number),
    });
  });

  it('tells what waits beside the batch that says so', async () => {
    const start = Date.UTC(2026, 0, 1);
    let now = start;
    let isBack = false;
    const waiting: unknown[] = [];
    site.centre.fate = ({ items, status }) => {
      if (!isBack) return 'drop';
      const hasErrors = items.some(({ kind }) => kind === 'errors');
      if (hasErrors) waiting.push([status.spooledCount, status.oldestSpooledAt]);
      return 'store';
    };
    await site.start({
      clock: () => now,
      monotonic: () => now,
      forwarding: { flushMilliseconds: 5, itemsPerBatch: 1 },
    });
    await ready();
    for (const text of ['one', 'two', 'three']) {
      await site.report('web-1', text);
      now += 60_000;
    }
    isBack = true;
    await eventually(() => expect(site.centre.counts).toEqual({ one: 1, two: 1, three: 1 }));
    expect(waiting).toEqual([
      [2, start],
      [1, start + 60_000],
      [0, null],
    ]);
  });

  it('keeps the end of an agent on the disk', async () => {
    await site.start();
    await ready();
    site.centre.fate = () => 'drop';
    const body = { status: 'stopped', exitCode: 1 };
    expect((await site.request('POST', '/v1/machines/web-1/heartbeat', { body })).status).toBe(204);
    await site.stop();
    site.centre.fate = () => 'store';
    await site.start();
    await eventually(() =>
      expect(site.centre.items).toMatchObject([{ kind: 'heartbeat', machineID: 'web-1', heartbeat: body }]),
    );
  });
});
