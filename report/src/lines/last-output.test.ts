import { describe, expect, it } from 'vitest';
import { LastOutput } from './last-output.ts';

function linesAfter(...chunks: readonly string[]): string[] {
  const last = new LastOutput();
  for (const chunk of chunks) last.push(Buffer.from(chunk));
  return last.lines;
}

describe('LastOutput', () => {
  it('keeps the lines of a short output, however it was cut into pieces', () => {
    expect(linesAfter('one\n\ntw', 'o\nthr', 'ee')).toEqual(['one', 'two', 'three']);
  });

  it('keeps the last 8 KiB, from the beginning of a line', () => {
    const line = `${'x'.repeat(99)}\n`;
    const lines = linesAfter(...Array.from({ length: 200 }, () => line));
    expect(lines).toEqual(Array.from({ length: 81 }, () => line.trimEnd()));
    expect(linesAfter(line.repeat(200))).toEqual(lines);
  });

  it('is empty for no output', () => {
    expect(linesAfter()).toEqual([]);
  });
});
