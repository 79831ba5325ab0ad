import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ErrorTexts } from './error-texts.ts';

const samples = new URL('../../../samples/crashes/', import.meta.url);

/** Returns the reported errors for lines that arrive one by one with a given delay in milliseconds. */
function report(lines: readonly string[], betweenMilliseconds: number): string[] {
  const texts: string[] = [];
  let now = 0;
  const stream = new ErrorTexts({
    level: 'error',
    now: () => now,
    onText: (text) => texts.push(text),
    onDropped: () => texts.push('dropped'),
  });
  for (const line of lines) {
    now += betweenMilliseconds;
    stream.hold();
    stream.settle();
    stream.hold();
    stream.read(Buffer.from(`${line}\n`));
    while (stream.step());
    stream.settle();
  }
  stream.hold();
  stream.end();
  while (stream.step());
  return texts;
}

function linesOf(name: string): string[] {
  return readFileSync(new URL(name, samples), 'utf8').trimEnd().split('\n');
}

const stacks = {
  'fluent-bit.log': `[engine] caught signal (SIGSEGV)
#0  <address>      in  flb_sds_len() at include/fluent-bit/flb_sds.h:64
#1  <address>      in  tag_compose() at plugins/filter_rewrite_tag/rewrite_tag.c:412
#2  <address>      in  cb_rewrite_tag_filter() at plugins/filter_rewrite_tag/rewrite_tag.c:571
#3  <address>      in  flb_filter_do() at src/flb_filter.c:161
#4  <address>      in  input_chunk_append_raw() at src/flb_input_chunk.c:1608
#5  <address>      in  co_init() at lib/monkey/deps/flb_libco/amd64.c:117
#6  <address>  in  ???() at ???:0`,
  'otelcol.log': expect.stringMatching(
    /^panic: runtime error: invalid memory address or nil pointer dereference\n\[signal SIGSEGV: .*\n\ngoroutine <n> \[running\]:\n(?:.*\n)+created by .*\n\t.*consumers\.go:43/,
  ),
  'vector.log': expect.stringMatching(
    /^thread 'vector-worker' panicked at .*:\ncalled `Result::unwrap\(\)` .*\nstack backtrace:\n {3}0: rust_begin_unwind\n(?:.*\n)+note: Some details/,
  ),
};

describe('the stack of a crash', () => {
  it.each(Object.entries(stacks))('is part of the error in %s, at once and 271 ms later', (name, stack) => {
    expect(report(linesOf(name), 0)).toEqual([stack]);
    expect(report(linesOf(name), 271)).toEqual([stack]);
  });

  it('is kept if lines of other threads come before it, and those are reported too', () => {
    const [, , crash = '', ...frames] = linesOf('fluent-bit.log');
    const error = '[2026/11/21 00:31:07.201] [error] [output:http:http.1] no upstream connections available';
    const info = '[2026/11/21 00:31:07.202] [ info] [task] dummy/dummy.0 has 1 pending task(s):';
    expect(report([crash, error, info, ...frames], 100)).toEqual([
      '[output:http:http.1] no upstream connections available',
      stacks['fluent-bit.log'],
    ]);
  });

  it('is awaited for at most 2 s while other threads continue', () => {
    const info = '[2026/11/21 00:31:07.202] [ info] [input:dummy:dummy.0] nothing new';
    const [, , crash = '', ...frames] = linesOf('fluent-bit.log');
    const chatter = Array.from({ length: 21 }, () => info);
    expect(report([crash, ...chatter, ...frames], 100)).toEqual(['[engine] caught signal (SIGSEGV)']);
  });

  it('is cut with its error at 1024 code points', () => {
    const frames = Array.from(
      { length: 500 },
      (_, index) => `#${index}  0x55b0c3a1f2d4 in  f() at a.c:${index}`,
    );
    const [text = '', ...more] = report(
      ['[2026/11/21 00:31:07] [engine] caught signal (SIGABRT)', ...frames],
      1,
    );
    expect([[...text].length, more]).toEqual([1_024, []]);
  });

  it('of a later crash is not joined to the previous one', () => {
    const crash = '[2026/11/21 00:31:07] [engine] caught signal (SIGSEGV)';
    expect(report([crash, '#0  0x1 in  f() at a.c:1', crash, '#0  0x1 in  g() at a.c:2'], 1)).toEqual([
      '[engine] caught signal (SIGSEGV)\n#0  <address> in  f() at a.c:1',
      '[engine] caught signal (SIGSEGV)\n#0  <address> in  g() at a.c:2',
    ]);
  });
});
