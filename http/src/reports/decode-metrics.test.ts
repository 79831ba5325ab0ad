import { readFileSync } from 'node:fs';
import { decodeMulti, ExtData, encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { Refusal } from '../refusal.ts';
import { countMetricSamples } from './decode-metrics.ts';

const samples = [
  { name: 'metrics-plain', file: 'metrics-nolabels.msgpack', count: 79 },
  { name: 'metrics with labels', file: 'metrics-labels.msgpack', count: 83 },
  { name: 'metrics of an agent in a fleet', file: 'metrics-fleet.msgpack', count: 95 },
].map((sample) => ({ ...sample, body: readSample(sample.file) }));

function readSample(file: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../../../samples/agent-requests/${file}`, import.meta.url)));
}

const value = { ts: 1n, value: 1.5, labels: ['vm'], hash: 2n ** 60n };
const metric = {
  meta: { ver: 2, type: 0, opts: { ns: 'fluentbit', name: 'uptime' } },
  values: [value, value],
};
const context = { meta: { cmetrics: {}, external: {} }, metrics: [metric, { ...metric, values: [] }] };

function pack(...documents: readonly unknown[]): Uint8Array {
  return concatenate(documents.map((document) => encode(document, { useBigInt64: true })));
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

describe('countMetricSamples', () => {
  it.each(samples)('counts $count in $name', ({ body, count }) => {
    expect(countMetricSamples(body)).toBe(count);
  });

  it('counts to the end of the body, with any number of contexts', () => {
    const bodies = samples.map(({ body }) => body);
    expect(countMetricSamples(concatenate([...bodies, ...bodies]))).toBe(2 * (79 + 83 + 95));
  });

  it('counts the bare array of old agents', () => {
    expect(countMetricSamples(pack([metric, metric]))).toBe(4);
    expect(countMetricSamples(pack([], [metric]))).toBe(2);
  });

  it('counts each value of a histogram or summary as one sample', () => {
    const histogram = { ts: 0, labels: [], histogram: { buckets: [1, 2, 3], sum: 1.5, count: 6 }, hash: 1 };
    expect(countMetricSamples(pack({ ...context, metrics: [{ ...metric, values: [histogram] }] }))).toBe(1);
  });

  it('skips unknown keys of every type, in any place', () => {
    const unknown = {
      a: [
        null,
        true,
        false,
        -1,
        1,
        2 ** 40,
        -(2 ** 40),
        1.5,
        2n ** 63n,
        'x'.repeat(70_000),
        new Uint8Array(300),
      ],
      b: {
        c: new ExtData(1, new Uint8Array(3)),
        d: new ExtData(2, new Uint8Array(16)),
        e: Array(70_000).fill(0),
      },
    };
    const withUnknown = {
      ...unknown,
      metrics: [{ ...unknown, values: [{ ...value, ...unknown }], ...unknown }],
      ...unknown,
    };
    expect(countMetricSamples(pack(withUnknown))).toBe(1);
  });
});

describe('countMetricSamples, with invalid metrics', () => {
  it.each([
    ['an empty body', new Uint8Array(), 'At byte 0: the body is empty.'],
    ['a number', pack(1), /^At byte 0: found a number or another simple value instead of a context/],
    ['a text', pack('x'), /^At byte 0: found a string instead of a context/],
    ['JSON', new TextEncoder().encode('{"metrics":[]}'), /^At byte 0: found a number/],
    ['a map without metrics', pack({ meta: {} }), "At byte 0: the context has no key 'metrics'."],
    [
      'metrics that are a map',
      pack({ metrics: {} }),
      /^At byte 9: found a map instead of the context's metrics/,
    ],
    ['a metric that is a text', pack(['x']), /^At byte 1: found a string instead of a metric/],
    ['a metric without values', pack([{ meta: {} }]), "At byte 1: the metric has no key 'values'."],
    [
      'values that are a number',
      pack([{ values: 1 }]),
      /^At byte 9: found a number or another simple value instead of the metric's/,
    ],
    [
      'a value that is a number',
      pack([{ values: [1] }]),
      /^At byte 10: found a number or another simple value instead of a value/,
    ],
    [
      'a key that is a number',
      new Uint8Array([0x81, 0x01, 0x01]),
      /^At byte 1: found a number or another simple value instead of a key/,
    ],
    ['a byte that is never used', new Uint8Array([0x91, 0xc1]), /^At byte 1: the byte 0xc1/],
    ['a byte too many', concatenate([pack(context), new Uint8Array([0x0a])]), /^At byte \d+: found a number/],
    [
      'an array that claims 4 GiB',
      new Uint8Array([0xdd, 0xff, 0xff, 0xff, 0xff]),
      /^At byte 0: the body ends within/,
    ],
    [
      'a map that claims 4 GiB',
      new Uint8Array([0xdf, 0xff, 0xff, 0xff, 0xff, 0xa0]),
      /^At byte 0: the body ends within/,
    ],
    [
      'a text that claims 4 GiB',
      new Uint8Array([0x81, 0xdb, 0xff, 0xff, 0xff, 0xff]),
      /^At byte 1: the body ends within/,
    ],
    ['a length that is cut off', new Uint8Array([0x81, 0xda, 0xff]), /^At byte 1: the body ends within/],
  ])('refuses %s with the position and the reason', (_name, body, detail) => {
    expect(() => countMetricSamples(body)).toThrow(
      expect.objectContaining({ code: 'undecodable_metrics', detail: expect.stringMatching(detail) }),
    );
  });

  it('refuses a sample that is cut off at any position', () => {
    for (const { body } of samples) {
      for (let length = 0; length < body.length; length += 1) {
        expect(() => countMetricSamples(body.subarray(0, length))).toThrow(Refusal);
      }
    }
  });

  it.each([
    ['arrays in arrays', 0x91],
    ['maps in maps', 0x81],
    ['lengths in lengths', 0xdd],
    ['texts', 0xd9],
  ])('takes linear time and constant stack for 4 MiB of %s', (_name, byte) => {
    const body = new Uint8Array(4 * 1024 * 1024).fill(byte);
    const metric = concatenate([new Uint8Array([0x81, 0xa1, 0x61]), body]);
    // Quadratic work would exceed the time limit of the test many times over.
    for (const hostile of [body, metric]) expect(() => countMetricSamples(hostile)).toThrow(Refusal);
  });
});

describe('countMetricSamples, beside @msgpack/msgpack', () => {
  const keys = fc.oneof(fc.constantFrom('meta', 'metrics', 'values', 'ts'), fc.string({ maxLength: 40 }));
  const anyValue = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false),
      fc.integer(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
      fc.double(),
      fc.string({ maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }),
      fc.array(tie('any'), { maxLength: 20 }),
      fc.dictionary(keys, tie('any'), { maxKeys: 20 }),
    ),
  })).any;
  const metrics = fc.array(
    fc.record({
      meta: anyValue,
      values: fc.array(fc.dictionary(keys, anyValue), { maxLength: 5 }),
      extra: anyValue,
    }),
    { maxLength: 5 },
  );
  const contexts = fc.oneof(metrics, fc.record({ meta: anyValue, metrics, extra: anyValue }), anyValue);

  it('agrees with the library for documents of any shape', () => {
    fc.assert(
      fc.property(fc.array(contexts, { minLength: 1, maxLength: 3 }), (documents) => {
        expectSame(pack(...documents));
      }),
      { numRuns: rounds(500) },
    );
  });

  it('agrees with the library when bytes of a sample are changed, removed or inserted', () => {
    const edit = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 3 }),
      insert: fc.uint8Array({ maxLength: 3 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        ({ body }, edits) => {
          expectSame(edits.reduce(applyEdit, body));
        },
      ),
      { numRuns: rounds(3000) },
    );
  });

  it('throws only a Refusal for any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), expectSame), { numRuns: rounds(5000) });
  });
});

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: Uint8Array;
}

function applyEdit(body: Uint8Array, { at, remove, insert }: Edit): Uint8Array {
  const start = at % (body.length + 1);
  return concatenate([body.subarray(0, start), insert, body.subarray(start + remove)]);
}

function expectSame(body: Uint8Array): void {
  const expected = countWithLibrary(body);
  const counted = countOrRefuse(body);
  if (expected !== 'no opinion') expect(counted).toBe(expected);
}

function countOrRefuse(body: Uint8Array): number | 'refused' {
  try {
    return countMetricSamples(body);
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return 'refused';
  }
}

/**
 * The library also refuses keys and extensions without an equivalent in JavaScript. It accepts numbers as keys everywhere; the counter only within
 * values that it skips.
 */
function countWithLibrary(body: Uint8Array): number | 'refused' | 'no opinion' {
  try {
    const documents = [...decodeMulti(body, { useBigInt64: true, mapKeyConverter: onlyText })];
    return documents.length === 0
      ? 'refused'
      : documents.map(countInDocument).reduce((sum, count) => sum + count, 0);
  } catch (error) {
    const isItsOwn = /type of key|__proto__|timestamp/i.test(String(error));
    return isItsOwn ? 'no opinion' : 'refused';
  }
}

function onlyText(key: unknown): string {
  if (typeof key !== 'string') throw new Error(`The type of key is ${typeof key}`);
  return key;
}

function countInDocument(document: unknown): number {
  const metrics = Array.isArray(document) ? document : ownArray(document, 'metrics');
  return metrics.map(countInMetric).reduce((sum, count) => sum + count, 0);
}

function countInMetric(metric: unknown): number {
  const values = ownArray(metric, 'values');
  if (!values.every(isMap)) throw new Error('not a map');
  return values.length;
}

function ownArray(map: unknown, key: string): readonly unknown[] {
  const value = isMap(map) ? Object.entries(map).find(([name]) => name === key)?.[1] : undefined;
  if (!Array.isArray(value)) throw new Error('not an array');
  return value;
}

function isMap(value: unknown): value is object {
  return Object.prototype.toString.call(value) === '[object Object]' && !(value instanceof ExtData);
}
