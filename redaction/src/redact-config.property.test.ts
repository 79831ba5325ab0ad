import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../test/rounds.ts';
import { redactConfig } from './redact-config.ts';

const secretNames = fc
  .tuple(
    fc.constantFrom('', 'x.', 'HTTP_', 'db-', 'my', 'sinks.out.'),
    fc.constantFrom(
      'password',
      'token',
      'api_key',
      'apikey',
      'secret',
      'credentials',
      'shared_key',
      'passwd',
      'Authorization',
    ),
    fc.constantFrom('lower', 'upper', 'capital', 'given'),
  )
  .map(([before, name, letters]) => inLetters(before + name, letters));

function inLetters(name: string, letters: string): string {
  if (letters === 'lower') return name.toLowerCase();
  if (letters === 'upper') return name.toUpperCase();
  return letters === 'capital' ? name.charAt(0).toUpperCase() + name.slice(1) : name;
}

const canary = fc.stringMatching(/^[A-Za-z0-9]{6,12}$/).map((text) => `Canary${text}`);

/** A secret of several canaries, separated by characters that may be mistaken for its end. */
function secretsWith(...between: readonly string[]): fc.Arbitrary<readonly string[]> {
  const further = fc.array(fc.tuple(fc.constantFrom(...between), canary), { maxLength: 3 });
  return fc.tuple(canary, further).map(([first, rest]) => [first, ...rest.flat()]);
}

