import { afterEach, beforeEach, expect, it, vi } from 'vitest';
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

it('sends nothing more in a run after the service says that the agent was deleted', async () => {
  const registration = { agentID: 'agent', agentToken: 'token' };
  const report = vi.fn().mockRejectedValue(new ServiceFailure('refused', 'deleted', { status: 410 }));
  const registrar: Pick<Registrar, 'registerCurrent' | 'registerAny' | 'forget'> = {
    registerCurrent: async () => registration,
    registerAny: async () => registration,
    forget: async () => undefined,
  };
  const outbox = new Outbox();
  const sender = new Sender({
    outbox,
    service: { report, register: vi.fn(), update: vi.fn(), heartbeat: vi.fn() },
    registrar: registrar as Registrar, // the rest is not used
    configDigest: () => 'digest',
    random: () => 0,
    onFailure: () => undefined,
    onSent: () => undefined,
  });
  const add = (text: string): void => {
    outbox.add({ text, configDigest: 'digest' });
    sender.notify();
  };
  const anHour = 3_600_000;
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
