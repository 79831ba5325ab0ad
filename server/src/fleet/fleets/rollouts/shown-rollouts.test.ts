import type { Rollout } from '@muster/contract';
import { DefaultQueryExecutor } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RolloutScene, versionedConfig } from '../../../testing/stages/rollout-scene.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

describe('what agents of rollouts show', () => {
  /** How many statements read the agents of fleets, and how many of them at the same time. */
  async function readsOf(work: () => Promise<unknown>): Promise<{ count: number; atOnce: number }> {
    const { executeQuery } = DefaultQueryExecutor.prototype;
    const reads = { count: 0, atOnce: 0 };
    let running = 0;
    const execute = vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery');
    execute.mockImplementation(async function (this: DefaultQueryExecutor, query) {
      if (!/^\s*select[\s\S]*\bfrom fleet_agents where\b/.test(query.sql)) {
        return Reflect.apply(executeQuery, this, [query]);
      }
      reads.count += 1;
      running += 1;
      reads.atOnce = Math.max(reads.atOnce, running);
      return Reflect.apply(executeQuery, this, [query]).finally(() => {
        running -= 1;
      });
    });
    await work();
    execute.mockRestore();
    return reads;
  }

  it('is read of one after the other in a list, and once for all who watch one', async () => {
    const scene = await new RolloutScene(app).start(2);
    const ids: string[] = [];
    for (let number = 0; number < 4; number += 1) ids.push(await scene.deploy());
    const path = `/v1/projects/${scene.project.id}/rollouts`;
    const listed = await readsOf(async () => {
      const { body } = await scene.call<Rollout[]>('GET', path);
      expect(body.map(({ id }) => id)).toEqual(ids.toReversed());
    });
    expect(listed).toEqual({ count: 4, atOnce: 1 });
    const id = ids.at(-1) ?? '';
    const watched = await readsOf(async () => {
      const shown = await Promise.all(Array.from({ length: 8 }, () => scene.read(id)));
      for (const one of shown)
        expect(one).toMatchObject({ id, state: 'running', evidence: { failedCount: 0 } });
    });
    // Those who ask during a look share the next one.
    expect(watched.atOnce).toBe(1);
    expect(watched.count).toBeLessThan(3);
  });

  it('lists only those that go on or were stopped, if nothing newer was deployed, when it is asked for these', async () => {
    const scene = await new RolloutScene(app).start(1);
    const listed = async () => {
      const path = `/v1/projects/${scene.project.id}/rollouts?incomplete=true`;
      return (await scene.call<Rollout[]>('GET', path)).body.map(({ id, state }) => [id, state]);
    };
    const first = await scene.deploy();
    await scene.call('POST', `/v1/rollouts/${first}/stop`, { reason: 'too early' });
    expect(await listed()).toEqual([[first, 'stopped']]);
    const second = await scene.deploy();
    expect(await listed()).toEqual([[second, 'running']]);
    await scene.call('PATCH', `/v1/fleets/${scene.fleetID}`, { rawConfig: versionedConfig(3) });
    expect(await listed()).toEqual([]);
  });
});
