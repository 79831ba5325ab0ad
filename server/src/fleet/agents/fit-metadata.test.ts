import { describe, expect, it } from 'vitest';
import { fitMetadata } from './fit-metadata.ts';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('fitMetadata', () => {
  it('keeps metadata that fits to the byte, and everything without a limit', () => {
    const metadata = { one: 'ä', two: [1, 2] };
    const size = bytesOf(metadata);
    for (const limit of [size, size + 1, 0]) {
      expect(fitMetadata(metadata, limit)).toEqual({ metadata, isCut: false });
    }
    expect(fitMetadata(metadata, size - 1)).toEqual({ metadata: { one: 'ä' }, isCut: true });
  });

  it('leaves out each field that does not fit, and keeps later ones that do', () => {
    const metadata = { small: 1, large: 'x'.repeat(100), other: { nested: true } };
    const fitted = { small: 1, other: { nested: true } };
    expect(fitMetadata(metadata, bytesOf(fitted))).toEqual({ metadata: fitted, isCut: true });
    expect(fitMetadata({ large: 'x'.repeat(100) }, 50)).toEqual({ metadata: {}, isCut: true });
  });

  it('keeps field names that have a meaning in JavaScript', () => {
    const metadata = JSON.parse('{"__proto__":{"a":1},"large":"xxxxxxxxxxxxxxxxxxxxxxxx"}') as Record<
      string,
      unknown
    >;
    expect(JSON.stringify(fitMetadata(metadata, 30).metadata)).toBe('{"__proto__":{"a":1}}');
  });
});
