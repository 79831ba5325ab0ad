import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import type { LimitState } from '../limits/reached-limit-store.ts';
import { ReachedLimits } from '../limits/reached-limits.ts';
import type { Report } from '../report.ts';
import { KnownOpenErrors } from './known-open-errors.ts';

const agent = {
  agentID: '00000000-0001-7000-8000-000000000001',
  projectID: '00000000-0001-7000-8000-000000000002',
};
const id = '00000000-0001-7000-8000-000000000003';
const stands = { kind: 'ignored', id, createdAt: 1 } as const;
const randomBytes = (size: number) => new Uint8Array(size);
const report: Report = { ...agent, id: 'report', error: 'text', createdAt: 1, generation: 0 };

/** A promise that the test resolves. */
function later<Answer>() {
  let answer: (value: Answer) => void = () => undefined;
  const promise = new Promise<Answer>((resolve) => {
    answer = resolve;
  });
  return { promise, answer };
}

describe('KnownOpenErrors.forgetAll', () => {
  it('forgets every agent, and learns again', async () => {
    const knownOpen = new KnownOpenErrors({ randomBytes, maxErrors: 1 });
    const store = knownOpen.learnFrom(async (reports) => reports.map(() => stands));
    await store([report]);
    expect(knownOpen.find(agent.agentID, agent.projectID, 'text')).toEqual({ id, createdAt: 1 });
    knownOpen.forgetAll();
    expect(knownOpen.find(agent.agentID, agent.projectID, 'text')).toBeUndefined();
    // As if it had never held any.
    await store([report]);
    expect(knownOpen.find(agent.agentID, agent.projectID, 'text')).toEqual({ id, createdAt: 1 });
  });

  it('ignores the result of a batch that began earlier', async () => {
    const knownOpen = new KnownOpenErrors({ randomBytes });
    const { promise, answer } = later<readonly (typeof stands)[]>();
    const storing = knownOpen.learnFrom(() => promise)([report]);
    knownOpen.forgetAll();
    answer([stands]);
    expect(await storing).toEqual([stands]);
    expect(knownOpen.find(agent.agentID, agent.projectID, 'text')).toBeUndefined();
  });
});

describe('ReachedLimits.forgetAll', () => {
  const full: LimitState = {
    hasMaxOpen: true,
    agentFullUntil: undefined,
    projectFullUntil: undefined,
    newestAt: undefined,
    repeatableDigests: '',
  };

  /** Refuses twice, so that a query is under way. */
  function startLook() {
    const { promise, answer } = later<LimitState>();
    const reached = new ReachedLimits({
      clock: createTestClock().now,
      look: () => promise,
      ttlMilliseconds: Number.POSITIVE_INFINITY,
    });
    reached.noteRefusal(agent);
    reached.noteRefusal(agent);
    return {
      reached,
      async answerLook() {
        answer(full);
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
  }

  it('forgets every agent', async () => {
    const { reached, answerLook } = startLook();
    await answerLook();
    expect(reached.find(agent, ['new'])).toBe('openPerAgent');
    reached.forgetAll();
    expect(reached.find(agent, ['new'])).toBeUndefined();
  });

  it('ignores the result of a query that began earlier', async () => {
    const { reached, answerLook } = startLook();
    reached.forgetAll();
    await answerLook();
    expect(reached.find(agent, ['new'])).toBeUndefined();
  });
});
