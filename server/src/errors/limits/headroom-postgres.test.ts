import { beforeEach, describe, expect, it } from 'vitest';
import { Headroom } from './headroom-postgres.ts';

const none = { openPerAgent: 0, newPerAgentPerMinute: 0, newPerProjectPerSecond: 0 };
const noCause = { openOfCause: 0, newOfCause: 0 };
const limits = { ...none, openPerAgent: 100, newPerAgentPerMinute: 1_000 };

let now: number;

beforeEach(() => {
  now = 1_000;
});

function createHeadroom(given = limits): Headroom {
  return new Headroom(given, () => now);
}

/** Number of consecutive single reports that are accepted. */
function countTaken(headroom: Headroom, agentID = 'agent'): number {
  let taken = 0;
  while (taken < 10_000 && headroom.take(agentID, 1)) taken += 1;
  return taken;
}

describe('the headroom of an agent', () => {
  it('is unknown until its errors were counted', () => {
    const headroom = createHeadroom();
    expect(headroom.take('agent', 1)).toBe(false);
    headroom.learn('agent', { ...noCause, openCount: 0, newCount: 0 }, 0);
    expect(headroom.take('agent', 1)).toBe(true);
    expect(headroom.take('another', 1)).toBe(false);
  });

  it('is an eighth of the room below the nearest limit, minus what was stored meanwhile', () => {
    const headroom = createHeadroom();
    headroom.learn('agent', { ...noCause, openCount: 16, newCount: 16 }, 4);
    expect(countTaken(headroom)).toBe(10);
    headroom.learn('agent', { ...noCause, openCount: 0, newCount: 984 }, 0);
    expect(countTaken(headroom)).toBe(2);
  });

  it('is zero near a limit, and above it', () => {
    const headroom = createHeadroom();
    for (const openCount of [93, 100, 130]) {
      headroom.learn('agent', { ...noCause, openCount, newCount: 0 }, 0);
      expect(countTaken(headroom)).toBe(0);
    }
  });

  it('is half of the room of the cause with the most errors, which may have a quarter of a limit', () => {
    const headroom = createHeadroom();
    headroom.learn('agent', { openCount: 20, newCount: 20, openOfCause: 18, newOfCause: 1 }, 1);
    expect(countTaken(headroom)).toBe(3);
    headroom.learn('agent', { openCount: 25, newCount: 25, openOfCause: 25, newOfCause: 1 }, 0);
    expect(countTaken(headroom)).toBe(0);
  });

  it('is used for all reports of a batch or for none', () => {
    const headroom = createHeadroom();
    headroom.learn('agent', { ...noCause, openCount: 20, newCount: 20 }, 0);
    expect(headroom.take('agent', 11)).toBe(false);
    expect(headroom.take('agent', 10)).toBe(true);
    expect(headroom.take('agent', 1)).toBe(false);
  });

  it('expires after five seconds, because other replicas store and reopen errors too', () => {
    const headroom = createHeadroom();
    headroom.learn('agent', { ...noCause, openCount: 0, newCount: 0 }, 0);
    now = 6_000;
    expect(headroom.take('agent', 1)).toBe(true);
    now = 6_001;
    expect(headroom.take('agent', 1)).toBe(false);
  });

  it('is unlimited if there is no limit', () => {
    expect(countTaken(createHeadroom(none))).toBe(10_000);
  });

  it('is remembered for the latest 20,000 agents', () => {
    const headroom = createHeadroom();
    for (let agent = 0; agent <= 20_000; agent += 1) {
      headroom.learn(`agent ${agent}`, { ...noCause, openCount: 0, newCount: 0 }, 0);
    }
    expect(headroom.take('agent 0', 1)).toBe(false);
    expect(headroom.take('agent 1', 1)).toBe(true);
    expect(headroom.take('agent 20000', 1)).toBe(true);
  });
});
