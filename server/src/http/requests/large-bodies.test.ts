import { bodyLimitBytes } from '@muster/contract';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LargeBodies } from './large-bodies.ts';

const large = (name: string) => Buffer.alloc(bodyLimitBytes + 1, name);
const small = Buffer.alloc(bodyLimitBytes);

/** Keeps the processor for so long. */
function work(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe('LargeBodies', () => {
  let bodies: LargeBodies;
  let done: string[];
  beforeEach(() => {
    bodies = new LargeBodies();
    done = [];
  });

  const take = (name: string, milliseconds = 0) =>
    bodies.takeTurn(large(name), (body) => {
      done.push(body.toString('latin1', 0, 1));
      work(milliseconds);
    });

  it('has the first worked on at once, and the others later in their order', async () => {
    for (const name of ['a', 'b', 'c', 'd']) take(name);
    expect(done).toEqual(['a']);
    await vi.waitFor(() => expect(done).toEqual(['a', 'b', 'c', 'd']));
  });

  it('never has an ordinary one wait', async () => {
    take('a');
    take('b');
    bodies.takeTurn(small, () => done.push('small'));
    expect(done).toEqual(['a', 'small']);
    await vi.waitFor(() => expect(done).toEqual(['a', 'small', 'b']));
  });

  it('leaves others many turns of the event loop between two', async () => {
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      if (done.length < 2) setImmediate(turn);
    };
    take('a', 30);
    take('b');
    turn();
    await vi.waitFor(() => expect(done).toEqual(['a', 'b']));
    expect(turns).toBeGreaterThan(10);
  });

  it('has one worked on at once again when none waits any more', async () => {
    take('a');
    await vi.waitFor(() => {
      const before = done.length;
      take('b');
      expect(done).toHaveLength(before + 1);
      expect(done.length).toBeGreaterThan(1);
    });
  });
});
