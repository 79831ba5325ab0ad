// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configurations refer to variables in this form.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { redactConfig } from './redact-config.ts';

const samples = new URL('../../samples/', import.meta.url);

/** Each case: the text, and the redacted text. */
type Cases = readonly (readonly [before: string, after: string])[];

function expectEach(cases: Cases): void {
  for (const [before, after] of cases) {
    expect(redactConfig(before)).toBe(after);
    expect(redactConfig(after)).toBe(after);
  }
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

describe('redactConfig, by format', () => {
  it('redacts the properties of classic Fluent Bit, in any case and with any blanks', () => {
    expectEach([
      [
        '[OUTPUT]\n    name  es\n    http_user  bob\n    http_passwd  pa ss # "x"\n    match  *\n',
        '[OUTPUT]\n    name  es\n    http_user  bob\n    http_passwd  --redacted--\n    match  *\n',
      ],
      ['\tSPLUNK_TOKEN\tabc\r\n\tHost\th\r\n', '\tSPLUNK_TOKEN\t--redacted--\r\n\tHost\th\r\n'],
      ['    cloud_auth elastic:pw', '    cloud_auth --redacted--'],
      ['    bearer_token a.b-c', '    bearer_token --redacted--'],
      ['    Shared_Key a==', '    Shared_Key --redacted--'],
      ['    apikey "a b"', '    apikey "--redacted--"'],
      ['    license_key a   ', '    license_key --redacted--   '],
      ['    slack_webhook https://hooks/x', '    slack_webhook --redacted--'],
      ['@SET db_password=a b', '@SET db_password=--redacted--'],
    ]);
  });

  it('redacts headers and fields that carry a secret in their second word', () => {
    expectEach([
      ['    header Authorization Bearer x', '    header Authorization --redacted--'],
      ['    Header\tX-API-Key\tabc', '    Header\tX-API-Key\t--redacted--'],
      ['    header Cookie a=b', '    header Cookie --redacted--'],
      ['    add token abc', '    add token --redacted--'],
      ['    record api_key abc', '    record api_key --redacted--'],
      ['    header Content-Type application/json', '    header Content-Type application/json'],
      ['header: Authorization Bearer x', 'header: Authorization --redacted--'],
      ['header:\n  - X-Api-Key x\n  - Accept y', 'header:\n  - X-Api-Key --redacted--\n  - Accept y'],
    ]);
  });

  it('redacts YAML: plain, quoted, in lists, in flow maps', () => {
    expectEach([
      ['password: abc\nhost: h', 'password: --redacted--\nhost: h'],
      ['password: "a \\" b" # kept', 'password: "--redacted--" # kept'],
      ["- token: 'it''s' # kept", "- token: '--redacted--' # kept"],
      ['{token: x, a: b}', '{token: --redacted--, a: b}'],
      [
        'a: {token: x y, b: [1, api-key: z, 2], c: d}',
        'a: {token: --redacted--, b: [1, api-key: --redacted--, 2], c: d}',
      ],
      [
        'headers:\n  Authorization: Bearer x\n  api-key: y\n  Accept: z',
        'headers:\n  Authorization: --redacted--\n  api-key: --redacted--\n  Accept: z',
      ],
      ['Database Password: x\nb: c', 'Database Password: --redacted--\nb: c'],
      ['password: "abc"def', 'password: --redacted--'],
    ]);
  });

  it('redacts YAML values of several lines', () => {
    expectEach([
      ['private_key: |\n  line1\n\n  line2\n\nnext: 1', 'private_key: --redacted--\n\n\n\n\nnext: 1'],
      ['a:\n  token: >-\r\n    x\r\n    y\r\n  b: c', 'a:\n  token: --redacted--\r\n\r\n\r\n  b: c'],
      ['password: abc\n  def\nnext: 1', 'password: --redacted--\n\nnext: 1'],
      ['password: "abc\n  def"\nnext: 1', 'password: "--redacted--\n"\nnext: 1'],
      ['password:\n  abc\nnext: 1', 'password: --redacted--\n\nnext: 1'],
      ['tokens:\n- a\n- b\nnext: 1', 'tokens: --redacted--\n\n\nnext: 1'],
      ['- tokens: # all\n  - a\n- next: 1', '- tokens: --redacted--\n\n- next: 1'],
      ['credentials:\n  alice: pw\n  bob: pw\nnext: 1', 'credentials: --redacted--\n\n\nnext: 1'],
      ['# password: |\n#   abc\n# next: 1', '# password: --redacted--\n\n# next: 1'],
    ]);
  });

  it('redacts the values of complex keys in YAML', () => {
    expectEach([
      ['? password\n: abc\n? b\n: c', '? password\n: --redacted--\n? b\n: c'],
      ['a:\n  ? "token"\n  : "x y" # kept\n  b: c', 'a:\n  ? "token"\n  : "--redacted--" # kept\n  b: c'],
      ['- ? [a, password]\n  : |\n    x\n    y\n- b', '- ? [a, password]\n  : --redacted--\n\n\n- b'],
      ['? token\n\n# why\n:\n  abc\nb: c', '? token\n\n# why\n: --redacted--\n\nb: c'],
      ['# ? token\n# : abc', '# ? token\n# : --redacted--'],
      ['? token\n? b\n: c', '? token\n? b\n: c'],
      ['? token\nb: c\n: d', '? token\nb: c\n: d'],
    ]);
  });

  it('takes any space of Unicode for a blank', () => {
    for (const space of ['\u00a0', '\u2003', '\u202f', '\u3000']) {
      expectEach([
        [`${space}http_passwd${space}pa ss`, `${space}http_passwd${space}--redacted--`],
        [`password:${space}abc`, `password:${space}--redacted--`],
        [`cmd --token${space}abc`, `cmd --token${space}--redacted--`],
        [`a${space}Bearer${space}abcdef0123456789`, `a${space}Bearer${space}--redacted--`],
      ]);
    }
  });

  it('reads a map below `auth` key by key', () => {
    expectEach([
      ['auth:\n  authenticator: oauth2\n  token: x', 'auth:\n  authenticator: oauth2\n  token: --redacted--'],
      [
        'auth = { strategy = "basic", user = "u", password = "p" }',
        'auth = { strategy = "basic", user = "u", password = "--redacted--" }',
      ],
      ['auth: bob:pw', 'auth: --redacted--'],
    ]);
  });

  it('redacts TOML', () => {
    expectEach([
      ['password = "x" # kept', 'password = "--redacted--" # kept'],
      ['auth.password = \'x\'\nhost = "h"', 'auth.password = \'--redacted--\'\nhost = "h"'],
      ['password = """a\n"b"\nc"""\nn = 1', 'password = """--redacted--\n\n"""\nn = 1'],
      ["password = '''a\nb'''\nn = 1", "password = '''--redacted--\n'''\nn = 1"],
      ['tokens = [\n  "a]",\n  "b",\n]\nn = 1', 'tokens = --redacted--\n\n\n\nn = 1'],
      [
        '[credentials]\nalice = "x"\n[other]\nbob = "y"',
        '[credentials]\nalice = "--redacted--"\n[other]\nbob = "y"',
      ],
    ]);
  });

  it('redacts Fluentd', () => {
    expectEach([
      [
        '<match **>\n  @type http\n  password x\n  <auth>\n    method basic\n    secret_token "a\nb"\n  </auth>\n</match>',
        '<match **>\n  @type http\n  password --redacted--\n  <auth>\n    method basic\n    secret_token "--redacted--\n"\n  </auth>\n</match>',
      ],
      [
        'headers {"Authorization":"Bearer x","Accept":"y"}',
        'headers {"Authorization":"--redacted--","Accept":"y"}',
      ],
    ]);
  });

  it('redacts JSON and keeps it valid', () => {
    const before = {
      a: { password: 'x"y', n: 1, api_key: 12, list: ['token'] },
      tokens: ['a', { b: 'c' }],
      keys: { a: 'b' },
      authorization: null,
    };
    const after = {
      a: { password: '--redacted--', n: 1, api_key: '--redacted--', list: ['token'] },
      tokens: '--redacted--',
      keys: '--redacted--',
      authorization: null,
    };
    expectEach([
      [JSON.stringify(before), JSON.stringify(after)],
      [JSON.stringify({ text: JSON.stringify(before) }), JSON.stringify({ text: JSON.stringify(after) })],
    ]);
    expect(JSON.parse(redactConfig(JSON.stringify(before, undefined, 2)))).toEqual(after);
  });

  it('redacts environments', () => {
    expectEach([
      ['API_TOKEN=x y', 'API_TOKEN=--redacted--'],
      ["export API_TOKEN='x y'", "export API_TOKEN='--redacted--'"],
      ['A=1 TOKEN=x cmd --host y', 'A=1 TOKEN=--redacted-- --host y'],
      ['- PASSWORD=a b', '- PASSWORD=--redacted--'],
      ['environment: ["PASSWORD=a b", "B=c"]', 'environment: ["PASSWORD=--redacted--", "B=c"]'],
      [
        '- name: API_TOKEN\n  value: abc\n- name: HOST\n  value: h',
        '- name: API_TOKEN\n  value: --redacted--\n- name: HOST\n  value: h',
      ],
      [
        '{"header":"Authorization","value":"x"},{"header":"Accept","value":"y"}',
        '{"header":"Authorization","value":"--redacted--"},{"header":"Accept","value":"y"}',
      ],
    ]);
  });

  it('redacts command lines, also as lists', () => {
    expectEach([
      [
        'cmd --token=x --host=y --password "a b" --name n',
        'cmd --token=--redacted-- --host=y --password "--redacted--" --name n',
      ],
      ['cmd --password \\\n  x \\\n  --name n', 'cmd --password \\\n  --redacted-- \\\n  --name n'],
      ['["cmd", "--token", "abc", "x"]', '["cmd", "--token", "--redacted--", "x"]'],
      ['args:\n- --token\n- abc\n- x', 'args:\n- --token\n- --redacted--\n- x'],
      ['args: [--token, abc, x]', 'args: [--token, --redacted--, x]'],
      ['args:\n- redis-cli\n- -a\n- abc\n- x', 'args:\n- redis-cli\n- -a\n- --redacted--\n- x'],
      [
        `curl -H "Authorization: Bearer x" -H 'X-Api-Key: y' https://h/p`,
        `curl -H "Authorization: --redacted--" -H 'X-Api-Key: --redacted--' https://h/p`,
      ],
    ]);
  });

  it('redacts the password of a URL, and secrets among its parameters', () => {
    expectEach([
      ['uri https://user:pa:s/s@host:9200/p', 'uri https://user:--redacted--@host:9200/p'],
      [
        'redis://:pw@h/0 amqp://a:b@h1,amqp://c:d@h2',
        'redis://:--redacted--@h/0 amqp://a:--redacted--@h1,amqp://c:--redacted--@h2',
      ],
      ['{"u":"https:\\/\\/user:pw@host"}', '{"u":"https:\\/\\/user:--redacted--@host"}'],
      ['url: /in?api_key=x&b=c&sig=y#z', 'url: /in?api_key=--redacted--&b=c&sig=--redacted--'],
      ['https://9f86d081884c7d659a2feaa0c55ad015@sentry/1', 'https://--redacted--@sentry/1'],
      ['https://host:8080/@scope/x ssh://git@host/x', 'https://host:8080/@scope/x ssh://git@host/x'],
      ['http://token:8080/x', 'http://token:8080/x'],
      ['https://a:--redacted--rest@h/', 'https://a:--redacted--@h/'],
      ['dsn: a:--redacted--rest@tcp(h)/d', 'dsn: a:--redacted--@tcp(h)/d'],
    ]);
  });

  it('redacts connection strings', () => {
    expectEach([
      ['dsn: root:pw@tcp(127.0.0.1:3306)/db', 'dsn: root:--redacted--@tcp(127.0.0.1:3306)/db'],
      ['"host=h password=a b dbname=d"', '"host=h password=--redacted-- dbname=d"'],
      ['"Server=x;Password=a b,c;Database=d"', '"Server=x;Password=--redacted--;Database=d"'],
      ['cs: AccountName=a;AccountKey=abc==;Suffix=x', 'cs: AccountName=a;AccountKey=--redacted--;Suffix=x'],
      ['redis: h:6379,password=a b,ssl=True', 'redis: h:6379,password=--redacted--,ssl=True'],
      [
        'sasl.jaas.config = org.X required username="u" password="p";',
        'sasl.jaas.config = org.X required username="u" password="--redacted--";',
      ],
    ]);
  });

  it('redacts PEM blocks anywhere, complete or truncated', () => {
    expectEach([
      [
        'cert: |\n  -----BEGIN CERTIFICATE-----\n  ab+/\n  -----END CERTIFICATE-----\nnext: 1',
        'cert: |\n  --redacted--\n\n\nnext: 1',
      ],
      [
        String.raw`{"c":"-----BEGIN PRIVATE KEY-----\nab\n-----END PRIVATE KEY-----\n","n":1}`,
        String.raw`{"c":"--redacted--\n","n":1}`,
      ],
      ['x -----BEGIN A KEY-----\nab+/\ncd==\n[INPUT]', 'x --redacted--\n\n\n[INPUT]'],
    ]);
  });

  it('redacts a bearer token under any name', () => {
    expectEach([
      ['X-Custom: Bearer abcdefghijklmnop', 'X-Custom: Bearer --redacted--'],
      ['text: a bearer token is sent', 'text: a bearer token is sent'],
    ]);
  });
});

describe('redactConfig, by name', () => {
  it.each(
    words(`
      api_key apikey apiKey APIKey API_KEY_2 X-API-Key x-api-key authToken access_token password
      PassWord pAsSwOrD passwd http_passwd db_pass dbPass PGPASSWORD pwd passphrase
      aws_secret_access_key aws_access_key_id client_secret clientSecret service_account_secret
      shared_key license_key private_key ssl.key.pem sshkey splunk_token bearer_token cloud_auth
      credentials gcp.credentials_json Authorization Proxy-Authorization sas_token key keys
      webhook_url sinks.out.auth.password token_file_content key_file_password set-cookie
    `),
  )('treats %s as a secret', (name) => {
    for (const separator of [' ', ': ', '=', ' = ', ' => ']) {
      expect(redactConfig(`${name}${separator}abc`)).toBe(`${name}${separator}--redacted--`);
    }
  });

  it.each(
    words(`
      json_date_key time_key Time_Key timeKey tag_key include_tag_key log_key key_name key_content
      multiline.key_content record_key partition_key routing_key label_keys remove_key remove_keys
      key_file tls.key_file ssl.key.location bearer_token_file token_url tokenizer keepalive author
      keyword bypass user host passthrough
    `),
  )('leaves %s readable', (name) => {
    for (const separator of [' ', ': ', '=', ' = ', ' => ']) {
      expect(redactConfig(`${name}${separator}abc`)).toBe(`${name}${separator}abc`);
    }
  });

  it('leaves the patterns and field names of filters readable', () => {
    for (const line of ['regex token ^x$', 'exclude nokey x', 'rename token tok', 'rename: token tok']) {
      expect(redactConfig(line)).toBe(line);
    }
  });
});

describe('redactConfig, by value', () => {
  it.each([
    '--redacted--',
    '${API_TOKEN}',
    '${env:API_TOKEN}',
    '${file:/run/secrets/token}',
    '{{ .Values.token }}',
    'SECRET[vault.token]',
    `"#{ENV['TOKEN']}"`,
    'Bearer ${TOKEN}',
    'true',
    'null',
    '""',
    '',
  ])('keeps %s, which is not a secret', (value) => {
    for (const text of [`token: ${value}`, `  token ${value}`, `{token: ${value}, a: b}`]) {
      expect(redactConfig(text)).toBe(text);
    }
  });

  it.each(['${TOKEN:-abc}', '$abc', '${a}b', '{{ "abc" }}', 'SECRET[a]b', '--redacted--b', 'truer'])(
    'redacts %s, which may be a secret',
    (value) => {
      expect(redactConfig(`token: ${value}`)).toBe('token: --redacted--');
    },
  );

  it('redacts to the end after an opening that is never closed', () => {
    expect(redactConfig('token: "a\nb\nc')).toBe('token: "--redacted--\n\n');
    expect(redactConfig('token: [a\nb\nc')).toBe('token: --redacted--\n\n');
  });
});

describe('redactConfig, on the configurations of real agents', () => {
  const requests = ['patch-plain.json', 'register-plain.json', 'register-fleet.json'];
  const configs = readdirSync(new URL('fluent-bit/', samples)).filter((name) => /\.(conf|yaml)$/.test(name));

  it.each(requests)('does not change %s, which the agent has redacted', (name) => {
    const { rawConfig } = JSON.parse(readFileSync(new URL(`agent-requests/${name}`, samples), 'utf8'));
    expect(redactConfig(rawConfig)).toBe(rawConfig);
  });

  it.each(configs)('keeps everything in %s except a token', (name) => {
    const config = readFileSync(new URL(`fluent-bit/${name}`, samples), 'utf8');
    const expected = config.replace('header X-Project-Token abc', 'header X-Project-Token --redacted--');
    expect(redactConfig(config)).toBe(expected);
  });
});
