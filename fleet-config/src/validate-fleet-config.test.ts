import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../test/rounds.ts';
import type { Finding } from './finding.ts';
import { check, error } from './testing/check-config.ts';

describe('a configuration of the classic format', () => {
  it('has no findings if Fluent Bit loads it', () => {
    expect(
      check(`@SET level=info
# A comment at the start of a line has no indentation.
[SERVICE]
    flush        1
    log_level    \${level}

[INPUT]
    Name         tail
    # An indented comment has the indentation of the keys.
    Path         /var/log/*.log
    Mem_Buf_Limit 5MB

[OUTPUT]
    name         forward
    match        *
    net.io_timeout 60s
    tls          on
`),
    ).toEqual([]);
  });

  it.each<[what: string, text: string, finding: Finding]>([
    [
      'names an unknown plugin',
      '[INPUT]\n    name dumy\n',
      error('unknown_plugin', "Fluent Bit 5.1.1 has no input 'dumy'.", "Use 'dummy'.", 2, 5),
    ],
    [
      'names a plugin of another kind',
      '[INPUT]\n    name grep\n',
      error(
        'unknown_plugin',
        "Fluent Bit 5.1.1 has no input 'grep', but a filter of this name.",
        undefined,
        2,
        5,
      ),
    ],
    [
      'has a section without a name',
      '[OUTPUT]\n    match *\n',
      error(
        'missing_property',
        "This output has no 'name', so Fluent Bit does not know which plugin it is.",
        "Add the property 'name'.",
        1,
        1,
      ),
    ],
    [
      'names an unknown property',
      '[INPUT]\n    name dummy\n    rte 5\n',
      error('unknown_property', "The input 'dummy' has no property 'rte'.", "Use 'rate'.", 3, 5),
    ],
    [
      'names an unknown property of the network',
      '[OUTPUT]\n    name http\n    net.io_timout 5\n',
      error(
        'unknown_property',
        "The output 'http' has no property 'net.io_timout'.",
        "Use 'net.io_timeout'.",
        3,
        5,
      ),
    ],
    [
      'has a switch that is neither on nor off',
      '[OUTPUT]\n    name http\n    tls onn\n',
      error('bad_value', "'tls' of the output 'http' has to be 'on' or 'off'.", 'Correct the value.', 3, 5),
    ],
    [
      'has too few words in a value',
      '[FILTER]\n    name record_modifier\n    match *\n    record a\n',
      error(
        'bad_value',
        "'record' of the filter 'record_modifier' has to be at least 2 texts with spaces between them.",
        'Correct the value.',
        4,
        5,
      ),
    ],
    [
      'has a header without an end',
      '[INPUT\n    name dummy\n',
      error(
        'bad_section_header',
        "'[INPUT' is no header of a section: its ']' is missing.",
        "Write a name in brackets, such as '[INPUT]'.",
        1,
        1,
      ),
    ],
    [
      'has a key without a value',
      '[INPUT]\n    name\n',
      error('missing_value', "'name' has no value.", 'Give it a value, or remove the line.', 2, 5),
    ],
    [
      'separates a key by a tab',
      '[INPUT]\n    name\tdummy\n',
      error(
        'missing_value',
        "A tab separates 'name\tdummy'.",
        'Put a space between the key and its value.',
        2,
        5,
      ),
    ],
    [
      'has a comment with another indentation',
      '[INPUT]\n    name dummy\n  # rate\n',
      error(
        'bad_indentation',
        'The line starts with 2 spaces, but line 2 with 4 spaces: Fluent Bit wants the same indentation in the whole file, of comments and blank lines too.',
        'Start the line with 4 spaces.',
        3,
        1,
      ),
    ],
    [
      'has a key without indentation',
      '[INPUT]\nname dummy\n',
      error(
        'bad_indentation',
        "'name dummy' is not indented.",
        'Indent the keys of a section, all by the same number of spaces.',
        2,
        1,
      ),
    ],
    [
      'has a key outside of a section',
      '    name dummy\n',
      error(
        'misplaced_section',
        "'name' is in no section.",
        "Put a header such as '[SERVICE]' above it.",
        1,
        5,
      ),
    ],
    [
      'contains a parser',
      '[PARSER]\n    name a\n    format json\n',
      error(
        'misplaced_section',
        "Fluent Bit refuses the section 'PARSER' in a configuration of the classic format.",
        "Put it into a file of the fleet, and name the file as 'parsers_file' in [SERVICE].",
        1,
        1,
      ),
    ],
    [
      'contains the plugin that belongs in the agent’s own file',
      '[CUSTOM]\n    name calyptia\n    api_key x\n',
      error(
        'custom_forbidden',
        'The plugin calyptia must not be in the configuration of a fleet: the agent would register a second time.',
        "Remove this section. It belongs in the agent's own file.",
        1,
        1,
      ),
    ],
    [
      'names a file that the fleet does not have',
      '[SERVICE]\n    parsers_file parsers.conf\n',
      error(
        'file_not_found',
        "The fleet has no file 'parsers.conf'.",
        'Add the file to the fleet, or give the absolute path of a file that every host has.',
        2,
        5,
      ),
    ],
    [
      'names a script that the fleet does not have',
      '[FILTER]\n    Name Lua\n    Match *\n    Script a.lua\n    call f\n',
      error(
        'file_not_found',
        "The fleet has no file 'a.lua'.",
        'Add the file to the fleet, or give the absolute path of a file that every host has.',
        4,
        5,
      ),
    ],
    [
      'includes a file that the fleet does not have',
      '@INCLUDE inputs/*.conf\n[INPUT]\n    name dummy\n',
      error(
        'file_not_found',
        "The fleet has no file 'inputs/*.conf'.",
        'Add the file to the fleet, or give the absolute path of a file that every host has.',
        1,
        1,
      ),
    ],
    [
      'has an unknown section, which Fluent Bit ignores',
      '[INPUTT]\n    name dummy\n',
      {
        ...error(
          'unknown_section',
          "Fluent Bit ignores 'INPUTT', because it knows no section of this name.",
          "Use 'INPUT'.",
          1,
          1,
        ),
        severity: 'warning',
      },
    ],
    [
      'has an unknown property of the service, which Fluent Bit ignores',
      '[SERVICE]\n    flsh 1\n',
      {
        ...error(
          'unknown_property',
          "Fluent Bit ignores 'flsh', because 'service' has no property of this name.",
          "Use 'flush'.",
          2,
          5,
        ),
        severity: 'warning',
      },
    ],
  ])('is found if it %s', (_, text, finding) => {
    expect(check(text)).toEqual([finding]);
  });

  it('may have a variable in the place of any name or value', () => {
    expect(
      check(`[OUTPUT]\n    name \${OUTPUT}\n    anything 1\n[OUTPUT]\n    name http\n    tls {{vars.tls}}\n`),
    ).toEqual([]);
  });

  it('may name plugins that it loads from files', () => {
    const text = '[SERVICE]\n    plugins_file /etc/plugins.conf\n[INPUT]\n    name mine\n';
    expect(check(text).map(({ severity, code }) => [severity, code])).toEqual([
      ['warning', 'unknown_plugin'],
    ]);
  });
});

