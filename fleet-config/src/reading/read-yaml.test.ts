import { describe, expect, it } from 'vitest';
import type { Finding } from '../finding.ts';
import { check, error } from '../testing/check-config.ts';

describe('a configuration in YAML', () => {
  it('has no findings if Fluent Bit loads it', () => {
    expect(
      check(
        `---
env:
  level: info
service:
  logLevel: \${level}
parsers:
  - name: plain
    format: regex
    regex: ^(?<text>.*)$
pipeline:
  inputs:
    - name: tail
      path: /var/log/*.log
      memBufLimit: 5MB
      processors:
        logs:
          - name: modify
            add: host {{agent.name}}
  outputs:
    - name: http
      match: "*"
      header:
        - A b
        - C d
      host: {{vars.host}}
`,
        { configFormat: 'yaml' },
      ),
    ).toEqual([]);
  });

  it.each<[what: string, text: string, finding: Finding]>([
    [
      'is broken',
      'pipeline:\n  inputs:\n    - name: [dummy\n',
      error(
        'invalid_yaml',
        'This YAML cannot be read: deficient indentation.',
        'Look at the indentation, the quotes and the brackets of this line and the one above.',
        4,
        1,
      ),
    ],
    [
      'has a second document, of which Fluent Bit reads nothing',
      'pipeline:\n  inputs:\n    - name: dummy\n---\n',
      error(
        'invalid_yaml',
        'This YAML cannot be read: it has several documents.',
        'Look at the indentation, the quotes and the brackets of this line and the one above.',
        3,
        13,
      ),
    ],
    [
      'uses an alias, which Fluent Bit does not know',
      'pipeline:\n  inputs:\n    - &a\n      name: dummy\n    - *a\n',
      error(
        'invalid_yaml',
        'This YAML cannot be read: Fluent Bit does not know aliases.',
        'Look at the indentation, the quotes and the brackets of this line and the one above.',
        5,
        7,
      ),
    ],
    [
      'is JSON',
      '{"pipeline": {"inputs": [{"name": "dummy"}]}}',
      error(
        'json_as_yaml',
        'This is JSON, but its format is given as YAML, and agents read no JSON.',
        "Set the format to 'json': agents then get it as YAML.",
        1,
        1,
      ),
    ],
    [
      'has a map where a list belongs',
      'pipeline:\n  inputs:\n    name: dummy\n',
      error(
        'wrong_shape',
        "'inputs' has to be a list, and is a map.",
        'Look at the indentation and at the dashes of the list.',
        3,
        5,
      ),
    ],
    [
      'has an unknown part of the pipeline',
      'pipeline:\n  input:\n    - name: dummy\n',
      error(
        'unknown_section',
        "'pipeline' has no part 'input'.",
        "Use 'inputs', 'filters' and 'outputs'.",
        2,
        3,
      ),
    ],
    [
      'has an unknown processor',
      'pipeline:\n  inputs:\n    - name: dummy\n      processors:\n        logs:\n          - name: modifi\n            add: a b\n',
      error('unknown_plugin', "Fluent Bit 5.1.1 has no processor 'modifi'.", "Use 'modify'.", 6, 13),
    ],
    [
      'contains the plugin that belongs in the agent’s own file',
      'customs:\n  - name: calyptia\n    api_key: x\npipeline:\n  inputs:\n    - name: dummy\n',
      error(
        'custom_forbidden',
        'The plugin calyptia must not be in the configuration of a fleet: the agent would register a second time.',
        "Remove 'customs'. It belongs in the agent's own file.",
        2,
        5,
      ),
    ],
    [
      'has a parser of an unknown format',
      'parsers:\n  - name: a\n    format: regx\n',
      error('bad_value', "Fluent Bit has no format 'regx' for parsers.", "Use 'regex'.", 3, 5),
    ],
    [
      'has two services',
      'service:\n  flush: 1\nservice:\n  grace: 1\n',
      error(
        'duplicate_service',
        "The configuration has two parts 'service'.",
        'Put all of it into one.',
        3,
        1,
      ),
    ],
  ])('is found if it %s', (_, text, finding) => {
    expect(check(text, { configFormat: 'yaml' })).toEqual([finding]);
  });

  it('may be JSON if that is its format', () => {
    const text = '{"pipeline": {"inputs": [{"name": "dumy"}]}}';
    expect(check(text, { configFormat: 'json' })).toEqual([
      error('unknown_plugin', "Fluent Bit 5.1.1 has no input 'dumy'.", "Use 'dummy'.", 1, 28),
    ]);
  });

  it.each([
    ['nested a hundred thousand times', `a: ${'['.repeat(100_000)}`],
    [
      'nested by indentation',
      Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
    ],
    ['an expansion of aliases', 'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n'],
  ])('is refused if it is %s', (_, text) => {
    expect(check(text, { configFormat: 'yaml' }).map(({ severity, code }) => [severity, code])).toEqual([
      ['error', 'invalid_yaml'],
    ]);
  });
});
