import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTestClock, type TestClock, testStart } from '../../testing/test-clock.ts';
import type { LimitState } from './reached-limit-store.ts';
import { type LimitedAgent, ReachedLimits } from './reached-limits.ts';

const agent: LimitedAgent = { agentID: 'agent', projectID: 'project' };

const free: LimitState = {
  hasMaxOpen: false,
  agentFullUntil: undefined,
  projectFullUntil: undefined,
  newestAt: testStart - 10_000,
  repeatableDigests: '',
};
const maxOpen: LimitState = { ...free, hasMaxOpen: true };

function repeatableDigests(...texts: string[]): string {
  return texts.map((text) => hash('sha256', text).slice(0, 8)).join('');
}

interface Looked {
  readonly limits: ReachedLimits;
  readonly clock: TestClock;
  /** The queried agents, in order. */
  readonly looks: string[];
}

/** Answers each query with the same state, at once. */
function start(
  state: LimitState,
  { ttlMilliseconds = Number.POSITIVE_INFINITY, maxBytes = 1_000_000 } = {},
): Looked {
  const clock = createTestClock();
  const looks: string[] = [];
  const look = async ({ agentID }: LimitedAgent) => {
    looks.push(agentID);
    return state;
  };
  return { limits: new ReachedLimits({ clock: clock.now, look, ttlMilliseconds, maxBytes }), clock, looks };
}

/** Refuses often enough for the limit to be remembered. */
async function refuse(limits: ReachedLimits, of = agent): Promise<void> {
  limits.noteRefusal(of);
  limits.noteRefusal(of);
  await settle();
}

