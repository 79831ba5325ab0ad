import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Goodbye, Heartbeats } from './heartbeats.ts';
import { ServiceFailure } from './report-service.ts';

const registration = {
  agentID: 'agent',
  agentToken: 'token',
  digest: '',
  version: undefined,
  name: 'web-01',
};

/** Heartbeats to a service with scripted answers, with a timer that the test controls. */
function start(answer: (body: unknown, signal: AbortSignal) => Promise<void> = async () => undefined) {
  const sent: unknown[] = [];
  const asked: string[] = [];
  const timers = new Set<() => void>();
  let registered: typeof registration | undefined = registration;
  const heartbeats = new Heartbeats({
    service: {
      heartbeat(_, body, signal) {
        sent.push(body);
        return answer(body, signal);
      },
    },
    registrar: {
      known: async () => registered,
      async forget() {
        registered = undefined;
        asked.push('forget');
      },
    },
    onUnknown: () => asked.push('register'),
    every(milliseconds, work) {
      expect(milliseconds).toBe(30_000);
      timers.add(work);
      return () => timers.delete(work);
    },
  });
  return {
    heartbeats,
    sent,
    asked,
    timers,
    loseRegistration() {
      registered = undefined;
    },
    /** Advances the timer by half a minute. */
    async tick() {
      for (const work of timers) work();
      await setImmediate();
    },
  };
}

const beat = { heartbeatSeconds: 30 };
const end: Goodbye = { exitCode: 3 };
const refusal = (status: number) => Promise.reject(new ServiceFailure('refused', 'no', { status }));
const never = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

afterEach(() => {
  vi.useRealTimers();
});

describe('Heartbeats', () => {
  it('begin once the agent is registered, and stop with a final one for its end', async () => {
    const { heartbeats, sent, tick, timers } = start();
    heartbeats.begin();
    heartbeats.begin();
    await tick();
    await heartbeats.end(end, 5_000);
    expect(sent).toEqual([beat, beat, { status: 'stopped', exitCode: 3 }]);
    expect(timers.size).toBe(0);
    heartbeats.begin();
    expect(timers.size).toBe(0);
  });

  it('report the end of an agent that ended before its first heartbeat', async () => {
    const { heartbeats, sent } = start();
    await heartbeats.end({ signal: 'SIGKILL' }, 5_000);
    expect(sent).toEqual([{ status: 'stopped', signal: 'SIGKILL' }]);
  });

  it('are not sent for an unregistered agent, or if no time is left', async () => {
    const first = start();
    first.loseRegistration();
    await first.heartbeats.end(end, 5_000);
    const second = start();
    await second.heartbeats.end(end, 0);
    expect([first.sent, second.sent]).toEqual([[], []]);
  });

  it('continue after failures, and never reject', async () => {
    const { heartbeats, sent, asked, tick } = start(() => refusal(503));
    heartbeats.begin();
    await tick();
    await tick();
    await heartbeats.end(end, 5_000);
    expect(sent).toEqual([beat, beat, beat, { status: 'stopped', exitCode: 3 }]);
    expect(asked).toEqual([]);
  });

  it.each([401, 404, 410])('register the agent again if the service does not know it: %d', async (status) => {
    const { heartbeats, asked, timers } = start(() => refusal(status));
    heartbeats.begin();
    await setImmediate();
    expect(asked).toEqual(['forget', 'register']);
    expect(timers.size).toBe(0);
  });

  it('do not register an agent again that was deleted while it ran', async () => {
    let isDeleted = false;
    const { heartbeats, asked, tick } = start(() => (isDeleted ? refusal(410) : Promise.resolve()));
    heartbeats.begin();
    await setImmediate();
    isDeleted = true;
    await tick();
    expect(asked).toEqual([]);
  });

  it('send the end after a running heartbeat', async () => {
    let release = (): void => undefined;
    const { heartbeats, sent } = start(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    heartbeats.begin();
    await setImmediate();
    const ended = heartbeats.end(end, 5_000);
    await setImmediate();
    expect(sent).toEqual([beat]);
    release();
    await setImmediate();
    expect(sent).toEqual([beat, { status: 'stopped', exitCode: 3 }]);
    release();
    await ended;
  });

  it.each([
    [60_000, 2_000],
    [500, 500],
  ])('with %i ms left, wait for a silent service for %i ms', async (left, most) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { heartbeats } = start((_, signal) => never(signal));
    const ended = vi.fn();
    void heartbeats.end(end, left).then(ended);
    vi.advanceTimersByTime(most - 1);
    await setImmediate();
    expect(ended).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await setImmediate();
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it('stop waiting for a silent service when they are cancelled', async () => {
    const { heartbeats } = start((_, signal) => never(signal));
    heartbeats.begin();
    await setImmediate();
    const ended = heartbeats.end(end, 60_000);
    heartbeats.giveUp();
    await ended;
  });
});
