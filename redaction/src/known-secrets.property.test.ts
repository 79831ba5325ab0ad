// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configurations refer to variables in this form.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../test/rounds.ts';
import { maxGrowth, redactConfig } from './redact-config.ts';
import { redactKnownSecrets } from './redact-known-secrets.ts';
import { redactText } from './redact-text.ts';
import { knownShapes } from './secrets/known-shapes.ts';

const seed = 20_251;

const upper = fc.stringMatching(/^[A-Z0-9]{40}$/);
const hex = fc.stringMatching(/^[0-9a-f]{40}$/);
const mixed = fc.stringMatching(/^[A-Za-z][0-9][A-Za-z0-9]{38}$/);
const uuids = hex.map((text) => text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5'));

/** A secret for each prefix, with the part that must be removed. */
const bodies: readonly (readonly [
  prefix: RegExp,
  body: fc.Arbitrary<string>,
  write?: (body: string) => string,
])[] = [
  [/^A[KS]IA|^NR/, upper],
  [/^do[opr]_v1_|^dapi|^key-|^shp|^\/integration/, hex],
  [/^eyJ/, mixed, (body) => `${body}.${body}.${body}`],
  [/^SG\./, mixed, (body) => `${body}.${body}`],
  [/^dt0/, upper, (body) => `.${body.slice(0, 24)}.${body}`],
  [/^\/(services|workflows)/, mixed, (body) => `T024BE7LH/B01ABCDEF/${body}`],
  [/^\/triggers/, mixed, (body) => `T024BE7LH/1234567890/${body}`],
  [/^\/api\/webhooks/, mixed, (body) => `123456789012345678/${body}`],
  [/^\/bot/, mixed, (body) => `123456789:${body}`],
  [/^\/agent_listener/, mixed, (body) => `17/${body}`],
  [/^\/(inputs|bulk|noformat)/, uuids],
  [/^\/webhook/, uuids, (body) => `${body}@${body}/IncomingWebhook/${body}`],
  [/^\/hooks\/catch/, mixed, (body) => `123456/${body}`],
  [/./, mixed],
];

const secrets = fc.constantFrom(...knownShapes).chain(({ prefix }) => {
  const [, body, write = (text: string) => text] = bodies.find(([pattern]) => pattern.test(prefix)) ?? [];
  if (body === undefined) throw new Error(`no secret for ${prefix}`);
  return body.map((canary) => ({ canary, text: prefix + write(canary), isPath: prefix.startsWith('/') }));
});

/** Contexts in which a secret may occur. */
const positions: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `cannot use ${secret}: denied`,
  (secret) => `"${secret}"`,
  (secret) => `'${secret}',`,
  (secret) => `(${secret})`,
  (secret) => `<${secret}>`,
  (secret) => `a=${secret}&b=c`,
  (secret) => `a:\n  - ${secret}\n  - b`,
  (secret) => JSON.stringify({ a: `b\n${secret}\nc`, d: 1 }),
  (secret) => JSON.stringify({ a: JSON.stringify({ b: secret }) }),
  (secret) => `x%20${secret}`,
  (secret) => `# ${secret}`,
  (secret) => `    header X-Any ${secret}`,
  (secret) => `--any=${secret} --other`,
];

const functions = { redactConfig, redactText, redactKnownSecrets } as const;

