import { describe, expect, it } from 'vitest';
import { renderVariables, variablesOf } from './render-variables.ts';

const values = {
  agent: new Map([
    ['name', 'edge-1'],
    ['machineID', 'abc'],
  ]),
  vars: new Map([
    ['region', 'eu'],
    ['two', 'a\n[OUTPUT]'],
  ]),
  files: new Map([['parsers.conf', 'parsers.conf']]),
  secrets: new Map([['token', '$&$1']]),
};

describe('renderVariables', () => {
  it('replaces each variable by its value, as it is', () => {
    const text =
      '{{agent.name}} {{ agent.machineID }} {{vars.region}}{{files.parsers.conf}} {{secrets.token}}';
    expect(renderVariables(text, values)).toEqual({ text: 'edge-1 abc euparsers.conf $&$1', findings: [] });
  });

  it('leaves other braces alone', () => {
    const text = `local t = {{1, 2}, {3}} \${HOSTNAME} {{ .Values }} {{vars}} {{vars.}}`;
    expect(renderVariables(text, values)).toEqual({ text, findings: [] });
  });

  it.each([
    ['{{vars.regoin}}', 'Use {{vars.region}}.'],
    ['{{var.region}}', 'Use {{vars.region}}.'],
    ['{{vars.constructor}}', 'Set it, or remove it.'],
  ])('finds %s, which nothing is known by, and leaves it as it is', (written, remedy) => {
    expect(renderVariables(`a\n b ${written}`, values)).toEqual({
      text: `a\n b ${written}`,
      findings: [
        {
          severity: 'error',
          code: 'unknown_variable',
          message: `Nothing is known by the name ${written}.`,
          remedy,
          line: 2,
          column: 4,
        },
      ],
    });
  });

  it('refuses a value whose second line would be configuration', () => {
    expect(renderVariables('x {{vars.two}}', values)).toEqual({
      text: 'x {{vars.two}}',
      findings: [
        {
          severity: 'error',
          code: 'unsafe_value',
          message: 'The value of {{vars.two}} has a line break.',
          remedy: 'Use a value of one line, or a file of the fleet.',
          line: 1,
          column: 3,
        },
      ],
    });
  });
});

describe('variablesOf', () => {
  it('lists each variable once', () => {
    expect(variablesOf('{{vars.b}} {{secrets.a}} {{ vars.b }} {{x}}')).toEqual([
      { scope: 'vars', name: 'b' },
      { scope: 'secrets', name: 'a' },
    ]);
  });
});
