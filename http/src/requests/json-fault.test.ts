import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { findJsonFault } from './json-fault.ts';

describe('the place of a fault in JSON', () => {
  it.each([
    ['', 0],
    ['x', 0],
    ['  x', 2],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['"a', 2],
    ['"a\\', 2],
    ['"a\nb"', 2],
    ['"\\x"', 1],
    ['"\\u12"', 1],
    ['01', 1],
    ['1.', 1],
    ['-', 0],
    ['+1', 0],
    ['tru', 0],
    ['nullx', 4],
    ['1 2', 2],
    ['{} {}', 3],
    ['[[[', 3],
    ['{"a":', 5],
    ['\ufeff{}', 0],
    ['NaN', 0],
    [' \t\n\rx', 4],
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00aF" x', 25],
    ['"\u001f"', 1],
    ['[-0.5e+10,1E-2 x', 15],
  ])('%j: %i', (text, position) => {
    expect(findJsonFault(text)).toBe(position);
  });

  it('is the end of the text for JSON that is cut off between two tokens', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), (value) => {
        const text = JSON.stringify(value);
        expect(findJsonFault(text.slice(0, -1))).toBe(text.length - 1);
      }),
    );
  });

  it('is the end of the text for valid JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findJsonFault(text)).toBe(text.length);
      }),
    );
  });

  it('is within the text exactly when JSON.parse fails', () => {
    const near = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[],:"\\ 01tfn.-eE\n'))
      .map(([json, at, character]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + character + json.slice(place + 1);
      });
    fc.assert(
      fc.property(near, (text) => {
        const position = findJsonFault(text);
        expect(position).toBeLessThanOrEqual(text.length);
        if (position < text.length) expect(() => JSON.parse(text)).toThrow(SyntaxError);
      }),
      { numRuns: rounds(2_000) },
    );
  });

  it('takes linear time for any depth', () => {
    expect(findJsonFault('['.repeat(1_000_000))).toBe(1_000_000);
    expect(findJsonFault(`"${'\\n'.repeat(1_000_000)}`)).toBe(2_000_001);
    expect(findJsonFault(`[${'1,'.repeat(1_000_000)}]`)).toBe(2_000_001);
  });
});
