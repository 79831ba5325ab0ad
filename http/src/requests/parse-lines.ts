import { Refusal } from '../refusal.ts';
import { holdsTooManyValues, parseJson, tooManyValues } from './parse-json.ts';

const lineFeed = 0x0a;

/**
 * Parses newline-delimited JSON: the value of each line, or the refusal of a line that is not JSON. Empty lines do not count.
 *
 * @param maximum how many values are parsed; the rest is ignored.
 * @throws Refusal invalid_body for one that would take long to parse.
 */
export function parseLines(body: Buffer, maximum: number): unknown[] {
  if (holdsTooManyValues(body)) throw tooManyValues();
  const values: unknown[] = [];
  let line = 0;
  for (let start = 0; start < body.length && values.length < maximum; ) {
    const found = body.indexOf(lineFeed, start);
    const end = found < 0 ? body.length : found;
    const bytes = body.subarray(start, end);
    start = end + 1;
    line += 1;
    if (!isBlank(bytes)) values.push(parseLine(bytes, line));
  }
  return values;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function parseLine(bytes: Buffer, line: number): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return new Refusal(error.code, { detail: error.detail.replace('The body', `Line ${line}`) });
  }
}
