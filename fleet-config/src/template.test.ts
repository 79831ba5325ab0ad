import { describe, expect, it } from 'vitest';
import { parseYaml } from './reading/parse-yaml.ts';
import { readClassic } from './reading/read-classic.ts';
import { encodeValue, explainUnsafeValue, piecesOf, toTemplate } from './template.ts';

/** What an agent gets if every variable stands for this value. */
function render(text: string, format: 'classic' | 'yaml', value: string): string {
  return piecesOf(toTemplate(text, format))
    .map((piece) => (typeof piece === 'string' ? piece : encodeValue(value, format)))
    .join('');
}

const hostile = [
  'plain',
  'a"b',
  "a'b",
  'a\\',
  'a: b',
  'a: ',
  '- a',
  'a # b',
  '{a: b}',
  '[OUTPUT]',
  '&a *b',
  '!!binary x',
  '{{secrets.other}}',
  '%TAG',
  '| a',
  '---',
  'ä€😀',
  '"}}, {"name": "exec", "command": "id',
].filter((value) => explainUnsafeValue(value) === undefined);

const yamlTexts = [
  'pipeline:\n  inputs:\n    - name: dummy\n      tag: {{vars.x}}\n',
  'pipeline:\n  inputs:\n    - name: dummy\n      tag: "a {{ vars.x }} b"\n',
  "pipeline:\n  inputs:\n    - name: dummy\n      tag: '{{vars.x}}'\n",
  'pipeline:\n  inputs:\n    - {name: dummy, tag: {{vars.x}}}\n',
  'pipeline:\n  inputs:\n    - name: dummy\n      tag: |\n        first\n        {{vars.x}}\n        last\n',
  'pipeline:\n  inputs:\n    - name: dummy\n      tag: >-\n        a {{vars.x}}\n',
  'pipeline:\n  inputs:\n    - name: dummy\n      tag: a{{vars.x}}{{\tvars.x\t}}\n',
];

describe('a value in YAML', () => {
  it.each(yamlTexts.flatMap((text) => hostile.map((value) => [text, value])))(
    'in %j stays the value %j',
    (text, value) => {
      const read = (written: string) => parseYaml(written);
      const rendered = read(render(text, 'yaml', value));
      const plain = read(render(text, 'yaml', 'PLACE'));
      if (!('node' in rendered) || !('node' in plain)) throw new Error('it cannot be read');
      const shown = (node: unknown) =>
        JSON.stringify(node, (key, one: unknown) => (key === 'place' || key === 'isFlow' ? undefined : one));
      expect(shown(rendered.node)).toBe(
        shown(plain.node).replaceAll('PLACE', JSON.stringify(value).slice(1, -1)),
      );
    },
  );
});

describe('a value in the classic format', () => {
  const text =
    '# {{vars.x}}\n[INPUT]\n    Name dummy\n    Tag  a{{vars.x}}\n    # {{vars.x}}\n\n[OUTPUT]\n    Name null\n    Match *\n';

  it.each(hostile)('stays the value %j', (value) => {
    const { sections, findings } = readClassic(render(text, 'classic', value));
    expect(findings).toEqual([]);
    expect(sections.map(({ properties }) => properties.map(({ value: one }) => one))).toEqual([
      ['dummy', `a${value}`],
      ['null', '*'],
    ]);
  });

  it('is not written into comments', () => {
    expect(render(text, 'classic', 'secret')).toBe(text.replace('a{{vars.x}}', 'asecret'));
  });
});

describe('a text without variables', () => {
  it.each([
    ['yaml', '# a comment {{vars.x}}\npipeline: {}\n'],
    ['yaml', 'a: "{{ .Values }}"\n'],
    ['classic', '[INPUT]\n    Name lua\n    code return {{1}}\n'],
  ] as const)('stays as it is in %s', (format, text) => {
    expect(piecesOf(toTemplate(text, format))).toEqual([text]);
  });
});

describe('explainUnsafeValue', () => {
  it.each([
    '',
    ' ',
    'a\nb',
    'a\r',
    'a\0b',
    '\u2028',
    'a\u0085b',
    ' a',
    'a ',
    '\uE000\uE000vars.x\uE001\uE001',
    '\uFEFFa',
    '\x1b[2J',
  ])('refuses %j', (value) => {
    expect(explainUnsafeValue(value)).toBeTypeOf('string');
  });
});
