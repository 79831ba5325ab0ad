import { describe, expect, it } from 'vitest';
import { lineFormats } from './error-line.ts';
import { ErrorReader } from './error-reader.ts';
import { ErrorTexts } from './error-texts.ts';
import { TimeLimit } from './time-limit.ts';

/** Would take centuries for forty `a` and a `b`. */
const pattern = /^(a+)+$|^E\d+ .*/;
const hostile = `${'a'.repeat(40)}b`;

/** What takes a second on a quiet machine takes less than this on any. */
const muchLonger = 300_000;

describe('TimeLimit', () => {
  it('ends a regular expression that takes too long, and reading continues with the next line', () => {
    let exceeded = 0;
    const onExceeded = () => {
      exceeded += 1;
    };
    // Ends nothing of what ends by itself, however rarely this process has its turn.
    const limit = new TimeLimit({ milliseconds: muchLonger, onExceeded });
    const shortLimit = new TimeLimit({ milliseconds: 500, onExceeded });
    const texts: string[] = [];
    const stream = new ErrorTexts({
      level: 'error',
      pattern,
      now: () => 0,
      onText: (text) => texts.push(text),
      onDropped: () => undefined,
    });
    const read = (text: string) => () => {
      stream.read(Buffer.from(text));
      return false;
    };
    expect(limit.run(read('E1 one\n'))).toBe(false);
    while (limit.run(() => stream.step()));
    expect(shortLimit.run(read(`${hostile}\nE2 two\nE3 thr`))).toBe(true);
    while (limit.run(() => stream.step()));
    stream.read(Buffer.from('ee\n'));
    stream.end();
    while (stream.step());
    expect({ texts, exceeded }).toEqual({ texts: ['E1 one', 'E2 two', 'E3 three'], exceeded: 1 });
  });

  it('passes on other errors', () => {
    const limit = new TimeLimit({ milliseconds: 1_000, onExceeded: () => undefined });
    expect(() =>
      limit.run(() => {
        throw new Error('another');
      }),
    ).toThrow('another');
  });
});

describe('the formats of lines', () => {
  /** A million characters each: quadratic time would be many minutes. */
  it.each([
    ['a time stamp of the Collector', 'T'.repeat(1_000_000)],
    ['a line of Ruby', `/a.rb:1:in ${': ('.repeat(333_333)}`],
    ['a frame of Go', `go.a.${'a'.repeat(1_000_000)} b`],
    ['fields of logfmt', `a=${'b'.repeat(1_000_000)} level`],
    ['blanks after a level', `ERROR ${' '.repeat(500_000)}${'x'.repeat(500_000)}\u2028`],
    ['brackets before a level', '[a] '.repeat(250_000)],
  ])('take time that is linear in the length of %s', (_, line) => {
    let isExceeded = false;
    const limit = new TimeLimit({
      milliseconds: muchLonger,
      onExceeded: () => {
        isExceeded = true;
      },
    });
    const formats = lineFormats('warn');
    const reader = new ErrorReader({ formats, onError: () => undefined });
    limit.run(() => {
      for (const first of ['error: a', '[2026/11/21 00:29:28] [error] a']) {
        reader.read(first);
        reader.read(line);
      }
      return true;
    });
    expect(isExceeded).toBe(false);
  });
});