describe.each(Object.entries(functions))('%s', (_name, redact) => {
  it('removes secrets of known shape completely, in any context', () => {
    fc.assert(
      fc.property(secrets, fc.constantFrom(...positions), ({ canary, text, isPath }, position) => {
        const given = position(isPath ? `https://example.com${text}` : text);
        const redacted = redact(given);
        expect(redacted).not.toContain(canary);
        expect(redacted).toContain('--redacted--');
        expect(redact(redacted)).toBe(redacted);
      }),
      { seed, numRuns: rounds(3_000) },
    );
  });

  it.each([
    [
      'a URL in a query',
      (secret: string) => `u=https%3A%2F%2Fuser%3A${secret}%40host%2Fx&mail=a%40b`,
      '%40host%2Fx',
    ],
    ['a URL in a query of a query', (secret: string) => `http%253a%252f%252fu%253a${secret}%2540h`, '%2540h'],
    ['a URL with an encoded colon', (secret: string) => `https://u%3A${secret}@host/`, '@host/'],
    [
      'a URL with escapes',
      (secret: string) => `http:\\u002f\\u002fu\\u003A${secret}\\u0040h/x`,
      '\\u0040h/x',
    ],
    ['a URL with escapes of YAML', (secret: string) => `"http:\\x2f\\x2fu:${secret}\\x40h"`, '\\x40h"'],
    ['a URL without scheme', (secret: string) => `from //u:${secret}@h/x`, '@h/x'],
    ['a URL without scheme in JSON', (secret: string) => `"\\/\\/u:${secret}@h"`, '@h"'],
    ['a quoted credential', (secret: string) => `Bearer "${secret}" x`, '" x'],
    ['a quoted credential in JSON', (secret: string) => `{\\"a\\":\\"Basic '${secret}'\\"}`, `'\\"}`],
  ])('removes the secret in %s, and keeps what follows', (_, write, rest) => {
    const canary = 'cAnary12';
    for (const secret of [canary, `${canary}-0123456789`]) {
      const redacted = redact(write(secret));
      expect(redacted).not.toContain(canary);
      // In doubt, configurations lose more.
      expect(redacted).toContain(`--redacted--${redact === redactConfig ? '' : rest}`);
      expect(redact(redacted)).toBe(redacted);
    }
  });

  it.each([
    'https%3A%2F%2Fhost%3A8080%2Fpath%40x',
    '// see a:b, or mail me@host',
    'http://[::1]:80//a:b',
    'host:%20a%40b',
  ])('keeps %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('covers every prefix', () => {
    for (const { prefix } of knownShapes) {
      const longer = knownShapes.filter((one) => one.prefix !== prefix && one.prefix.startsWith(prefix));
      const [example] = fc.sample(
        secrets.filter(
          ({ text }) => text.startsWith(prefix) && !longer.some((one) => text.startsWith(one.prefix)),
        ),
        { seed, numRuns: 1 },
      );
      expect(redact(example?.text ?? '')).toBe(`${prefix.startsWith('/') ? prefix : ''}--redacted--`);
    }
  });

  it.each(['basic', 'Bearer', 'SPLUNK', 'ApiKey', 'Negotiate', 'token'])(
    'knows what follows %s',
    (scheme) => {
      fc.assert(
        fc.property(mixed, fc.constantFrom(...positions.slice(0, 8)), (canary, position) => {
          const redacted = redact(position(`${scheme} ${canary}`));
          expect(redacted).not.toContain(canary);
          expect(redact(redacted)).toBe(redacted);
        }),
        { seed, numRuns: rounds(200) },
      );
    },
  );

  it('is idempotent, keeps the number of lines, and limits growth', () => {
    const pieces = fc.constantFrom(
      ...[
        'password',
        'token',
        'API KEY',
        'auth',
        'name: token',
        'value',
        '--token',
        '-u a:b',
        'mysql -pa',
        'header ',
        'x',
      ],
      ...[
        'snmpget -c a',
        '-u',
        '-p',
        '--user=a:b',
        'curl ',
        'Authorization',
        'Basic a1b2c3d4e5',
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
        '\\',
      ],
      ...[
        '"',
        "'",
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
        '%20',
      ],
      ...[
        '-----BEGIN KEY-----',
        '-----END KEY-----',
        '--redacted--',
        'null',
        '12',
        '- ',
        '\\u0022',
        '\\u0070',
        '\\u005c',
      ],
      ...[
        'AKIAABCDEFGHIJKLMNOP',
        'ghp_',
        'a'.repeat(20),
        'eyJhbGciOi.',
        'mst_p_',
        ...[
          '%3A%2F%2Fu%3A',
          '%40',
          ' //u:',
          '://u%3a',
          '\\u0040',
          ':\\u002f\\u002f',
          'Bearer "',
          '\u00a0',
          '? ',
        ],
        ...[
          '<password>',
          '</password>',
          '<key>',
          '</key>',
          '<<EOF',
          'EOF',
          '?code=',
          '\u200b',
          ' -pA1b!',
          'pin=',
          '<![CDATA[',
        ],
        'xoxb-',
        '/hooks/',
        '/services/',
        'T00/B00/',
      ],
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const given = parts.join('');
        const redacted = redact(given);
        expect(redact(redacted)).toBe(redacted);
        expect(redacted.length).toBeLessThanOrEqual(4 * given.length + 12);
        if (redact === redactConfig) expect(linesOf(redacted)).toBe(linesOf(given));
        else expect(linesOf(redacted)).toBeLessThanOrEqual(linesOf(given));
      }),
      { seed, numRuns: rounds(20_000) },
    );
  });
});

