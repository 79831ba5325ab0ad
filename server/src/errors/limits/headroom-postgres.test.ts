import { describe, expect, it } from 'vitest';
import type { Report } from '../report.ts';
import { Headroom } from './headroom-postgres.ts';

const none = { openPerAgent: 0, newPerAgentPerMinute: 0, newPerProjectPerSecond: 0 };
const noCause = { openOfCause: 0, newOfCause: 0 };
const limits = { ...none, openPerAgent: 100, newPerAgentPerMinute: 1_000 };

const reportsAt = (createdAt: number, count = 1): Report[] =>
  Array.from({ length: count }, () => ({
    id: 'id',
    agentID: 'agent',
    projectID: 'project',
    error: 'error',
    createdAt,
    generation: 1,
  }));

/** Number of consecutive single reports that are accepted. */
function countTaken(headroom: Headroom, agentID = 'agent', now = 1_000): number {
  let taken = 0;
  while (taken < 10_000 && headroom.take(agentID, reportsAt(now))) taken += 1;
  return taken;
}

describe('the headroom of an agent', () => {
  it('is unknown until its errors were counted', () => {
    const headroom = new Headroom(limits);
    expect(headroom.take('agent', reportsAt(0))).toBe(false);
    headroom.learn('agent', reportsAt(0), { ...noCause, openCount: 0, newCount: 0 }, 0);
    expect(headroom.take('agent', reportsAt(0))).toBe(true);
    expect(headroom.take('another', reportsAt(0))).toBe(false);
  });

  it('is an eighth of the room below the nearest limit, minus what was stored meanwhile', () => {
    const headroom = new Headroom(limits);
    headroom.learn('agent', reportsAt(1_000), { ...noCause, openCount: 16, newCount: 16 }, 4);
    expect(countTaken(headroom)).toBe(10);
    headroom.learn('agent', reportsAt(1_000), { ...noCause, openCount: 0, newCount: 984 }, 0);
    expect(countTaken(headroom)).toBe(2);
  });

  it('is zero near a limit, and above it', () => {
    const headroom = new Headroom(limits);
    for (const openCount of [93, 100, 130]) {
      headroom.learn('agent', reportsAt(1_000), { ...noCause, openCount, newCount: 0 }, 0);
      expect(countTaken(headroom)).toBe(0);
    }
  });

  it('is half of the room of the cause with the most errors, which may have a quarter of a limit', () => {
    const headroom = new Headroom(limits);
    headroom.learn(
      'agent',
      reportsAt(1_000),
      { openCount: 20, newCount: 20, openOfCause: 18, newOfCause: 1 },
      1,
    );
    expect(countTaken(headroom)).toBe(3);
    headroom.learn(
      'agent',
      reportsAt(1_000),
      { openCount: 25, newCount: 25, openOfCause: 25, newOfCause: 1 },
      0,
    );
    expect(countTaken(headroom)).toBe(0);
  });

  it('is used for all reports of a batch or for none', () => {
    const headroom = new Headroom(limits);
    headroom.learn('agent', reportsAt(0), { ...noCause, openCount: 20, newCount: 20 }, 0);
    expect(headroom.take('agent', reportsAt(0, 11))).toBe(false);
    expect(headroom.take('agent', reportsAt(0, 10))).toBe(true);
    expect(headroom.take('agent', reportsAt(0))).toBe(false);
  });

  it('expires after five seconds, because other replicas store and reopen errors too', () => {
    const headroom = new Headroom(limits);
    headroom.learn('agent', reportsAt(1_000), { ...noCause, openCount: 0, newCount: 0 }, 0);
    expect(headroom.take('agent', reportsAt(6_000))).toBe(true);
    expect(headroom.take('agent', reportsAt(6_001))).toBe(false);
  });

  it('is unlimited if there is no limit', () => {
    expect(countTaken(new Headroom(none))).toBe(10_000);
  });

  it('is remembered for the latest 20,000 agents', () => {
    const headroom = new Headroom(limits);
    for (let agent = 0; agent <= 20_000; agent += 1) {
      headroom.learn(`agent ${agent}`, reportsAt(1_000), { ...noCause, openCount: 0, newCount: 0 }, 0);
    }
    expect(headroom.take('agent 0', reportsAt(1_000))).toBe(false);
    expect(headroom.take('agent 1', reportsAt(1_000))).toBe(true);
    expect(headroom.take('agent 20000', reportsAt(1_000))).toBe(true);
  });
});
