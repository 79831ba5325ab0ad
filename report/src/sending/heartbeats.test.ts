import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Goodbye, Heartbeats } from './heartbeats.ts';
import { ServiceFailure } from './report-service.ts';

const registration = { agentID: 'agent', agentToken: 'token', digest: '', version: undefined };

/** Heartbeats to a service that answers as the test says, with a timer that the test moves. */
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
    /** Half a minute passes. */
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

describe('Heartbeats', () => {
  it('begin when the agent is registered, once, and end with a goodbye', async () => {
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

  it('say goodbye of an agent that ended before its first one', async () => {
    const { heartbeats, sent } = start();
    await heartbeats.end({ signal: 'SIGKILL' }, 5_000);
    expect(sent).toEqual([{ status: 'stopped', signal: 'SIGKILL' }]);
  });

  it('say nothing of an agent that is not registered, or when there is no time left', async () => {
    const first = start();
    first.loseRegistration();
    await first.heartbeats.end(end, 5_000);
    const second = start();
    await second.heartbeats.end(end, 0);
    expect([first.sent, second.sent]).toEqual([[], []]);
  });

  it('go on after failures, and never reject', async () => {
    const { heartbeats, sent, asked, tick } = start(() => refusal(503));
    heartbeats.begin();
    await tick();
    await tick();
    await heartbeats.end(end, 5_000);
    expect(sent).toEqual([beat, beat, beat, { status: 'stopped', exitCode: 3 }]);
    expect(asked).toEqual([]);
  });

  it.each([401, 404, 410])(
    'have an agent registered again that the service does not know: %d',
    async (status) => {
      const { heartbeats, asked, timers } = start(() => refusal(status));
      heartbeats.begin();
      await setImmediate();
      expect(asked).toEqual(['forget', 'register']);
      expect(timers.size).toBe(0);
    },
  );

  it('leave an agent deleted that was deleted while it runs', async () => {
    let isDeleted = false;
    const { heartbeats, asked, tick } = start(() => (isDeleted ? refusal(410) : Promise.resolve()));
    heartbeats.begin();
    await setImmediate();
    isDeleted = true;
    await tick();
    expect(asked).toEqual([]);
  });

  it('send the goodbye after a heartbeat that is under way', async () => {
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

  it('wait no longer for a service that does not answer, when they are given up', async () => {
    const { heartbeats } = start((_, signal) => never(signal));
    heartbeats.begin();
    await setImmediate();
    const ended = heartbeats.end(end, 60_000);
    heartbeats.giveUp();
    await ended;
  });
});
