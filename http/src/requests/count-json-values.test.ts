import { describe, expect, it } from 'vitest';
import { holdsMoreValues } from './count-json-values.ts';

/** The counted number of values in a text. */
function count(text: string): number {
  let most = 1;
  while (holdsMoreValues(Buffer.from(text), most)) most += 1;
  return most;
}

describe('holdsMoreValues', () => {
  it.each([
    ['"text"', 1],
    ['[1,2,3]', 4],
    ['{"a":1,"b":[true,null]}', 5],
    ['[{"error":"a"},{"error":"b"}]', 5],
    ['[[[[', 5],
    [' [ 1 , 2 ] ', 3],
  ])('counts %s', (text, values) => {
    expect(count(text)).toBe(values);
  });

  it.each(['"[,{"', '"\\",["', '"\\\\\\",["', '"\\u005b,"', '{"[,{":1}', '"💥,["'])(
    'ignores the content of a string: %s',
    (text) => {
      expect(count(text)).toBe(text.startsWith('{') ? 2 : 1);
    },
  );

  it('finds the end of a string, also after a backslash', () => {
    expect(count('["\\\\",1]')).toBe(3);
    expect(count('["\\"",1]')).toBe(3);
  });

  it.each(['', '"', '"\\', '\\', ',,,', '\u0000'])('accepts invalid JSON: %j', (text) => {
    expect(holdsMoreValues(Buffer.from(text), 10)).toBe(false);
  });
});
