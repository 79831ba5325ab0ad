import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../foundation/refusal.ts';
import type { Report } from '../report.ts';
import { Backlog, defaultBacklogLimits } from './backlog.ts';

const limits = { reports: 10_000, characters: 100_000, milliseconds: 1_000 };

function reports(count: number, error = 'x'): Report[] {
  const id = randomUUID();
  const one = {
    id,
    agentID: id,
    projectID: id,
    error,
    digest: new Uint8Array(32),
    createdAt: 0,
    generation: 0,
  };
  return Array.from({ length: count }, () => one);
}

/** The number of single reports that it accepts in addition to the waiting ones. */
function roomOf(backlog: Backlog): number {
  let room = 0;
  while (backlog.refuse(room + 1) === undefined) room += 1;
  return room;
}

/** Adds one waiting report, because an empty backlog always has room. */
function withOneWaiting(backlog: Backlog): Backlog {
  backlog.add(reports(1));
  return backlog;
}

describe('Backlog', () => {
  it('accepts as many reports as are stored within a second at the measured rate', () => {
    const backlog = withOneWaiting(new Backlog(limits));
    for (let commit = 0; commit < 20; commit += 1) backlog.noteCommit(1_000, 500);
    expect(roomOf(backlog)).toBeCloseTo(2_000, -2);
    for (let commit = 0; commit < 20; commit += 1) backlog.noteCommit(1_000, 125);
    expect(roomOf(backlog)).toBeCloseTo(8_000, -2);
  });

  it('follows a database that becomes slower within a few commits', () => {
    const backlog = withOneWaiting(new Backlog(limits));
    for (let commit = 0; commit < 20; commit += 1) backlog.noteCommit(1_000, 100);
    for (let commit = 0; commit < 4; commit += 1) backlog.noteCommit(1_000, 1_000);
    expect(roomOf(backlog)).toBeLessThan(1_300);
  });

  it('does not mistake a small commit for a slow database, because its time is mostly overhead', () => {
    const backlog = withOneWaiting(new Backlog(limits));
    const before = roomOf(backlog);
    for (let commit = 0; commit < 20; commit += 1) backlog.noteCommit(3, 20);
    expect(roomOf(backlog)).toBe(before);
  });

  it('respects the maximum number of reports, even with a fast database', () => {
    const backlog = withOneWaiting(new Backlog(limits));
    for (let commit = 0; commit < 20; commit += 1) backlog.noteCommit(1_000, 1);
    expect(roomOf(backlog)).toBe(limits.reports - 1);
  });

  it('respects the maximum size of texts, and accepts more after a commit', () => {
    const backlog = new Backlog(limits);
    const long = reports(101, 'x'.repeat(1_000));
    backlog.add(long);
    expect(backlog.refuse(1)).toMatchObject({ code: 'overloaded' });
    backlog.remove(long);
    expect(backlog.refuse(1)).toBeUndefined();
    expect(backlog.reports).toBe(0);
  });

  it('accepts any array while nothing waits, even one that is too long for a slow database', () => {
    const backlog = new Backlog(limits);
    for (let commit = 0; commit < 20; commit += 1) backlog.noteCommit(1_000, 60_000);
    expect(backlog.refuse(1_000)).toBeUndefined();
    backlog.add(reports(1));
    expect(backlog.refuse(1_000)).toBeInstanceOf(Refusal);
  });

  it('gives callers different times for their next attempt', () => {
    const backlog = new Backlog(defaultBacklogLimits);
    backlog.add(reports(defaultBacklogLimits.reports));
    const seconds = Array.from({ length: 10 }, () => backlog.refuse(1)?.retryAfterSeconds);
    expect([...new Set(seconds)].sort()).toEqual([1, 2, 3, 4, 5]);
  });
});
