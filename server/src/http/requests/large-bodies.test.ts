import { bodyLimitBytes } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LargeBodies } from './large-bodies.ts';

const large = (name: string) => Buffer.alloc(bodyLimitBytes + 1, name);
const small = Buffer.alloc(bodyLimitBytes);

describe('LargeBodies', () => {
  let bodies: LargeBodies;
  let done: string[];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    bodies = new LargeBodies();
    done = [];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** @param milliseconds that the work takes. */
  const take = (name: string, milliseconds = 0) =>
    bodies.takeTurn(large(name), (body) => {
      done.push(body.toString('latin1', 0, 1));
      vi.advanceTimersByTime(milliseconds);
    });

  it('has the first worked on at once, and the others later in their order', () => {
    for (const name of ['a', 'b', 'c', 'd']) take(name);
    expect(done).toEqual(['a']);
    vi.runAllTimers();
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });

  it('never has an ordinary one wait', () => {
    take('a');
    take('b');
    bodies.takeTurn(small, () => done.push('small'));
    expect(done).toEqual(['a', 'small']);
    vi.runAllTimers();
    expect(done).toEqual(['a', 'small', 'b']);
  });

  it('leaves others as much time between two as the first of them took', () => {
    take('a', 30);
    take('b');
    vi.advanceTimersByTime(29);
    expect(done).toEqual(['a']);
    vi.advanceTimersByTime(1);
    expect(done).toEqual(['a', 'b']);
  });

  it('has one worked on at once again when none waits any more', () => {
    take('a');
    vi.runAllTimers();
    take('b');
    expect(done).toEqual(['a', 'b']);
  });
});