/** A query that the test answers. */
function heldLook() {
  let answer: (state: LimitState) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const look = () =>
    new Promise<LimitState>((resolve, reject) => {
      answer = resolve;
      fail = reject;
    });
  const limits = new ReachedLimits({
    clock: createTestClock().now,
    look,
    ttlMilliseconds: Number.POSITIVE_INFINITY,
  });
  return {
    limits,
    answer: (state: LimitState) => {
      answer(state);
      return settle();
    },
    fail: () => {
      fail(new Error('no database'));
      return settle();
    },
  };
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('ReachedLimits', () => {
  it('queries an agent that is refused twice, and from then on refuses texts that are not open', async () => {
    const { limits, looks } = start({ ...maxOpen, repeatableDigests: repeatableDigests('a', 'b') });
    limits.noteRefusal(agent);
    await settle();
    expect(looks).toEqual([]);
    expect(limits.find(agent, ['c'])).toBeUndefined();
    limits.noteRefusal(agent);
    await settle();
    expect(looks).toEqual(['agent']);
    expect(limits.find(agent, ['c'])).toBe('openPerAgent');
    expect(limits.find(agent, ['a'])).toBeUndefined();
    expect(limits.find(agent, ['a', 'b', 'a'])).toBeUndefined();
    expect(limits.find(agent, ['a', 'c'])).toBe('openPerAgent');
    for (let count = 0; count < 100; count += 1) limits.noteRefusal(agent);
    expect(looks).toEqual(['agent']);
  });

  it('knows nothing of another agent, or of the agent under another project', async () => {
    const { limits } = start(maxOpen);
    await refuse(limits);
    expect(limits.find({ ...agent, agentID: 'other' }, ['a'])).toBeUndefined();
    expect(limits.find({ ...agent, projectID: 'other' }, ['a'])).toBeUndefined();
    expect(limits.find(agent, ['a'])).toBe('openPerAgent');
  });

  it('names the same limit as the database', async () => {
    const later = testStart + 500;
    const all = { ...maxOpen, agentFullUntil: later, projectFullUntil: later };
    const named = async (state: LimitState) => {
      const { limits } = start(state);
      await refuse(limits);
      return limits.find(agent, ['a']);
    };
    expect(await named(all)).toBe('openPerAgent');
    expect(await named({ ...all, hasMaxOpen: false })).toBe('newPerAgentPerMinute');
    expect(await named({ ...free, projectFullUntil: later })).toBe('newPerProjectPerSecond');
    expect(await named(free)).toBeUndefined();
  });

  it.each([
    ['agentFullUntil', 'newPerAgentPerMinute', 42_000],
    ['projectFullUntil', 'newPerProjectPerSecond', 700],
  ] as const)('ends at %s, and not a millisecond later', async (field, name, milliseconds) => {
    const { limits, clock } = start({ ...free, [field]: testStart + milliseconds });
    await refuse(limits);
    clock.advance(milliseconds - 1);
    expect(limits.find(agent, ['a'])).toBe(name);
    clock.advance(1);
    expect(limits.find(agent, ['a'])).toBeUndefined();
  });

  it('is not used after the clock was set back', async () => {
    const { limits, clock } = start(maxOpen);
    await refuse(limits);
    clock.advance(-1);
    expect(limits.find(agent, ['a'])).toBeUndefined();
  });

  it('forgets, and queries again after another refusal', async () => {
    const { limits, looks } = start(maxOpen);
    await refuse(limits);
    limits.forget(agent.agentID);
    expect(limits.find(agent, ['a'])).toBeUndefined();
    await refuse(limits);
    expect(looks).toEqual(['agent', 'agent']);
    expect(limits.find(agent, ['a'])).toBe('openPerAgent');
  });

  it('does not use a query during which the agent is forgotten', async () => {
    const { limits, answer } = heldLook();
    await refuse(limits);
    limits.forget(agent.agentID);
    await answer(maxOpen);
    expect(limits.find(agent, ['a'])).toBeUndefined();
    await refuse(limits);
    await answer(maxOpen);
    expect(limits.find(agent, ['a'])).toBe('openPerAgent');
  });

  it('ignores a failed query, and queries again', async () => {
    const { limits, answer, fail } = heldLook();
    await refuse(limits);
    await fail();
    expect(limits.find(agent, ['a'])).toBeUndefined();
    await refuse(limits);
    await answer(maxOpen);
    expect(limits.find(agent, ['a'])).toBe('openPerAgent');
  });

  it('queries at most two agents at a time', async () => {
    const looks: string[] = [];
    const limits = new ReachedLimits({
      clock: createTestClock().now,
      look: ({ agentID }) => {
        looks.push(agentID);
        return new Promise(() => undefined);
      },
      ttlMilliseconds: Number.POSITIVE_INFINITY,
    });
    for (const agentID of ['one', 'two', 'three']) await refuse(limits, { ...agent, agentID });
    expect(looks).toEqual(['one', 'two']);
  });

  it('leaves an agent with too many open errors to the database, without repeated queries', async () => {
    const { limits, looks } = start({ ...maxOpen, repeatableDigests: undefined });
    await refuse(limits);
    expect(limits.find(agent, ['a'])).toBeUndefined();
    await refuse(limits);
    expect(looks).toEqual(['agent']);
  });

  it('does not query for an agent that is refused only occasionally', async () => {
    const { limits, clock, looks } = start(maxOpen);
    for (let time = 0; time < 5; time += 1) {
      limits.noteRefusal(agent);
      clock.advance(60_000);
    }
    await settle();
    expect(looks).toEqual([]);
  });

  it('keeps active entries in bounded memory, and evicts idle or ended ones', async () => {
    const { limits, clock } = start(maxOpen, { maxBytes: 1_000 });
    const named = (agentID: string) => ({ ...agent, agentID });
    for (const agentID of ['one', 'two', 'three', 'four']) await refuse(limits, named(agentID));
    const known = () =>
      ['one', 'two', 'three', 'four'].filter((agentID) => limits.find(named(agentID), ['a']) !== undefined);
    expect(known()).toEqual(['one', 'two', 'three']);
    clock.advance(59_999);
    limits.find(named('two'), ['a']);
    limits.find(named('three'), ['a']);
    clock.advance(1);
    await refuse(limits, named('four'));
    expect(known()).toEqual(['two', 'three', 'four']);
  });

  describe('if other replicas store and dismiss too', () => {
    const shared = { ttlMilliseconds: 1_000 };

    it('uses a result for a second, and then queries again', async () => {
      const { limits, clock, looks } = start(maxOpen, shared);
      await refuse(limits);
      clock.advance(999);
      expect(limits.find(agent, ['a'])).toBe('openPerAgent');
      clock.advance(1);
      expect(limits.find(agent, ['a'])).toBeUndefined();
      await refuse(limits);
      expect(limits.find(agent, ['a'])).toBe('openPerAgent');
      expect(looks).toEqual(['agent', 'agent']);
    });

    it('refuses nothing while transactions of others may still be committed', async () => {
      const { limits, clock, looks } = start({ ...maxOpen, newestAt: testStart - 249 }, shared);
      await refuse(limits);
      expect(limits.find(agent, ['a'])).toBeUndefined();
      await refuse(limits);
      expect(looks).toEqual(['agent']);
      clock.advance(1);
      expect(limits.find(agent, ['a'])).toBeUndefined();
      await refuse(limits);
      expect(limits.find(agent, ['a'])).toBe('openPerAgent');
    });

    it('does not query for an agent that is refused once a second', async () => {
      const { limits, clock, looks } = start(maxOpen, shared);
      for (let time = 0; time < 5; time += 1) {
        limits.noteRefusal(agent);
        clock.advance(1_000);
      }
      await settle();
      expect(looks).toEqual([]);
    });
  });
});