/** Each is written with a name or a syntax of its own. */
const named: readonly (readonly [form: string, write: (secret: string) => string])[] = [
  ['an XML element', (secret) => `<password>${secret}</password>`],
  ['an XML element with a namespace', (secret) => `<a:api-key xml:space="x">${secret}</a:api-key>`],
  ['an XML element with CDATA', (secret) => `<db.password><![CDATA[${secret}<]]></db.password>`],
  ['an XML element on lines of its own', (secret) => `<clientSecret>\n  ${secret}\n</clientSecret>`],
  ['an XML element in the JSON of Go', (secret) => `\\u003cpassword\\u003e${secret}\\u003c/password\\u003e`],
  ['a property list', (secret) => `<key>password</key><string>${secret}</string>`],
  ['a property of Java', (secret) => `<name>db.password</name>\n<value>${secret}</value>`],
  ['a heredoc', (secret) => `db_password = <<EOF\nx\n${secret}\nEOF\n`],
  ['a heredoc that mentions its end', (secret) => `token = <<EOF\nEOFS\nno EOF \n${secret}\nEOF\n`],
  ['an indented heredoc', (secret) => `  api_token = <<-END\n    ${secret}\n  END\n`],
  ...[
    ...['GITHUB_PAT', 'pat', 'azurePat', 'otp_seed', 'totp', 'OTP', 'pin', 'SIM_PIN', 'vpn-otp'],
    ...['pass\u200bword', '\u2060token', 'api\u00ad_key', 'secret\u200d', 'tok\ufeffen', 'p\u200ba\u200bt'],
  ].flatMap((name): [string, (secret: string) => string][] => [
    [`${JSON.stringify(name)} with a colon`, (secret) => `${name}: ${secret}`],
    [`${JSON.stringify(name)} with a sign`, (secret) => `${name}=${secret}`],
  ]),
  ['the flag of mysql', (secret) => `mysql -h db -p${secret}`],
  ['the flag of a command by its path', (secret) => `/usr/bin/mysqldump -u root -p${secret} db`],
  ['the flag of any command', (secret) => `backup -v -p${secret}X`],
  ['the flag of a login', (secret) => `docker login -u bob -p ${secret} registry`],
  ['the flag of an archive', (secret) => `7z x -p${secret} a.7z`],
  ['a flag with one dash', (secret) => `keytool -storepass ${secret}`],
];

describe.each(Object.entries({ redactConfig, redactText }))('%s', (_name, redact) => {
  it.each(named)('removes the secret in %s, in any context', (_form, write) => {
    fc.assert(
      fc.property(mixed, fc.constantFrom(...positions), (canary, position) => {
        const redacted = redact(position(write(canary)));
        expect(redacted).not.toContain(canary);
        expect(redact(redacted)).toBe(redacted);
      }),
      { seed, numRuns: 60 },
    );
  });
});

