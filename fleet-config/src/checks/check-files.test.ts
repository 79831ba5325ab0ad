import { describe, expect, it } from 'vitest';
import { check, error } from '../testing/check-config.ts';
import type { FleetConfigFile } from './check-files.ts';

describe('the files of a fleet', () => {
  it.each([
    ['../../x', 'has a path'],
    ['a/b.conf', 'has a path'],
    ['a\\b.conf', 'has a path'],
    ['..', 'starts with a dot'],
    ['.hidden', 'starts with a dot'],
    ['', 'is empty'],
    ['a b', 'has a character that is not safe in every file system'],
    ['x'.repeat(129), 'has more than 128 characters'],
    ['config.yaml', 'is one that the agent uses itself'],
    ['Config.YAML', 'is one that the agent uses itself'],
    ['header.conf', 'is one that the agent uses itself'],
    ['header.yaml', 'is one that the agent uses itself'],
    ['1795651762.conf', 'is one that the agent uses itself'],
  ])('must not have the name %j', (name, reason) => {
    expect(check('[INPUT]\n    name dummy\n', { files: [file(name, '')] })).toEqual([
      {
        severity: 'error',
        code: 'bad_file_name',
        message: `The file name '${name}' ${reason}.`,
        remedy: 'Use letters, digits, dots, dashes and underscores, such as parsers.conf.',
        file: name,
      },
    ]);
  });

  it('must not have names that differ only by case', () => {
    const files = [file('a.conf', ''), file('A.conf', '')];
    expect(check('[INPUT]\n    name dummy\n', { files }).map(({ code }) => code)).toEqual([
      'duplicate_file_name',
    ]);
  });

  it.each([
    ['in*-*.conf', []],
    ['*', []],
    ['in*.conf', []],
    ['in*.con', ['file_not_found']],
    ['n*.conf', ['file_not_found']],
    ['in*1*-*.conf', ['file_not_found']],
  ])('are there for an include of %j if their whole name is like it', (pattern, codes) => {
    const files = [file('in-1.conf', '[FILTER]\n    name stdout\n    match *\n')];
    const found = check(`@INCLUDE ${pattern}\n[INPUT]\n    name dummy\n`, { files });
    expect(found.map(({ code }) => code)).toEqual(codes);
  });

  it('are read where the configuration includes them or names them as parsers', () => {
    const files = [
      file('parsers.conf', '[PARSER]\n    name a\n    format regex\n'),
      file('inputs.conf', '[INPUT]\n    name dumy\n'),
      file('unused.conf', 'anything'),
    ];
    expect(
      check('@INCLUDE inp*.conf\n@INCLUDE inputs.conf\n[SERVICE]\n    parsers_file parsers.conf\n', {
        files,
      }),
    ).toEqual([
      {
        ...error('unknown_plugin', "Fluent Bit 5.1.1 has no input 'dumy'.", "Use 'dummy'.", 2, 5),
        file: 'inputs.conf',
      },
      {
        ...error('missing_property', "This parser has no 'regex'.", "Add the property 'regex'.", 1, 1),
        file: 'parsers.conf',
      },
    ]);
  });
});

function file(name: string, text: string): FleetConfigFile {
  return { name, bytes: new TextEncoder().encode(text) };
}
