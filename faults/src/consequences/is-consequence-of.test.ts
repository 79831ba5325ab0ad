import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isConsequenceOf } from './is-consequence-of.ts';

const samples = new URL('../../../samples/fluent-bit/', import.meta.url);

/** The faults of a recorded start: each error with its consequences. */
function faultsIn(texts: readonly string[]): string[][] {
  const faults: string[][] = [];
  for (const [index, text] of texts.entries()) {
    const previous = texts[index - 1];
    if (previous !== undefined && isConsequenceOf(text, previous)) faults.at(-1)?.push(text);
    else faults.push([text]);
  }
  return faults;
}

function errorsOf(sample: string): string[] {
  return readFileSync(new URL(sample, samples), 'utf8')
    .split('\n')
    .filter((line) => line.includes('[error]'));
}

describe('isConsequenceOf', () => {
  it.each([
    ['bad-plugin.conf.log', 2],
    ['bad-prop.conf.log', 2],
    ['bad-yaml.yaml.log', 3],
    ['filter.conf.log', 3],
    ['key.conf.log', 2],
    ['parsers-bad.conf.log', 4],
    ['portinuse.conf.log', 5],
    ['store.conf.log', 3],
    ['tls.conf.log', 4],
  ])('makes one fault of the recorded start %s with its %d errors', (sample, count) => {
    const errors = errorsOf(sample);
    expect(errors).toHaveLength(count);
    expect(faultsIn(errors)).toEqual([errors]);
  });

  it.each([
    [
      [
        "[filter:lua:lua.0] cannot access script '/fluent-bit/scripts/app.lua'",
        'Failed initialize filter lua.0',
        '[engine] filter initialization failed',
        '[lib] backend failed',
      ],
    ],
    [
      [
        "[luajit] error loading script: app.lua:3: '=' expected near 'x'",
        'Failed initialize filter lua.0',
        '[engine] filter initialization failed',
      ],
    ],
    [
      [
        '[output:kafka:events] config: no brokers defined',
        "[output] failed to initialize 'kafka' plugin",
        '[engine] output initialization failed',
      ],
    ],
    [
      [
        "[config] section 'dumy' tried to instance a plugin name that doesn't exist",
        '[reload] reloaded config is invalid. Reloading is halted',
      ],
    ],
    [
      [
        'Error: invalid configuration: exporters::otlp: requires a non-empty "endpoint"',
        '2026/11/21 00:31:20 collector server run finished with error: invalid configuration: exporters::otlp: requires a non-empty "endpoint"',
      ],
    ],
  ])('makes one fault of %j', (texts) => {
    expect(faultsIn(texts)).toEqual([texts]);
  });

  it.each([
    ['another plugin', 'Failed initialize filter grep.0', '[filter:lua:lua.0] cannot access script'],
    [
      'another output',
      "[output] failed to initialize 'loki' plugin",
      '[output:es:es.0] HTTP status=401 URI=/_bulk',
    ],
    [
      'another address',
      '[input:tcp:tcp.1] could not initialize downstream on 0.0.0.0:5170. Aborting',
      '[downstream] could not bind address 0.0.0.0:24224. Aborting',
    ],
    ['another kind', '[engine] output initialization failed', '[filter:lua:lua.0] cannot access script'],
    ['nothing', '[engine] input initialization failed', ''],
    ['itself', '[config] unknown processor', '[config] unknown processor'],
    [
      'lost data',
      "[engine] chunk '1-1795220971.5.flb' cannot be retried: task_id=0, input=dummy.0 > output=es.0",
      '[output:es:es.0] no upstream connections available',
    ],
  ])('keeps an error after %s', (_what, text, previous) => {
    expect(isConsequenceOf(text, previous)).toBe(false);
  });

  it('reads only the beginning of a text', () => {
    const text = 'Failed initialize filter lua.0';
    const previous = '[filter:lua:lua.0] function fold is not found';
    expect(isConsequenceOf(text, previous)).toBe(true);
    expect(isConsequenceOf(`${' '.repeat(2_048)}${text}`, previous)).toBe(false);
    expect(isConsequenceOf(text, `${' '.repeat(2_048)}${previous}`)).toBe(false);
  });
});
