import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusal } from '../../foundation/refusal.ts';
import type { ConfigTask } from './config-task.ts';
import { ConfigThread, maxInlineBytes, maxTaskMilliseconds, maxWaitingTasks } from './config-thread.ts';
import { renderConfig, type WantedForm } from './render-config.ts';

const form: WantedForm = { format: 'classic', origin: 'http://127.0.0.1:7400' };
const large = maxInlineBytes + 1;

function render(raw_config: string, format: 'classic' | 'yaml' = 'classic') {
  return { kind: 'render', config: { raw_config, config_format: format }, form } as const;
}

/** Answers when it is told to. */
class FakeThread extends EventEmitter {
  isEnded = false;

  async terminate(): Promise<number> {
    this.isEnded = true;
    this.emit('exit');
    return 1;
  }
}

describe('a large configuration', () => {
  it('is made ready on a thread, as a small one is at once', async () => {
    const thread = new ConfigThread();
    const section = '[INPUT]\n    Name cpu\n    Tag  {{vars.region}}\n\n';
    const { config } = render(section.repeat(1_000));
    const ended: string[] = [];
    const [pieces] = await Promise.all([
      thread.run(render(config.raw_config), config.raw_config.length).finally(() => ended.push('large')),
      thread.run(render(section), section.length).finally(() => ended.push('small')),
    ]);
    expect(pieces).toEqual(renderConfig(config, form));
    expect(ended).toEqual(['small', 'large']);
  });

  it('is refused from the thread in the same words', async () => {
    const thread = new ConfigThread();
    const wrong = render('pipeline:\n  inputs:\n    - name: cpu\n      routes: {logs: []}\n', 'yaml');
    const refusals = await Promise.all(
      [wrong.config.raw_config.length, large].map((bytes) =>
        thread.run(wrong, bytes).catch((error: unknown) => error),
      ),
    );
    const [small] = refusals;
    expect(small).toBeInstanceOf(Refusal);
    expect(refusals[1]).toEqual(small);
  });
});

describe('large configurations at once', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function start() {
    const started: FakeThread[] = [];
    const thread = new ConfigThread(() => {
      const one = new FakeThread();
      started.push(one);
      return one as unknown as ReturnType<NonNullable<ConstructorParameters<typeof ConfigThread>[0]>>; // it has what is used
    });
    return { started, run: () => thread.run(render('') satisfies ConfigTask, large) };
  }

  it('are ended after a minute, so that none holds those behind it', async () => {
    const { started, run } = start();
    const endless = run().catch((error: unknown) => error);
    const next = run();
    await vi.advanceTimersByTimeAsync(maxTaskMilliseconds - 1);
    expect(started).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await endless).toMatchObject({
      code: 'invalid_fleet_config',
      detail:
        'It takes more than 60 seconds to read it. Make it smaller, or move parts of it into files of the fleet.',
    });
    expect(started.map(({ isEnded }) => isEnded)).toEqual([true, false]);
    started[1]?.emit('message', { result: ['text'] });
    expect(await next).toEqual(['text']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are refused when ten wait already', async () => {
    const { started, run } = start();
    const taken = Array.from({ length: maxWaitingTasks + 1 }, () => run());
    await expect(run()).rejects.toMatchObject({
      code: 'overloaded',
      detail: '10 large configurations wait for their turn. Send the request again in some seconds.',
    });
    for (const [index, one] of taken.entries()) {
      await vi.advanceTimersByTimeAsync(0);
      started[index]?.emit('message', { result: [String(index)] });
      expect(await one).toEqual([String(index)]);
    }
    const after = run();
    await vi.advanceTimersByTimeAsync(0);
    started.at(-1)?.emit('message', { result: [] });
    expect(await after).toEqual([]);
  });
});