const anything = [
  '"',
  "'",
  '\\',
  ' ',
  ', ',
  '; ',
  '&',
  '#',
  ' # ',
  '=',
  ': ',
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '<',
  '`',
  '\t',
  '$',
  '|',
];
const noBrackets = anything.filter((text) => !/[,[\]{}]/.test(text) && text !== ': ' && text !== ' # ');
const noBlanks = anything.filter((text) => !/[\s"'`\\]/.test(text));
const linesOfYaml = [...anything.filter((text) => text !== ': '), '\n  ', '\n\n   '];

function escapeQuotes(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&');
}

/** The syntax of a key and its value in each format. */
type Format = readonly [
  name: string,
  between: readonly string[],
  write: (key: string, value: string) => string,
];

const formats: readonly Format[] = [
  ['classic property', anything, (key, value) => `[OUTPUT]\n    name x\n    ${key}  ${value}\n    match *`],
  ['classic header', anything, (key, value) => `    header ${key} ${value}`],
  ['JSON', [...anything, '\n'], (key, value) => JSON.stringify({ a: 1, b: [{ [key]: value, c: 'd' }] })],
  [
    'pretty JSON',
    [...anything, '\n'],
    (key, value) => JSON.stringify({ a: 1, b: [{ [key]: value, c: 'd' }] }, undefined, 2),
  ],
  ['a list in JSON', anything, (key, value) => JSON.stringify({ [key]: ['x', { y: value }], c: 'd' })],
  ['JSON in JSON', anything, (key, value) => JSON.stringify({ a: JSON.stringify({ [key]: value, c: 'd' }) })],
  [
    'plain YAML',
    anything.filter((text) => text !== ' # '),
    (key, value) => `a:\n  - ${key}: ${value}\n    b: c`,
  ],
  ['YAML in double quotes', [...anything, '\n'], (key, value) => `${key}: ${JSON.stringify(value)}\nb: c`],
  ['YAML in single quotes', anything, (key, value) => `${key}: '${value.replaceAll("'", "''")}'\nb: c`],
  ['a YAML block', linesOfYaml, (key, value) => `${key}: |\n  ${value}\nb: c`],
  [
    'a folded YAML block',
    linesOfYaml,
    (key, value) => `a:\r\n- ${key}: >-\r\n    ${value.replaceAll('\n', '\r\n  ')}\r\n  b: c`,
  ],
  ['YAML over lines', linesOfYaml, (key, value) => `${key}: x\n  ${value}\nb: c`],
  ['a YAML list', anything, (key, value) => `${key}:\n- x\n- ${value}\nb: c`],
  ['a YAML map', noBrackets, (key, value) => `a: {b: c, ${key}: ${value}, d: e}`],
  ['a YAML pair', anything, (key, value) => `- name: ${key}\n  value: ${value}\n- name: b`],
  ['TOML', [...anything, '\n'], (key, value) => `[a]\n${key} = ${JSON.stringify(value)}\nb = 1`],
  [
    'a literal in TOML',
    anything.filter((text) => text !== "'"),
    (key, value) => `${key} = '${value}'\nb = 1`,
  ],
  [
    'long TOML',
    [...noBrackets, '\n'].filter((text) => text !== '\\'),
    (key, value) => `${key} = """\n${value} """\nb = 1`,
  ],
  ['an inline table', anything, (key, value) => `a = { b = "c", ${key} = ${JSON.stringify(value)}, d = 1 }`],
  ['a TOML table', anything, (key, value) => `[a.${key}]\nb = ${JSON.stringify(value)}\n[c]`],
  ['Fluentd', anything, (key, value) => `<match a>\n  ${key} ${value}\n</match>`],
  ['Fluentd over lines', [...anything, '\n'], (key, value) => `  ${key} "${escapeQuotes(value)}"\n  b c`],
  ['an environment', anything, (key, value) => `A=b\n${key}=${value}\nC=d`],
  ['a shell', anything, (key, value) => `export ${key}='${value.replaceAll("'", "'\\''")}'\nC=d`],
  ['a flag', [...noBlanks, '\\ ', '\\"'], (key, value) => `cmd --a b --${key}=${value} --c d`],
  ['a flag apart', [...noBlanks, '\\ '], (key, value) => `cmd --a b --${key} ${value} --c d`],
  ['a quoted flag', anything, (key, value) => `cmd --a b --${key} ${JSON.stringify(value)} --c d`],
  ['flags in a list', anything, (key, value) => `["cmd", "--${key}", ${JSON.stringify(value)}, "x"]`],
  ['flags in lines', anything, (key, value) => `args:\n  - --${key}\n  - ${value}\n  - x`],
  ['a flag in a string', anything, (key, value) => `cmd "--${key}=${escapeQuotes(value)}" x`],
  ['flags in strings of a list', anything, (key, value) => JSON.stringify(['cmd', `--${key}=${value}`, 'x'])],
  ['an assignment in a string', anything, (key, value) => `a "${key}=${escapeQuotes(value)}" x`],
  ['a classic header in a string', noBrackets, (key, value) => `header "${key} ${escapeQuotes(value)}" # x`],
  [
    'a key of many words',
    anything,
    (key, value) => `{"The ${key} (prod)": ${JSON.stringify(value)}, "a": 1}`,
  ],
  [
    'a header of curl',
    noBrackets.filter((text) => !/["\\]/.test(text)),
    (key, value) => `curl -H "${key}: ${value}" https://h`,
  ],
  [
    'a URL',
    ['@', '/', ':', '?', '&', ',', '%20'],
    (key, value) => `${key.slice(0, 1)} https://user:${value}@host/x`,
  ],
  ['a query', ['%20', '/', ':', ',', '+'], (key, value) => `uri /x?a=b&${key}=${value}&c=d`],
  ['a data source', ['/', '?', ',', ':', '&'], (_key, value) => `dsn: user:${value}@tcp(h:1)/db`],
  ['libpq', anything, (key, value) => `a: host=h ${key}='${value.replaceAll(/['\\]/g, '\\$&')}' dbname=d`],
  ['ADO', [' ', ',', '=', ' -', '&'], (key, value) => `a: Server=x;${key}=${value};Database=d`],
  [
    'a tag in YAML',
    [...anything, '\n'],
    (key, value) => `a:\n  ${key}: !!str ${JSON.stringify(value)}\n  b: c`,
  ],
  [
    'an anchor in YAML',
    linesOfYaml,
    (key, value) => `a:\n  ${key}: &a |-\n    ${value.replaceAll('\n', '\n  ')}\n  b: c`,
  ],
  [
    'a YAML list behind comments',
    anything,
    (key, value) => `${key}: # all\n\n# first\n- x\n# second\n- ${value}\nb: c`,
  ],
  [
    'brackets on their own lines',
    anything,
    (key, value) => `{\n"${key}":\n[\n${JSON.stringify(value)}\n],\n"b": "c"\n}`,
  ],
  ['an index', anything, (key, value) => `${key}[0]=${value}\n${key}[]: ${value}`],
  [
    'PEM',
    ['\n', '+', '/', '='],
    (_key, value) => `a: |\n-----BEGIN A KEY-----\n${value}\n-----END A KEY-----\nb: c`,
  ],
];

function indent(text: string): string {
  return `  ${text.replaceAll('\n', '\n  ')}`;
}

/** Surrounding lines with quotes and brackets that are never closed. */
const stray = fc.array(
  fc.constantFrom(
    'a b',
    "don't",
    'regex [x',
    'c "d',
    "e 'f",
    '# "',
    'g: {',
    ')',
    '',
    '  h: i',
    '\\',
    '- j',
    'k = (',
    '```',
    '<l>',
  ),
  { maxLength: 4 },
);

describe('redactConfig', () => {
  it.each(formats)('removes secrets completely in %s', (_name, between, write) => {
    fc.assert(
      fc.property(secretNames, secretsWith(...between), stray, stray, (key, secret, before, after) => {
        const config = [...before, write(key, secret.join('')), ...after].join('\n');
        for (const text of [config, JSON.stringify({ config, a: 'b' }), `a: |\n${indent(config)}\nb: c`]) {
          const redacted = redactConfig(text);
          for (const part of secret) if (part.startsWith('Canary')) expect(redacted).not.toContain(part);
          expect(redactConfig(redacted)).toBe(redacted);
        }
      }),
      { numRuns: rounds(150) },
    );
  });

  it('is idempotent', () => {
    const pieces = fc.constantFrom(
      ...[
        'password',
        'token',
        'key',
        'auth',
        'name: token',
        'value',
        '--token',
        'header ',
        'x',
        'Bearer aaaaaaaaaaaaaaaa1',
      ],
      ...[
        ' ',
        '\t',
        '\n',
        '\r\n',
        '\n  ',
        '\n- ',
        ': ',
        ':',
        ' = ',
        '=',
        ',',
        ';',
        '&',
        '?',
        '# ',
        '|',
        '@',
        '/',
        '\\n',
      ],
      ...[
        '"',
        "'",
        '\\',
        '\\"',
        '`',
        '"""',
        "'''",
        '{',
        '}',
        '[',
        ']',
        '(',
        ')',
        '<',
        '[token]\n',
        '@tcp(',
        'a:b@h',
        '://',
      ],
      ...['-----BEGIN KEY-----', '-----END KEY-----', '--redacted--', 'null', '12', '- '],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const redacted = redactConfig(parts.join(''));
        expect(redactConfig(redacted)).toBe(redacted);
      }),
      { numRuns: rounds(20_000) },
    );
  });

  it('changes nothing if no key names a secret', () => {
    const names = fc.constantFrom(
      'name',
      'match',
      'time_key',
      'Tag_Key',
      'log_key',
      'tls.key_file',
      'a',
      'é',
      'user',
      'key_name',
    );
    const values = fc
      .string()
      .filter((text) => !/[\r\n@]|key|auth|hook|cred|pass|token|secret|cookie|psk|pw|sig|jwt/i.test(text));
    const line = fc
      .tuple(
        fc.constantFrom('', '  ', '\t', '- ', '# '),
        names,
        fc.constantFrom(' ', ': ', '=', ' = '),
        values,
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), (lines, lineBreak) => {
        const text = lines.join(lineBreak);
        expect(redactConfig(text)).toBe(text);
      }),
      { numRuns: rounds(1000) },
    );
  });
});

describe('redactConfig, on a text of 4 MiB', () => {
  it.each(['#', '# ', '"', '\\', '-', ' ', '\n', '{', 'a', '-----BEGIN A-----', '-----BEGIN A-----\na'])(
    'that repeats %j, needs no memory that is not there',
    (piece) => {
      const text = `${piece.repeat((4 * 1024 * 1024) / piece.length)}\npassword: x`;
      expect(redactConfig(text).includes('--redacted--')).toBe(true);
    },
  );
});
