import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WriteBehind } from './write-behind.ts';

const intervalMilliseconds = 5_000;

const isOutage = (error: unknown): boolean =>
  error instanceof Error && error.message === 'the database is away';

/** Writes portions like a database: asynchronously, and sometimes with a failure. */
class Sink {
  readonly portions: Record<string, number>[] = [];
  isDown = false;
  #gate: Promise<void> = Promise.resolve();

  hold(): () => void {
    let release: () => void = () => undefined;
    this.#gate = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  readonly write = async (portion: ReadonlyMap<string, number>): Promise<void> => {
    await this.#gate;
    if (this.isDown) throw new Error('the database is away');
    this.portions.push(Object.fromEntries(portion));
  };
}

let sink: Sink;
let failures: unknown[];
let facts: WriteBehind<number>;

beforeEach(() => {
  vi.useFakeTimers();
  sink = new Sink();
  failures = [];
  facts = new WriteBehind({
    merge: (earlier, later) => earlier + later,
    write: sink.write,
    onFailure: (error) => failures.push(error),
    isOutage,
    intervalMilliseconds,
    portionSize: 2,
  });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('WriteBehind', () => {
  it('writes added values one interval after the first one, merged by key', async () => {
    facts.add('a', 1);
    await vi.advanceTimersByTimeAsync(intervalMilliseconds - 1);
    facts.add('a', 2);
    facts.add('b', 3);
    expect(sink.portions).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sink.portions).toEqual([{ a: 3, b: 3 }]);
    await vi.advanceTimersByTimeAsync(10 * intervalMilliseconds);
    expect(sink.portions).toHaveLength(1);
  });

  it('starts a new interval with the next value', async () => {
    facts.add('a', 1);
    await vi.advanceTimersByTimeAsync(intervalMilliseconds);
    facts.add('a', 5);
    await vi.advanceTimersByTimeAsync(intervalMilliseconds);
    expect(sink.portions).toEqual([{ a: 1 }, { a: 5 }]);
  });

  it('derives a value from the waiting one, and writes it', async () => {
    facts.add('a', 1);
    facts.change('a', (earlier) => (earlier ?? 0) * 10);
    facts.change('b', (earlier) => (earlier ?? 7) * 10);
    await vi.advanceTimersByTimeAsync(intervalMilliseconds);
    facts.change('c', () => 1);
    await vi.advanceTimersByTimeAsync(intervalMilliseconds);
    expect(sink.portions).toEqual([{ a: 10, b: 70 }, { c: 1 }]);
  });

  it('writes in portions of bounded size, in the order of the keys', async () => {
    for (const key of ['c', 'a', 'e', 'b', 'd']) facts.add(key, 1);
    await facts.flush();
    expect(sink.portions).toEqual([{ a: 1, b: 1 }, { c: 1, d: 1 }, { e: 1 }]);
  });

  it('writes nothing if nothing was added', async () => {
    await facts.flush();
    await facts.flushKeys(['a']);
    await facts.close();
    expect(sink.portions).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps values that arrive during a write for the next portion', async () => {
    const release = sink.hold();
    facts.add('a', 1);
    const flushed = facts.flush();
    await vi.advanceTimersByTimeAsync(0);
    facts.add('a', 2);
    release();
    await flushed;
    expect(sink.portions).toEqual([{ a: 1 }]);
    await facts.flush();
    expect(sink.portions).toEqual([{ a: 1 }, { a: 2 }]);
  });

  describe('when a write fails', () => {
    it('reports the failure and writes the same values again after an interval, even without new ones', async () => {
      sink.isDown = true;
      facts.add('a', 1);
      await vi.advanceTimersByTimeAsync(intervalMilliseconds);
      expect(failures).toEqual([new Error('the database is away')]);
      await vi.advanceTimersByTimeAsync(intervalMilliseconds);
      expect(failures).toHaveLength(2);
      sink.isDown = false;
      await vi.advanceTimersByTimeAsync(intervalMilliseconds);
      expect(sink.portions).toEqual([{ a: 1 }]);
      await vi.advanceTimersByTimeAsync(10 * intervalMilliseconds);
      expect(sink.portions).toHaveLength(1);
    });

    it('merges newer values into the failed ones, in their order', async () => {
      const inOrder = new WriteBehind<number>({
        merge: (earlier, later) => Number(`${earlier}${later}`),
        write: sink.write,
        onFailure: (error) => failures.push(error),
        isOutage,
        intervalMilliseconds,
      });
      const release = sink.hold();
      sink.isDown = true;
      inOrder.add('a', 1);
      const flushed = inOrder.flush();
      await vi.advanceTimersByTimeAsync(0);
      inOrder.add('a', 2);
      inOrder.add('a', 3);
      release();
      await flushed;
      sink.isDown = false;
      await inOrder.flush();
      expect(sink.portions).toEqual([{ a: 123 }]);
    });

    it('continues with the other portions', async () => {
      let calls = 0;
      const shaky = new WriteBehind<number>({
        merge: Math.max,
        write: async (portion) => {
          calls += 1;
          if (calls === 1) throw new Error('the first one fails');
          await sink.write(portion);
        },
        onFailure: (error) => failures.push(error),
        isOutage,
        intervalMilliseconds,
        portionSize: 1,
      });
      shaky.add('a', 1);
      shaky.add('b', 2);
      await shaky.flush();
      expect(sink.portions).toEqual([{ b: 2 }]);
      await shaky.flush();
      expect(sink.portions).toEqual([{ b: 2 }, { a: 1 }]);
      expect(failures).toEqual([new Error('the first one fails')]);
    });

    describe('because of single values', () => {
      const written = new Set<string>();
      let writes = 0;
      const openWith = (isBad: (key: string) => boolean) => {
        written.clear();
        writes = 0;
        return new WriteBehind<number>({
          merge: Math.max,
          write: async (portion) => {
            writes += 1;
            const bad = [...portion.keys()].filter(isBad);
            if (bad.length > 0) throw new Error(`cannot store ${bad.join(', ')}`);
            for (const key of portion.keys()) written.add(key);
          },
          onFailure: (error) => failures.push(error),
          isOutage,
          intervalMilliseconds,
        });
      };
      const keys = Array.from({ length: 500 }, (_, index) => `key ${index}`);

      it('writes all the others at once, reports it once, and tries the bad ones again', async () => {
        const bad = new Set(['key 3', 'key 250', 'key 499']);
        const shaky = openWith((key) => bad.has(key));
        for (const key of keys) shaky.add(key, 1);
        await shaky.flush();
        expect(written.size).toBe(497);
        expect(failures).toEqual([new Error('cannot store key 499')]);
        expect(shaky.size).toBe(3);
        bad.clear();
        await vi.advanceTimersByTimeAsync(intervalMilliseconds);
        expect(written.size).toBe(500);
        expect(shaky.size).toBe(0);
      });

      it('stops looking for them when every write fails', async () => {
        const broken = openWith(() => true);
        for (const key of keys) broken.add(key, 1);
        await broken.flush();
        expect(writes).toBeLessThan(60);
        expect(failures).toHaveLength(1);
        expect(broken.size).toBe(500);
        await broken.close();
      });

      it('does not look for them while the database is away', async () => {
        sink.isDown = true;
        facts.add('a', 1);
        facts.add('b', 1);
        await facts.flush();
        expect(failures).toEqual([new Error('the database is away')]);
        expect(facts.size).toBe(2);
      });
    });

    it('does not reject the flush, which a request may wait for', async () => {
      sink.isDown = true;
      facts.add('a', 1);
      await expect(facts.flush()).resolves.toBeUndefined();
      await expect(facts.flushKeys(['a'])).resolves.toBeUndefined();
      expect(failures).toHaveLength(2);
    });
  });

  describe('flush', () => {
    it('resolves when everything that was added before is written, one write at a time', async () => {
      const release = sink.hold();
      facts.add('a', 1);
      const first = facts.flush();
      facts.add('b', 2);
      const second = facts.flush();
      const ended: string[] = [];
      void first.then(() => ended.push(`first after ${sink.portions.length}`));
      void second.then(() => ended.push(`second after ${sink.portions.length}`));
      await vi.advanceTimersByTimeAsync(0);
      expect(ended).toEqual([]);
      release();
      await second;
      expect(Object.assign({}, ...sink.portions)).toEqual({ a: 1, b: 2 });
      expect(ended.map((text) => text.split(' ')[0])).toEqual(['first', 'second']);
    });
  });

  describe('flushKeys', () => {
    it('writes only these keys now, and the others at their time', async () => {
      facts.add('a', 1);
      facts.add('b', 2);
      await facts.flushKeys(['a', 'absent']);
      expect(sink.portions).toEqual([{ a: 1 }]);
      await vi.advanceTimersByTimeAsync(intervalMilliseconds);
      expect(sink.portions).toEqual([{ a: 1 }, { b: 2 }]);
    });

    it('waits for a write under way, which may contain earlier values of the same keys', async () => {
      const release = sink.hold();
      facts.add('a', 1);
      const flushed = facts.flush();
      await vi.advanceTimersByTimeAsync(0);
      facts.add('a', 2);
      const keys = facts.flushKeys(['a']);
      release();
      await keys;
      expect(sink.portions).toEqual([{ a: 1 }, { a: 2 }]);
      await flushed;
    });

    it('waits for a write under way even if it has nothing to write', async () => {
      const release = sink.hold();
      facts.add('a', 1);
      const flushed = facts.flush();
      await vi.advanceTimersByTimeAsync(0);
      let hasEnded = false;
      const keys = facts.flushKeys(['a']).then(() => {
        hasEnded = true;
      });
      await vi.advanceTimersByTimeAsync(0);
      expect(hasEnded).toBe(false);
      release();
      await Promise.all([keys, flushed]);
      expect(sink.portions).toEqual([{ a: 1 }]);
    });
  });

  describe('close', () => {
    it('writes the remaining values and leaves no timer', async () => {
      facts.add('a', 1);
      await facts.close();
      expect(sink.portions).toEqual([{ a: 1 }]);
      expect(vi.getTimerCount()).toBe(0);
    });

    it('leaves no timer if the last write fails, and reports the failure', async () => {
      sink.isDown = true;
      facts.add('a', 1);
      await facts.close();
      expect(failures).toHaveLength(1);
      expect(vi.getTimerCount()).toBe(0);
    });

    it('waits for a write under way', async () => {
      const release = sink.hold();
      facts.add('a', 1);
      await vi.advanceTimersByTimeAsync(intervalMilliseconds);
      facts.add('b', 2);
      const closed = facts.close();
      release();
      await closed;
      expect(sink.portions).toEqual([{ a: 1 }, { b: 2 }]);
      expect(vi.getTimerCount()).toBe(0);
    });
  });
});
