import { describe, expect, it } from 'vitest';
import { takesAllRounds } from '../../test/rounds.ts';
import { loadCounted } from './testing/count-work.ts';

const length = takesAllRounds ? 4_096 : 1_024;
/** The limit on steps and characters: more than twice the work of the worst text. */
const maxWorkPerCharacter = 50;

/** Texts that a pattern or a loop may read repeatedly: openings without an end, and ends without an opening. */
const pieces = [
  ...[
    'a',
    'é',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '"',
    "'",
    '`',
    '\\',
    '\\"',
    '"""',
    "'\\'",
    '#',
    '#\n',
    '-',
    '- ',
    '$',
  ],
  ...['{', '[{(', ':', '=', ',', ';', '|', '@', '//', '://', '://a', '://a:', '://a:b@', '://a:b@c ', 'a.b.'],
  ...['password', 'password ', 'password=', 'password: ', 'x password=a ', 'pw 1\n', 'token "', "token '\n"],
  ...['token=\\', 'token\\"', '--token ', 'token[', "--token='", '- --token\n', '--token \\\n', 'token:\n'],
  ...[
    'token: |\n ',
    '{token:',
    '{"token":"a",',
    '{"a":[{"token":[',
    '&key=a',
    ';pwd=a',
    ',token=',
    '"token":\n',
  ],
  ...['name: token\nvalue: x\n', '[token]\na=b\n', '@tcp(', 'a:b@tcp(', "it's ", '# token:\n', 'token:\n#\n'],
  ...[
    '-----BEGIN A-----',
    '-----BEGIN',
    '-----END A-----',
    '-----BEGIN A-----\n-',
    'bearer ',
    'Bearer a',
    'basic a=',
  ],
  ...[
    'eyJ',
    'eyJ-',
    'eyJaaaaaaaa',
    'eyJaaaaaaaa.',
    'mst_p_',
    'AKIA',
    'ghp_',
    'sk-',
    'xoxb-',
    'SG.',
    'glpat-.',
  ],
  ...['/hooks/', '/hooks/a-', '/services/T00/B00/', '/api/webhooks/1/', '/v1/input/', '/bot1:', '/webhook/'],
  ...[
    'API KEY ',
    'API KEY: ',
    'authorization: a ',
    'Authorization: ',
    '\\u0070',
    '\\u0022token\\u0022:',
    '"\\u0022',
  ],
  ...[
    '%3A%2F%2F',
    '%3a%2f%2fa%3ab%40',
    ' //',
    ' //a:b@',
    '://a%3ab',
    '%40',
    '\\u0040',
    ':\\u002f\\u002fa\\u003a',
  ],
  ...[
    'Bearer "',
    'Bearer \\"a',
    '\u00a0',
    'token\u00a0',
    '? token\n',
    '? token\n\n',
    '? ',
    ': a\n',
    '? a\n: ',
  ],
  ...[
    '<password>',
    '<password>a',
    '<a',
    '<a ',
    '</a>',
    '</password>',
    '<key>token</key>',
    '<key>token</key><',
    '<![CDATA[',
    '<password><![CDATA[',
  ],
  ...['\\u003cpassword\\u003ea', 'token = <<EOF\n', 'token = <<EOF\nEO\n', '<<EOF ', 'EOF\n', 'token=<<E'],
  ...[
    '\u200b',
    'a\u200b',
    'pass\u200bword=',
    '?code=',
    '?code=a',
    '&code=a1',
    ' -p',
    ' -pA1',
    ' -pA',
    'docker login',
    'docker ',
    '7z',
  ],
  ...['password(', 'password("', 'password("a" "b" ', "password('a' 'b' ", 'token (\\"', 'token(abcd', 'a('],
  ...['pin=', 'otp', 'pat', 'pat ', 'otp_seed=1 '],
  ...['mysql -p', 'mysql -pa ', 'curl -u a:', '-u a:b ', '-u ', '-p', 'snmpget -c '],
];

const countWork = loadCounted();

/** The text grows by a factor of four, and so does linear work. Quadratic work would grow by sixteen. */
describe.each(['redactText', 'redactConfig', 'redactKnownSecrets'] as const)('%s', (name) => {
  it('does work proportional to the length, whatever is repeated', () => {
    const work = (text: string): number => countWork((loaded) => loaded[name](text));
    const slow = pieces.filter((piece) =>
      [piece, 'x password\n'].some((start) => {
        const small = work(start + piece.repeat(length / piece.length));
        const large = work(start + piece.repeat((4 * length) / piece.length));
        return large > 4.5 * small || large > maxWorkPerCharacter * 4 * length;
      }),
    );
    expect(slow).toEqual([]);
  });

  it('does little work on a large text, whatever is repeated', () => {
    const size = takesAllRounds || name === 'redactConfig' ? 2 ** 20 : 2 ** 18;
    const work = (piece: string, length: number): number =>
      countWork((loaded) => loaded[name](piece.repeat(length / piece.length)));
    const shapes = ['key:\n', '"key":\n', ',key=', '-\n', 'a: |\n', '[', '{"a":', '<a>', '\\', 'a'];
    for (const piece of shapes) {
      const whole = work(piece, size);
      expect(whole).toBeLessThanOrEqual(2.3 * work(piece, size / 2));
      if (name === 'redactConfig') expect(whole).toBeLessThanOrEqual(16 * size);
    }
  });

  it('does the same work for the same text', () => {
    const work = (): number => countWork((loaded) => loaded[name]('password: secret'));
    const first = work();
    // The counter works.
    expect(first).toBeGreaterThan('password: secret'.length);
    expect(Array.from({ length: 1_000 }, work)).toEqual(Array(1_000).fill(first));
  });
});
