import { describe, expect, it } from 'vitest';
import type { SpooledError } from '../state/spooled-error.ts';
import { Outbox } from './outbox.ts';
import { takeBatch } from './take-batch.ts';

function errorOf(text: string): SpooledError {
  return { text, configDigest: 'c' };
}

function textsOf(errors: readonly SpooledError[]): string[] {
  return errors.map(({ text }) => text);
}

/** A store that records its calls. */
function recordingStore() {
  const calls: unknown[] = [];
  return {
    calls,
    append: (errors: readonly SpooledError[]) => void calls.push(textsOf(errors)),
    clear: () => void calls.push('clear'),
  };
}

describe('Outbox', () => {
  it('keeps pending errors in its store, and clears the store when none are left', () => {
    const outbox = new Outbox();
    const store = recordingStore();
    const [a, b] = [errorOf('a'), errorOf('b')];
    outbox.add(a);
    outbox.keepIn(store);
    outbox.add(b);
    outbox.addLeftovers([errorOf('old')]);
    expect(textsOf(outbox.pending)).toEqual(['old', 'a', 'b']);
    outbox.remove(outbox.pending.slice(0, 2));
    outbox.remove([b]);
    expect(store.calls).toEqual([['a'], ['b'], ['old'], 'clear']);
    expect(outbox.pending).toEqual([]);
  });

  it('holds 1 MiB, then drops the oldest errors and counts them', () => {
    const outbox = new Outbox();
    for (let index = 0; index < 2_000; index += 1) outbox.add(errorOf(`${index} ${'x'.repeat(1_000)}`));
    const bytes = outbox.pending.reduce((sum, { text }) => sum + text.length * 2, 0);
    expect(bytes).toBeLessThanOrEqual(1_048_576);
    expect(outbox.pending.length + outbox.droppedCount).toBe(2_000);
    expect(outbox.pending.at(-1)?.text).toMatch(/^1999 /);
    expect(outbox.pending[0]?.text).toMatch(new RegExp(`^${outbox.droppedCount} `));
  });
});

describe('takeBatch', () => {
  it('takes at most 100 errors', () => {
    const errors = Array.from({ length: 250 }, (_, index) => errorOf(`${index}`));
    expect(takeBatch(errors)).toEqual(errors.slice(0, 100));
    expect(takeBatch([])).toEqual([]);
  });

  it('keeps the request below 64 KiB for any texts', () => {
    const errors = Array.from({ length: 100 }, () => errorOf('"\\\u2028😀'.repeat(200)));
    const batch = takeBatch(errors);
    const body = JSON.stringify(batch.map(({ text }) => ({ error: text })));
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(60_000);
    expect(batch.length).toBeGreaterThan(10);
  });
});