describe.each(Object.entries(functions))('%s', (_name, redact) => {
  it.each(['?', '&', '&amp;', '\\u0026', '%3F', '%26'])(
    'removes the code behind %s of a query, in any context',
    (before) => {
      fc.assert(
        fc.property(mixed, fc.constantFrom(...positions), (canary, position) => {
          const given = position(
            `https://host/path${before}code${before.startsWith('%') ? '%3D' : '='}${canary}`,
          );
          const redacted = redact(given);
          expect(redacted).not.toContain(canary);
          expect(redacted).toContain('--redacted--');
          expect(redact(redacted)).toBe(redacted);
        }),
        { seed, numRuns: 60 },
      );
    },
  );
});

describe.each(Object.entries(functions))('%s', (_name, redact) => {
  it.each([
    'GET /status?code=404&text=x',
    'https://host/?code=ECONNREFUSED',
    'exit code=137, status&code=50213',
    '<match app.**>\n  @type copy\n</match>',
    '<source>\n  <parse>\n    @type json\n  </parse>\n</source>',
    '<key>CFBundleName</key><string>agent</string>',
    'usage: agent <token> </dev/null',
    'path: /var/log/pattern.log\ncompat: 12\nspin=3\nhotplug: 1\npinned: 2\nping: 10ms',
    'gcc -pipe -pthread -pedantic -python3 -p1 -path /x -port 80',
    'docker run -p 8080:80 -p127.0.0.1:80:80/tcp -p 53:53/udp image',
    'tar -pxzf a1.tar.gz; mkdir -p/srv/App1; ssh -p2222 host; java -pl=Mod1',
    'a <<EOF\nb\nEOF\n',
    'name\u200b: x, \u202bمرحبا\u202c, می\u200cخواهم',
    '\ufeff[SERVICE]\n    flush 1\n',
    'wrong PIN: try again',
  ])('keeps %j', (text) => {
    expect(redact(text)).toBe(
      redact === redactConfig && text.includes('PIN') ? 'wrong PIN: --redacted--' : text,
    );
  });
});

it('keeps joiners of other scripts in a text with a secret', () => {
  expect(redactConfig('# می\u200cخواهم\ntok\u200ben: x')).toBe('# می\u200cخواهم\ntoken: --redacted--');
});

describe('redactKnownSecrets', () => {
  it('keeps what a parser quotes', () => {
    const text = 'unexpected token "abcDEF0123456789abc"';
    expect(redactKnownSecrets(text)).toBe(text);
  });
});

describe('redactConfig', () => {
  it('replaces a text with more names of secrets than any configuration has', () => {
    const line = 'key: ${KEY}\n';
    expect(redactConfig(line.repeat(16_384))).toBe(line.repeat(16_384));
    const redacted = redactConfig(line.repeat(16_385));
    expect(redacted).toBe(`--redacted--${'\n'.repeat(16_385)}`);
    expect(redactConfig(redacted)).toBe(redacted);
    // Those in strings count too.
    expect(redactConfig(JSON.stringify({ a: line.repeat(16_385) }))).toBe('--redacted--');
  });

  it.each([
    'pw 1\n',
    '{"pw":1},',
    '[pw]\na=1\n',
    ',pw=1',
    '"pw=1"\n',
    'pw\n\n',
    '-u a:b\n',
    '://a:b@\n',
    "'pw 1'\\n",
  ])('limits the growth of a text that repeats %j', (piece) => {
    const given = piece.repeat(400_000 / piece.length);
    const redacted = redactConfig(given);
    expect(redacted.length).toBeLessThanOrEqual(given.length + maxGrowth);
    expect(linesOf(redacted)).toBe(linesOf(given));
    expect(redactConfig(redacted)).toBe(redacted);
  });
});

function linesOf(text: string): number {
  return text.split(/\r\n|\r|\n/).length;
}
