import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { ErrorTexts } from './error-texts.ts';

const samples = new URL('../../../samples/fluent-bit/', import.meta.url);

function collect(chunks: Iterable<Buffer>, now: () => number = () => 0) {
  const texts: string[] = [];
  let dropped = 0;
  const stream = new ErrorTexts({
    level: 'error',
    now,
    onText: (text) => texts.push(text),
    onDropped: () => {
      dropped += 1;
    },
  });
  for (const chunk of chunks) {
    stream.read(chunk);
    while (stream.step());
  }
  stream.end();
  while (stream.step());
  return { texts, dropped };
}

function* pieces(bytes: Buffer, size: number): Iterable<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** The number of `[error]` lines of real agents, of reported errors, and of different texts after cleaning. */
const counts: Readonly<Record<string, readonly [lines: number, errors: number, texts: number]>> = {
  'bad-plugin.conf.log': [2, 1, 1],
  'bad-prop.conf.log': [2, 1, 1],
  'bad-yaml.yaml.log': [3, 1, 1],
  // The warnings that a name has no address are reported too.
  'es.conf.log': [70, 90, 6],
  'filter.conf.log': [3, 1, 1],
  'key.conf.log': [2, 1, 1],
  'parsers-bad.conf.log': [4, 1, 1],
  'portinuse.conf.log': [5, 1, 1],
  'refused.conf.log': [60, 60, 4],
  'selfreport.conf.log': [24, 24, 2],
  'store.conf.log': [3, 1, 1],
  'tail-missing.conf.log': [2, 2, 2],
  'tls.conf.log': [4, 1, 1],
};

describe('ErrorTexts, on the output of real agents', () => {
  it('has a count for every file', () => {
    expect(readdirSync(samples).filter((name) => name.endsWith('.log'))).toEqual(Object.keys(counts));
  });

  it.each(Object.entries(counts))(
    'finds every error in %s, and few different texts',
    (name, [lines, errors, distinct]) => {
      const bytes = readFileSync(new URL(name, samples));
      expect(bytes.toString().match(/\[error\]/g)).toHaveLength(lines);
      const { texts, dropped } = collect([bytes]);
      expect({ errors: texts.length, distinct: new Set(texts).size, dropped }).toEqual({
        errors,
        distinct,
        dropped: 0,
      });
    },
  );

  it.each([1, 7, 64, 4_096])('finds the same in pieces of %d bytes', (size) => {
    for (const name of Object.keys(counts)) {
      const bytes = readFileSync(new URL(name, samples));
      expect(collect(pieces(bytes, size))).toEqual(collect([bytes]));
    }
  });
});

describe('ErrorTexts', () => {
  it('cuts a text at 1023 code points and …, never within a character', () => {
    const { texts } = collect([Buffer.from(`error: ${'😀'.repeat(2_000)}\nerror: ${'x'.repeat(1_017)}\n`)]);
    expect(texts).toEqual([`error: ${'😀'.repeat(1_016)}…`, `error: ${'x'.repeat(1_017)}`]);
  });

  it('reads the first 8 KiB of an endless line, and continues after it', () => {
    const endless = Buffer.concat([
      Buffer.from('error: a'),
      Buffer.alloc(10_000_000, 'a'),
      Buffer.from('\nerror: b\n'),
    ]);
    const { texts } = collect(pieces(endless, 65_536));
    expect(texts).toEqual([`error: ${'a'.repeat(1_016)}…`, 'error: b']);
  });

  it('converts text that is not UTF-8 to a form that the service accepts', () => {
    const { texts } = collect([Buffer.from([...Buffer.from('error: '), 0xff, 0x00, 0xc3, 0x0a])]);
    expect(texts).toEqual(['error: \ufffd\ufffd']);
    expect(texts.every((text) => text.isWellFormed())).toBe(true);
  });

  it('masks unknown volatile numbers after ten texts that differ only in them', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `error: item ${index} failed\n`);
    const { texts } = collect([Buffer.from(lines.join(''))]);
    expect(new Set(texts)).toEqual(
      new Set([
        ...Array.from({ length: 10 }, (_, index) => `error: item ${index} failed`),
        'error: item <n> failed',
      ]),
    );
  });

  it('processes 1,000 different errors per second, counts the others, and still recognises repeats', () => {
    const lines = Array.from({ length: 1_500 }, (_, index) => `error: item ${index} failed\n`);
    const repeats = 'error: item 1499 failed\nerror: item 999 failed\n';
    const { texts, dropped } = collect([Buffer.from(lines.join('') + repeats)]);
    expect({ texts: texts.length, dropped }).toEqual({ texts: 1_001, dropped: 501 });
    let milliseconds = 0;
    const inTwoSeconds = collect([Buffer.from(lines.join(''))], () => {
      milliseconds += 1;
      return milliseconds;
    });
    expect(inTwoSeconds.dropped).toBe(0);
  });

  it.each([
    ['an error', 'error: a\n', '  frame\n', 100],
    [
      'a crash',
      '[2026/11/21 00:29:28] [engine] caught signal (SIGSEGV)\n',
      '#0  0x1 in  f() at a.c:1\n',
      2_000,
    ],
  ])('reports %s when no further line of it has arrived for a while', (_, first, second, milliseconds) => {
    vi.useFakeTimers();
    try {
      const texts: string[] = [];
      const stream = new ErrorTexts({
        level: 'error',
        now: () => performance.now(),
        onText: (text) => texts.push(text),
        onDropped: () => undefined,
      });
      const come = (text: string) => {
        stream.hold();
        stream.read(Buffer.from(text));
        while (stream.step());
        stream.settle();
      };
      come(first);
      vi.advanceTimersByTime(milliseconds - 1);
      come(second);
      vi.advanceTimersByTime(milliseconds - 1);
      expect(texts).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(texts).toEqual([expect.stringContaining('\n')]);
    } finally {
      vi.useRealTimers();
    }
  });
});