describe('the text of a configuration', () => {
  it.each<[what: string, text: string, code: string]>([
    ['has nothing in it', '# nothing\n', 'empty'],
    ['starts with a byte order mark', '\uFEFF[INPUT]\n    name dummy\n', 'byte_order_mark'],
    ['has a NUL', '[INPUT]\n    name dummy\0\n', 'not_utf8'],
    [
      'is larger than any agent accepts',
      `[INPUT]\n    name dummy\n    dummy ${'x'.repeat(10 * 1024 * 1024)}\n`,
      'too_large',
    ],
  ])('is refused if it %s', (_, text, code) => {
    expect(check(text).map((finding) => [finding.severity, finding.code])).toEqual([['error', code]]);
  });

  it('is named with at most 100 findings, of which errors stay', () => {
    const findings = check(`[SERVICE]\n${'    flsh 1\n'.repeat(150)}[INPUT]\n    name dumy\n`);
    expect(findings).toHaveLength(101);
    expect(findings.at(-2)?.code).toBe('unknown_plugin');
    expect(findings.at(-1)).toEqual({
      severity: 'warning',
      code: 'too_many_findings',
      message: 'There are 51 more findings.',
      remedy: 'Correct these first.',
    });
  });

  it('never throws, whatever it is', () => {
    const piece = fc.constantFrom(
      '[INPUT]',
      '[',
      ']',
      '\n',
      '    ',
      '\t',
      'name',
      ' dummy',
      ': ',
      '- ',
      '{',
      '}',
      '{{vars.x}}',
      '&a',
      '*a',
      '|',
      '"',
      "'",
      '#',
      '@INCLUDE ',
      '@SET ',
      'pipeline:',
      'inputs:',
      '!x',
      '\r',
      '\u2028',
      '%',
      '---',
      '...',
      '?',
      ',',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.constantFrom('classic', 'yaml', 'json'),
        (pieces, format) => {
          const findings = check(pieces.join(''), { configFormat: format });
          expect(findings.every(({ message }) => message.endsWith('.'))).toBe(true);
        },
      ),
      { numRuns: rounds(3000) },
    );
  });
});

describe('names that no schema knows', () => {
  const text = '[INPUT]\n    name dumy\n[INPUT]\n    name dummy\n    rte 1\n';

  it('are warnings if names are not to be checked', () => {
    expect(check(text, { skipNames: true }).map(({ severity }) => severity)).toEqual(['warning', 'warning']);
  });

  it('are warnings if the agents are newer than the schema', () => {
    const severities = (minFluentBitVersion: string) =>
      check(text, { minFluentBitVersion }).map(({ severity }) => severity);
    expect(severities('5.2.0')).toEqual(['warning', 'warning']);
    expect(severities('v10.0.0')).toEqual(['warning', 'warning']);
    expect(severities('5.1.1')).toEqual(['error', 'error']);
    expect(severities('4.2.0')).toEqual(['error', 'error']);
  });
});

describe('configurations with the faults that Fluent Bit has reported', () => {
  it.each([
    ['bad-plugin.conf', ['unknown_plugin']],
    ['bad-prop.conf', ['unknown_property']],
    ['bad-yaml.yaml', ['invalid_yaml']],
    ['key.conf', ['missing_property']],
    ['parsers-bad.conf', ['file_not_found']],
    // What these do wrong shows only when they run.
    ['es.conf', []],
    ['filter.conf', []],
    ['portinuse.conf', []],
    ['refused.conf', []],
    ['selfreport.conf', []],
    ['store.conf', []],
    ['tail-missing.conf', []],
    ['tls.conf', []],
  ])('%s', (name, codes) => {
    const text = readFileSync(new URL(`../../samples/fluent-bit/${name}`, import.meta.url), 'utf8');
    const configFormat = name.endsWith('.yaml') ? 'yaml' : 'classic';
    expect(check(text, { configFormat }).map(({ code }) => code)).toEqual(codes);
  });
});
