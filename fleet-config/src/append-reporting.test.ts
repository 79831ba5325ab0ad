import { fluentBitPipeline, toClassicFormat, toYamlFormat } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { appendReporting } from './append-reporting.ts';
import type { ReadConfig } from './reading/config-section.ts';
import { readClassic } from './reading/read-classic.ts';
import { readYaml } from './reading/read-yaml.ts';

const block = fluentBitPipeline({
  host: 'muster.example.com',
  port: '443',
  isEncrypted: true,
  uri: '/v1/machines/abc/errors',
  tokenHeader: `X-Project-Token $${'{PROJECT_TOKEN}'}`,
});

/** A block of three sections, to show where they go. */
const small = [
  { kind: 'input', properties: [['name', 'fluentbit_logs']] },
  {
    kind: 'filter',
    properties: [
      ['name', 'grep'],
      ['exclude', 'a b'],
      ['exclude', 'c d'],
    ],
  },
  {
    kind: 'output',
    properties: [
      ['name', 'http'],
      ['alias', 'muster'],
    ],
  },
] as const;

describe('a configuration of the classic format', () => {
  it.each(['  ', '\t', '    '])(
    'gets the sections at its end, with its own indentation (%j)',
    (indentation) => {
      const text = `[INPUT]\n${indentation}name dummy`;
      expect(appendReporting(text, 'classic', small)).toBe(
        `${text}\n\n[INPUT]\n${indentation}name fluentbit_logs\n\n[FILTER]\n${indentation}name    grep\n${indentation}exclude a b\n${indentation}exclude c d\n\n[OUTPUT]\n${indentation}name  http\n${indentation}alias muster\n`,
      );
    },
  );

  it('keeps what it says, and gets all of the sections', () => {
    const text = '[INPUT]\n  name dummy\n[OUTPUT]\n  name stdout\n  match *\n';
    const read = readClassic(appendReporting(text, 'classic', block));
    expect(read.findings).toEqual([]);
    expect(contentOf(read)).toEqual([
      ...contentOf(readClassic(text)),
      ...contentOf(readClassic(toClassicFormat(block))),
    ]);
  });
});

describe('a configuration in YAML', () => {
  it('gets each section at the head of its list, and stays as it is written otherwise', () => {
    const text = `# my pipeline
pipeline:
    inputs:   # two
        - name: dummy
          tag: 'a'

        - {name: tail}
    outputs:
    - name: stdout
service: {flush: 1}
`;
    expect(appendReporting(text, 'yaml', small)).toBe(`# my pipeline
pipeline:
    filters:
      - name: grep
        exclude:
          - a b
          - c d
    inputs:   # two
        - name: fluentbit_logs
        - name: dummy
          tag: 'a'

        - {name: tail}
    outputs:
    - name: http
      alias: muster
    - name: stdout
service: {flush: 1}
`);
  });

  it.each([
    ['service:\n  flush: 1\nincludes:\n  - a.yaml\n', 'has no pipeline'],
    ['service:\n  flush: 1\nincludes:\n  - a.yaml', 'has no pipeline and no end of its last line'],
    ['pipeline:\n inputs:\n - name: dummy\n', 'has a narrow indentation'],
    ['pipeline: {inputs: [{name: dummy}], outputs: [{name: stdout}]}\n', 'is written in braces'],
    ['{"pipeline": {"inputs": [{"name": "dummy"}]}}', 'is JSON'],
    [
      'pipeline:\n  inputs: [{name: dummy, lines: "a\\nb\\n"}]\n  outputs:\n    - name: stdout\n',
      'has one list in brackets',
    ],
    ['pipeline:\n  filters:\n  inputs:\n    - name: dummy\n', 'has an empty list'],
    ['? pipeline\n: inputs:\n  - name: dummy\n', 'has a complex key'],
    ['---\npipeline:\r\n  inputs:\r\n    - name: dummy\r\n', 'has the line ends of Windows'],
  ])('%j, which %s, gets all of the sections', (text) => {
    const read = readYaml(appendReporting(text, 'yaml', block));
    expect(read.findings).toEqual([]);
    const before = contentOf(readYaml(text));
    const added = contentOf(readYaml(toYamlFormat(block)));
    const sorted = (content: readonly unknown[]) => content.map((one) => JSON.stringify(one)).sort();
    expect(sorted(contentOf(read))).toEqual(sorted([...before, ...added]));
  });
});

describe('a configuration', () => {
  it.each(['classic', 'yaml'] as const)('in %s that reports already stays as it is', (format) => {
    const text = format === 'classic' ? toClassicFormat(block) : toYamlFormat(block);
    expect(appendReporting(text, format, block)).toBe(text);
  });

  it('that cannot be read stays as it is', () => {
    expect(appendReporting('pipeline: [', 'yaml', block)).toBe('pipeline: [');
  });
});

function contentOf({ sections }: ReadConfig): unknown[] {
  return sections.map(({ kind, properties }) => [kind, properties.map(({ name, value }) => [name, value])]);
}
