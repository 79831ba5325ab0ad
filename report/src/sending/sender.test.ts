import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Outbox } from './outbox.ts';
import type { Registrar } from './registrar.ts';
import { ServiceFailure } from './report-service.ts';
import { Sender } from './sender.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The owned clock. */
const now = () => vi.getMockedSystemTime()?.getTime() ?? Number.NaN;

const aSecond = 1_000;
const anHour = 3_600_000;

/** A sender whose reports end as scripted. */
function start(report: () => Promise<void>, random = 0, leftovers: readonly string[] = []) {
  const registration = { agentID: 'agent', agentToken: 'token' };
  const registerCurrent = vi.fn(async () => registration);
  const registrar: Pick<Registrar, 'registerCurrent' | 'registerAny' | 'forget'> = {
    registerCurrent,
    registerAny: async () => registration,
    forget: async () => undefined,
  };
  const outbox = new Outbox();
  outbox.addLeftovers(leftovers.map((text) => ({ text, configDigest: 'earlier' })));
  const sender = new Sender({
    outbox,
    service: { report, register: vi.fn(), update: vi.fn(), heartbeat: vi.fn() },
    registrar: registrar as Registrar, // the rest is not used
    configDigest: () => 'digest',
    random: () => random,
    onFailure: () => undefined,
    onSent: () => undefined,
  });
  const add = (text: string): void => {
    outbox.add({ text, configDigest: 'digest' });
    sender.notify();
  };
  return { outbox, sender, add, registerCurrent };
}

/** The seconds between the attempts of a sender whose reports fail as scripted. */
async function pausesOf(attempts: number, failures: (attempt: number) => ServiceFailure, random = 0) {
  const times: number[] = [];
  const { sender, add } = start(async () => {
    times.push(now());
    if (times.length <= attempts) throw failures(times.length);
  }, random);
  add('first');
  while (times.length <= attempts) await vi.advanceTimersToNextTimerAsync();
  await sender.drain(aSecond);
  // Each attempt begins after errors had time to gather.
  return times.slice(1).map((time, index) => (time - (times[index] ?? 0) - 200) / aSecond);
}

it('waits longer after each failure, up to a minute, and between half of it and all of it', async () => {
  const away = () => new ServiceFailure('unreachable', 'nobody answers');
  expect(await pausesOf(8, away, 0)).toEqual([0.5, 1, 2, 4, 8, 16, 30, 30]);
  const atTheEnd = 1 - Number.EPSILON;
  expect((await pausesOf(8, away, atTheEnd)).map(Math.round)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
});

it('waits five minutes after a refusal, however often the service refuses', async () => {
  const refused = () => new ServiceFailure('refused', 'not permitted', { status: 403 });
  expect(await pausesOf(3, refused)).toEqual([300, 300, 300]);
});

it('waits at least as long as the service asks, and no longer than an hour more than its own pause', async () => {
  const busy = (attempt: number) =>
    new ServiceFailure('busy', 'too many', { status: 429, retryAfterSeconds: attempt === 1 ? 17 : 100_000 });
  expect(await pausesOf(2, busy)).toEqual([17.5, 3_601]);
});

it('starts again with the shortest pause after a success', async () => {
  const times: number[] = [];
  const { sender, add } = start(async () => {
    times.push(now());
    if (times.length !== 4) throw new ServiceFailure('unreachable', 'nobody answers');
  });
  add('first');
  while (times.length < 4) await vi.advanceTimersToNextTimerAsync();
  add('second');
  while (times.length < 6) await vi.advanceTimersToNextTimerAsync();
  expect((times[5] ?? 0) - (times[4] ?? 0)).toBe(700);
  sender.giveUp();
});

it('registers the agent once although there is nothing to report, and not at its end', async () => {
  const { sender, registerCurrent } = start(async () => undefined);
  sender.register();
  await vi.advanceTimersByTimeAsync(anHour);
  expect(registerCurrent).toHaveBeenCalledTimes(1);
  sender.register();
  await sender.drain(aSecond);
  expect(registerCurrent).toHaveBeenCalledTimes(1);
});

it('sends nothing more in a run after the service says that the agent was deleted', async () => {
  const report = vi.fn().mockRejectedValue(new ServiceFailure('refused', 'deleted', { status: 410 }));
  const { outbox, sender, add } = start(report);
  add('first');
  await vi.advanceTimersByTimeAsync(anHour);
  expect(report).toHaveBeenCalledTimes(1);
  for (const text of ['second', 'third']) {
    add(text);
    await vi.advanceTimersByTimeAsync(anHour);
  }
  expect(report).toHaveBeenCalledTimes(1);
  expect(outbox.pending.map(({ text }) => text)).toEqual(['first', 'second', 'third']);
  await sender.drain(1_000);
  expect(report).toHaveBeenCalledTimes(1);
});

describe('errors of an earlier configuration', () => {
  /** Whether the current configuration was registered at each attempt to report, of which the first one fails. */
  async function registeredAtAttempts(failure: ServiceFailure): Promise<boolean[]> {
    const attempts: boolean[] = [];
    const { outbox, sender, registerCurrent } = start(
      async () => {
        attempts.push(registerCurrent.mock.calls.length > 0);
        if (attempts.length === 1) throw failure;
      },
      0,
      ['of the earlier'],
    );
    while (outbox.pending.length > 0) await vi.advanceTimersToNextTimerAsync();
    await sender.drain(aSecond);
    return attempts;
  }

  it.each([
    new ServiceFailure('unreachable', 'nobody answers'),
    new ServiceFailure('busy', 'too many', { status: 429, retryAfterSeconds: 17 }),
    new ServiceFailure('busy', 'not now', { status: 503 }),
  ])('are sent before the current one is registered, also after: $message', async (failure) => {
    expect(await registeredAtAttempts(failure)).toEqual([false, false]);
  });

  it('are sent with the others if the service refuses them', async () => {
    const refused = new ServiceFailure('refused', 'not permitted', { status: 403 });
    expect(await registeredAtAttempts(refused)).toEqual([false, true]);
  });
});
