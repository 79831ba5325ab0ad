import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HeldConnections } from './held-connections.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Tells when it is read and when not; a connection of the system would need a peer. */
function createSocket(name: string, events: string[]): Socket {
  return {
    pause: () => events.push(`${name} waits`),
    resume: () => events.push(`${name} is read`),
  } as unknown as Socket; // all that is used of one
}

describe('HeldConnections', () => {
  it('are not read for a second, each for its own', () => {
    const events: string[] = [];
    const held = new HeldConnections();
    held.hold(createSocket('one', events));
    vi.advanceTimersByTime(600);
    held.hold(createSocket('other', events));
    vi.advanceTimersByTime(300);
    expect(events).toEqual(['one waits', 'other waits']);
    vi.advanceTimersByTime(200);
    expect(events).toEqual(['one waits', 'other waits', 'one is read']);
    vi.advanceTimersByTime(600);
    expect(events).toEqual(['one waits', 'other waits', 'one is read', 'other is read']);
    expect(vi.getTimerCount()).toBe(0);
  });
});
