import { describe, expect, it } from 'vitest';
import { parseDiff } from './parse-diff.ts';

const of = (diff: string) =>
  parseDiff(diff).map(({ kind, text, oldNumber, newNumber }) => [kind, oldNumber, newNumber, text]);

describe('parseDiff', () => {
  it('numbers the lines of both configurations, hunk by hunk', () => {
    const diff = [
      '--- 0192f0a0-7b1c-7c3a-9d52-3f1e8a6b4c2d\t2026-03-02T10:20:30.456Z',
      '+++ 0192f0b2-11d4-7e0b-8c6f-2a7d9e5b1c3f\t2026-03-02T11:02:03.004Z',
      '@@ -1,2 +1,3 @@',
      ' [OUTPUT]',
      '-    Host es-1',
      '+    Host es-2',
      '+    Port 9200',
      '@@ -40 +41 @@',
      '-[FILTER]',
      '+[PARSER]',
      '',
    ].join('\n');
    expect(of(diff)).toEqual([
      ['hunk', undefined, undefined, '@@ -1,2 +1,3 @@'],
      ['same', 1, 1, '[OUTPUT]'],
      ['removed', 2, undefined, '    Host es-1'],
      ['added', undefined, 2, '    Host es-2'],
      ['added', undefined, 3, '    Port 9200'],
      ['hunk', undefined, undefined, '@@ -40 +41 @@'],
      ['removed', 40, undefined, '[FILTER]'],
      ['added', undefined, 41, '[PARSER]'],
    ]);
  });

  it('takes lines that look like names of configurations for lines', () => {
    expect(of('--- a\n+++ b\n@@ -1,1 +1,1 @@\n--- x\n+++ y\n')).toEqual([
      ['hunk', undefined, undefined, '@@ -1,1 +1,1 @@'],
      ['removed', 1, undefined, '-- x'],
      ['added', undefined, 1, '++ y'],
    ]);
  });

  it('keeps empty lines, and notes that a last line has no end', () => {
    expect(of('--- a\n+++ b\n@@ -0,0 +1,2 @@\n+\n+x\n\\ No newline at end of file\n')).toEqual([
      ['hunk', undefined, undefined, '@@ -0,0 +1,2 @@'],
      ['added', undefined, 1, ''],
      ['added', undefined, 2, 'x'],
      ['note', undefined, undefined, 'No newline at end of file'],
    ]);
  });

  it('has no line of equal configurations', () => {
    expect(parseDiff('')).toEqual([]);
  });
});
