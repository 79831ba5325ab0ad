import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PackedOrder } from './packed-order.ts';
import { PackedTable } from './packed-table.ts';

const keyOf = (...words: number[]) => Uint32Array.from(words);
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Mixes a word into the hash of a key as the table does. */
function mix(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x85ebca6b);
  return (product ^ (product >>> 15)) >>> 0;
}

/** A key of two words whose hash is equal for all keys with the same target. */
function collidingKey(first: number, target: number): Uint32Array {
  return keyOf(first, (mix(0, first) ^ target) >>> 0);
}

describe('PackedTable', () => {
  const operation = fc.record({
    kind: fc.constantFrom('add', 'add', 'remove', 'change', 'find'),
    key: fc.nat(40),
    value: fc.nat(0xffffffff),
  });

  it.each([
    ['keys with different hashes', (key: number) => keyOf(key, 7), 0],
    ['keys that all have the same hash', (key: number) => collidingKey(key, 5), 0],
    ['keys with three hashes', (key: number) => collidingKey(key, key % 3), 0],
    ['a seed', (key: number) => collidingKey(key, 5), 0xdeadbeef],
  ])('has the same content as a Map after any changes, with %s', (_, makeKey, seed) => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const table = new PackedTable({ keyWords: 2, valueWords: 1, seed });
        const model = new Map<number, { record: number; value: number }>();
        for (const { kind, key, value } of operations) {
          const known = model.get(key);
          expect(table.find(makeKey(key))).toBe(known?.record ?? -1);
          if (kind === 'add' && known === undefined) {
            const record = table.add(makeKey(key));
            expect(table.word(record, 2)).toBe(0);
            table.setWord(record, 2, value);
            model.set(key, { record, value });
          } else if (kind === 'change' && known !== undefined) {
            table.setWord(known.record, 2, value);
            model.set(key, { ...known, value });
          } else if (kind === 'remove' && known !== undefined) {
            table.remove(known.record);
            model.delete(key);
          }
          expect(table.size).toBe(model.size);
        }
        for (const [key, { record, value }] of model) {
          expect(table.find(makeKey(key))).toBe(record);
          expect(table.word(record, 2)).toBe(value);
        }
        const byNumber = (one: number, other: number) => one - other;
        expect(table.records().sort(byNumber)).toEqual(
          [...model.values()].map(({ record }) => record).sort(byNumber),
        );
      }),
    );
  });

  it('distinguishes keys with the same hash that differ in one word', () => {
    const table = new PackedTable({ keyWords: 2, valueWords: 0 });
    const record = table.add(collidingKey(1, 9));
    expect(table.find(collidingKey(1, 9))).toBe(record);
    expect(table.find(collidingKey(2, 9))).toBe(-1);
    expect(table.find(keyOf(1, 0))).toBe(-1);
  });

  it('grows over many arrays, and reuses removed records', () => {
    const table = new PackedTable({ keyWords: 1, valueWords: 2 });
    const count = 20_000;
    const value = (key: number) => Uint32Array.of(key * 3, 0xffffffff - key);
    const into = new Uint32Array(2);
    const add = (key: number) => {
      const record = table.add(keyOf(key));
      table.write(record, 1, value(key));
      return record;
    };
    const records = range(count).map(add);
    expect(new Set(records).size).toBe(count);
    for (const key of range(count).filter((one) => one % 3 === 0)) table.remove(records[key] ?? -1);
    const isThere = (key: number) => table.find(keyOf(key)) >= 0;
    expect(range(count).filter(isThere)).toEqual(range(count).filter((one) => one % 3 !== 0));
    for (const key of range(count).filter((one) => one % 3 === 0)) add(key);
    expect(table.size).toBe(count);
    expect(Math.max(...table.records())).toBe(count - 1);
    for (const key of range(count)) {
      table.read(table.find(keyOf(key)), 1, into);
      expect(into).toEqual(value(key));
    }
  });

  it('is empty after it was cleared, and accepts records again', () => {
    const table = new PackedTable({ keyWords: 1, valueWords: 0 });
    for (const key of range(100)) table.add(keyOf(key));
    table.clear();
    expect([table.size, table.find(keyOf(5)), table.records()]).toEqual([0, -1, []]);
    expect(table.find(keyOf(5))).toBe(-1);
    expect(table.add(keyOf(5))).toBe(0);
  });

  it('does not find a record that was never added', () => {
    const table = new PackedTable({ keyWords: 1, valueWords: 0 });
    expect(() => table.word(0, 0)).toThrow(RangeError);
  });
});

describe('PackedOrder', () => {
  it('has the same order as an array after any changes', () => {
    const change = fc.record({
      kind: fc.constantFrom('append', 'append', 'remove', 'move'),
      key: fc.nat(12),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 100 }), (changes) => {
        const table = new PackedTable({ keyWords: 1, valueWords: 2 });
        const order = new PackedOrder(table, 1);
        let model: number[] = [];
        for (const { kind, key } of changes) {
          const record = table.find(keyOf(key));
          if (kind === 'append' && record < 0) {
            order.append(table.add(keyOf(key)));
            model.push(key);
          } else if (kind === 'remove' && record >= 0) {
            order.remove(record);
            table.remove(record);
            model = model.filter((one) => one !== key);
          } else if (kind === 'move' && record >= 0) {
            order.moveToEnd(record);
            model = [...model.filter((one) => one !== key), key];
          }
          expect(order.first).toBe(table.find(keyOf(model[0] ?? 99)));
        }
        const keys = [];
        for (; order.first >= 0; ) {
          const record = order.first;
          keys.push(table.word(record, 0));
          order.remove(record);
          table.remove(record);
        }
        expect(keys).toEqual(model);
      }),
    );
  });
});
