import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../test/rounds.ts';
import { convertConfig } from './convert-config.ts';
import { readClassic } from './reading/read-classic.ts';
import { readYaml } from './reading/read-yaml.ts';

const classic = `@SET level=info
@INCLUDE more.conf

[SERVICE]
    log_level \${level}

[INPUT]
    name dummy
    dummy {"a": "b: c"}

[OUTPUT]
    name http
    match *
    host {{vars.host}}
    header A b
    header C d # e
`;

const yaml = `env:
  level: info
includes:
  - more.conf
service:
  log_level: \${level}
pipeline:
  inputs:
    - name: dummy
      dummy: "{\\"a\\": \\"b: c\\"}"
  outputs:
    - name: http
      match: "*"
      host: "{{vars.host}}"
      header:
        - A b
        - "C d # e"
`;

describe('convertConfig', () => {
  it('writes the classic format as YAML', () => {
    expect(convertConfig(classic.replaceAll('name', 'Name'), 'classic', 'yaml')).toEqual({ text: yaml });
  });

  it.each([
    ['[SERVICE]\n    flush 1\n', 'service:\n  flush: 1\n'],
    ['[INPUT]\n    name dummy\n', 'pipeline:\n  inputs:\n    - name: dummy\n'],
    [
      '[INPUT]\n    name dummy\n    dummy [1]\n',
      'pipeline:\n  inputs:\n    - name: dummy\n      dummy: "[1]"\n',
    ],
  ])('writes of %j what it has, and nothing else', (text, written) => {
    expect(convertConfig(text, 'classic', 'yaml')).toEqual({ text: written });
  });

  it('writes YAML in the classic format', () => {
    expect(convertConfig(yaml, 'yaml', 'classic')).toEqual({ text: classic });
  });

  it('writes JSON as YAML in blocks, which agents can read', () => {
    const json =
      '{"service":{"flush":1,"http_server":true},"pipeline":{"inputs":[{"name":"dummy","dummy":"{}"}],"filters":[]}}';
    expect(convertConfig(json, 'json', 'yaml')).toEqual({
      text: 'service:\n  flush: 1\n  http_server: true\npipeline:\n  inputs:\n    - name: dummy\n      dummy: "{}"\n  filters: []\n',
    });
  });

  it('writes YAML as JSON', () => {
    expect(convertConfig('pipeline:\n  inputs:\n    - name: dummy\n      rate: 5\n', 'yaml', 'json')).toEqual(
      {
        text: '{\n  "pipeline": {\n    "inputs": [\n      {\n        "name": "dummy",\n        "rate": "5"\n      }\n    ]\n  }\n}\n',
      },
    );
  });

  it('keeps values of several lines in YAML', () => {
    const text =
      'pipeline:\n  filters:\n    - name: lua\n      code: |\n        function f(tag)\n          return 1\n        end\n';
    const json = convertConfig(text, 'yaml', 'json');
    expect('text' in json && convertConfig(json.text, 'json', 'yaml')).toEqual({ text });
  });

  it.each([
    [
      'pipeline:\n  inputs:\n    - name: dummy\n      processors:\n        logs:\n          - name: modify\n',
      'processors',
      3,
    ],
    ['parsers:\n  - name: a\n    format: json\n', "section for 'parsers'", 2],
    [
      'pipeline:\n  filters:\n    - name: lua\n      code: |\n        a\n        b\n',
      "values of several lines, and 'code' has one",
      4,
    ],
    ['pipeline:\n  inputs:\n    - name: dummy\n      tag: ""\n', "empty values, and 'tag' has one", 4],
  ])('refuses what the classic format cannot say: %j', (text, what, line) => {
    expect(convertConfig(text, 'yaml', 'classic')).toMatchObject({
      findings: [
        { severity: 'error', code: 'not_convertible', message: `The classic format has no ${what}.`, line },
      ],
    });
  });

  it('says why it cannot read the text', () => {
    expect(convertConfig('[INPUT\n', 'classic', 'yaml')).toMatchObject({
      findings: [{ code: 'bad_section_header' }],
    });
    expect(convertConfig('a: [', 'yaml', 'classic')).toMatchObject({ findings: [{ code: 'invalid_yaml' }] });
  });

  it('changes nothing of what is read, there and back', () => {
    const word = fc.stringMatching(/^[!-~]{1,12}$/).filter((text) => !/\{\{|\}\}/.test(text));
    const key = fc.stringMatching(/^[a-z][a-z_.]{0,10}$/).filter((text) => text !== 'processors');
    const value = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
    const section = fc.record({
      kind: fc.constantFrom('INPUT', 'FILTER', 'OUTPUT'),
      properties: fc.uniqueArray(fc.tuple(key, value), {
        minLength: 1,
        maxLength: 5,
        selector: ([name]) => name,
      }),
    });
    fc.assert(
      fc.property(fc.array(section, { minLength: 1, maxLength: 4 }), (sections) => {
        const text = sections
          .map(({ kind, properties }) =>
            [`[${kind}]`, ...properties.map(([name, written]) => `    ${name} ${written}`), ''].join('\n'),
          )
          .join('\n');
        const converted = convertConfig(text, 'classic', 'yaml');
        const back = 'text' in converted ? convertConfig(converted.text, 'yaml', 'classic') : converted;
        expect('text' in converted && contentOf(readYaml(converted.text))).toEqual(
          contentOf(readClassic(text)),
        );
        expect('text' in back && contentOf(readClassic(back.text))).toEqual(contentOf(readClassic(text)));
      }),
      { numRuns: rounds(1000) },
    );
  });
});

/** By kind, because YAML keeps the order within each kind alone. */
function contentOf({ sections }: ReturnType<typeof readClassic>): unknown {
  const kinds = ['input', 'filter', 'output'];
  return kinds.map((kind) =>
    sections
      .filter((section) => section.kind === kind)
      .map(({ properties }) => properties.map(({ name, value }) => [name, value])),
  );
}
