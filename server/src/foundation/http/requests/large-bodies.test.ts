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

  /** @param milliseconds duration of the work */
  const take = (name: string, milliseconds = 0) =>
    bodies.takeTurn(large(name), (body) => {
      done.push(body.toString('latin1', 0, 1));
      vi.advanceTimersByTime(milliseconds);
    });

  it('processes the first body at once, and the others later in their order', () => {
    for (const name of ['a', 'b', 'c', 'd']) take(name);
    expect(done).toEqual(['a']);
    vi.runAllTimers();
    expect(done).toEqual(['a', 'b', 'c', 'd']);
  });

  it('never delays a small body', () => {
    take('a');
    take('b');
    bodies.takeTurn(small, () => done.push('small'));
    expect(done).toEqual(['a', 'small']);
    vi.runAllTimers();
    expect(done).toEqual(['a', 'small', 'b']);
  });

  it('pauses between two bodies for as long as the first one took', () => {
    take('a', 30);
    take('b');
    vi.advanceTimersByTime(29);
    expect(done).toEqual(['a']);
    vi.advanceTimersByTime(1);
    expect(done).toEqual(['a', 'b']);
  });

  it('processes a body at once again when none waits any more', () => {
    take('a');
    vi.runAllTimers();
    take('b');
    expect(done).toEqual(['a', 'b']);
  });
});
