import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { causePairs } from '../testing/cause-pairs.ts';
import samplePatterns from '../testing/sample-patterns.json' with { type: 'json' };
import { foldError } from './fold-error.ts';

const samples = new URL('../../../samples/', import.meta.url);

/** The lines of all samples that `muster report` may report: all except those of level info. */
function errorLines(): string[] {
  return ['crashes', 'fluent-bit'].flatMap((folder) =>
    readdirSync(new URL(folder, samples))
      .filter((name) => name.endsWith('.log'))
      .flatMap((name) => readFileSync(new URL(`${folder}/${name}`, samples), 'utf8').split('\n'))
      .filter((line) => line !== '' && !/\[ (?:info|help)\]|\sinfo\s|\sINFO\s/.test(line)),
  );
}

describe('foldError, on the output of real agents', () => {
  it('produces the reviewed patterns, with the same counts', () => {
    const counts: Record<string, number> = {};
    for (const line of errorLines()) counts[foldError(line)] = (counts[foldError(line)] ?? 0) + 1;
    expect(counts).toEqual(samplePatterns);
  });
});

describe('foldError', () => {
  it('has a table of at least 100 pairs, each of two texts', () => {
    expect(causePairs.length).toBeGreaterThanOrEqual(100);
    expect(causePairs.filter(({ texts: [one, other] }) => one === other)).toEqual([]);
  });

  it.each(causePairs.filter(({ cause }) => cause === 'same'))('finds one cause in $texts', ({ texts }) => {
    expect(foldError(texts[0])).toBe(foldError(texts[1]));
  });

  it.each(causePairs.filter(({ cause }) => cause === 'different'))('tells $texts apart', ({ texts }) => {
    expect(foldError(texts[0])).not.toBe(foldError(texts[1]));
  });

  it.each([
    '',
    ' ',
    'no upstream connections available',
    "section 'dumy' tried to instance a plugin name that doesn't exist",
    'could not configure service property "parsers_file"',
    'UTF-8, x86_64, IPv6, SHA-256, S3, TLSv1.2 and HTTP/2 are names',
    'open /etc/fluent-bit/parsers.conf: no such file or directory',
    'read error, check permissions: /var/log/containers/*.log',
    'it’s ‘quoted’ “otherwise” – and 😀',
  ])('does not change %j', (text) => {
    expect(foldError(text)).toBe(text);
  });

  it.each([
    ["it's 5 o'clock", "it's <number> o'clock"],
    ['"a b." and "c[d" and "e f"', '"a b." and "<value>" and "e f"'],
    ['{"status":400,"took":3,"value":"Alice A."}', '{"status":400,"took":<duration>,"value":"<value>"}'],
    ['https://u@h.example.com:8443/v1/x?id=17&a=b', 'https://u@h.example.com:8443/v1/x?id=<number>&a=b'],
    ['partitions 1, 2, 3 of 10.0.0.1:1,10.0.0.2:1', 'partitions <number> of <address>'],
    ['v1.2.3-code 5', '<version> <number>'],
    ['0xZ, 12ab, 5xx, 3rd, _7_', '0xZ, 12ab, 5xx, 3rd, _7_'],
    ['80% of -5; +6; 1e+06 and 1,234,567', '<number>% of -<number>; +<number>; <number> and <number>'],
    ['tail.0 -> es.12', 'tail.<number> -> es.<number>'],
    [
      'host:port web-01:9200 es.internal:9200 es.internal:51234',
      'host:port web-01:<number> es.internal:9200 es.internal:<port>',
    ],
  ])('folds %j', (text, pattern) => {
    expect(foldError(text)).toBe(pattern);
    expect(foldError(pattern)).toBe(pattern);
  });
});
