import { describe, expect, it } from 'vitest';
import { countWork } from './testing/count-work.ts';

const length = 4_096;

/** What a pattern or a loop may read again and again: beginnings that nothing ends, and ends that nothing began. */
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
  ...['mysql -p', 'mysql -pa ', 'curl -u a:', '-u a:b ', '-u ', '-p', 'snmpget -c '],
];

/** The text grows four times, and the work not much more: what is quadratic would do sixteen times as much. */
describe.each(['redactText', 'redactConfig', 'redactKnownSecrets'] as const)('%s', (name) => {
  it('does work in proportion to the length, whatever is repeated', async () => {
    const findSlow = async (suspects: readonly string[]) => {
      const texts = suspects.flatMap((piece) =>
        [piece, 'x password\n'].flatMap((start) =>
          [length, 4 * length].map((size) => `${start}${piece.repeat(size / piece.length)}`),
        ),
      );
      const counts = await countWork(texts, (loaded, text) => loaded[name](text));
      // Something is counted at all.
      expect(Math.min(...counts)).toBeGreaterThan(0);
      return suspects.filter((_piece, index) =>
        [0, 2].some((offset) => {
          const [small = 0, large = 0] = counts.slice(index * 4 + offset);
          return large > 5 * small + 2_000 || large > 400 * length;
        }),
      );
    };
    // V8 may lose part of a small count when it optimizes meanwhile: work that grows too fast does so each time.
    let slow: readonly string[] = pieces;
    for (let round = 0; round < 3 && slow.length > 0; round += 1) slow = await findSlow(slow);
    expect(slow).toEqual([]);
  });
});
