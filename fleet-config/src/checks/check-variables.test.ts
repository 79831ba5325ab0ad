import { describe, expect, it } from 'vitest';
import { checkVariables } from './check-variables.ts';

const known = {
  vars: new Set(['region', 'port']),
  partial: new Set(['port']),
  secrets: new Set(['db_password']),
};

function found(text: string, format: 'classic' | 'yaml' = 'yaml') {
  return checkVariables(text, format, ['parsers.conf'], known).map(
    ({ severity, code, remedy, line }) => `${severity} ${code} in line ${line}: ${remedy}`,
  );
}

const inTag = (variable: string) => `pipeline:\n  inputs:\n    - name: dummy\n      tag: ${variable}\n`;

describe('checkVariables', () => {
  it.each([
    '{{vars.region}}',
    '{{secrets.db_password}}',
    '{{agent.name}}',
    '{{agent.machineID}}',
    '{{files.parsers.conf}}',
  ])('accepts %s', (variable) => {
    expect(found(inTag(variable))).toEqual([]);
    expect(found(`[INPUT]\n    Name dummy\n    Tag ${variable}\n`, 'classic')).toEqual([]);
  });

  it.each([
    ['{{vars.regoin}}', 'Use {{vars.region}}.'],
    ['{{var.region}}', 'Use {{vars.region}}.'],
    ['{{vars.constructor}}', 'Set it, or remove it.'],
    ['{{secrets.db_pasword}}', 'Use {{secrets.db_password}}.'],
    ['{{agent.machine_id}}', 'Use {{agent.machineID}}.'],
  ])('finds %s, which nothing is known by, with its line', (variable, remedy) => {
    expect(found(inTag(variable))).toEqual([`error unknown_variable in line 4: ${remedy}`]);
  });

  it('warns of what only some agents have', () => {
    expect(found(inTag('{{vars.port}}'))).toEqual([
      'warning unknown_variable in line 4: Set a value for the whole fleet too.',
    ]);
  });

  it('accepts any name where it is not known what is set, but no unknown scope', () => {
    expect(checkVariables(inTag('{{vars.anything}}'), 'yaml', [], undefined)).toEqual([]);
    expect(checkVariables(inTag('{{vras.a}}'), 'yaml', [], undefined)).toHaveLength(1);
    expect(checkVariables(inTag('{{agent.nmae}}'), 'yaml', [], undefined)).toHaveLength(1);
  });

  it.each([
    'pipeline:\n  inputs:\n    - name: {{vars.region}}\n',
    'pipeline:\n  inputs:\n    - name: dummy\n      {{vars.region}}: x\n',
    'includes:\n  - {{vars.region}}.yaml\n',
    'pipeline:\n  filters:\n    - name: lua\n      code: |\n        x = "{{vars.region}}"\n',
  ])('refuses a variable that could change what the configuration means: %j', (text) => {
    expect(found(text)).toEqual([expect.stringContaining('error misplaced_variable in line')]);
  });

  it.each([
    '[INPUT]\n    Name {{vars.region}}\n',
    '[{{vars.region}}]\n    Name dummy\n',
    '[INPUT]\n    Name dummy\n    {{vars.region}} x\n',
    '@INCLUDE {{vars.region}}\n',
    '@SET a={{vars.region}}\n',
  ])('also in the classic format: %j', (text) => {
    expect(found(text, 'classic')).toEqual([expect.stringContaining('error misplaced_variable')]);
  });

  it('leaves comments and other braces alone', () => {
    expect(found('# {{vars.nothing}}\npipeline: {}\n')).toEqual([]);
    expect(found(inTag('"{{ .Values }}"'))).toEqual([]);
  });
});
