import { describe, expect, it } from 'vitest';
import { redactArguments, redactValues } from './redact-values.ts';

describe('redactValues', () => {
  it.each([
    [
      { k8s: { namespace: 'logging', node_name: 'w-3' } },
      { k8s: { namespace: 'logging', node_name: 'w-3' } },
    ],
    [
      { api_token: 'Hunter2', n: 1 },
      { api_token: '--redacted--', n: 1 },
    ],
    [
      { password: 12, isPassword: true, secret: null },
      { password: '--redacted--', isPassword: true, secret: null },
    ],
    [
      { credentials: { user: 'a', list: ['b', 1] } },
      { credentials: { user: '--redacted--', list: ['--redacted--', '--redacted--'] } },
    ],
    [{ auth: { user: 'a', password: 'b' } }, { auth: { user: 'a', password: '--redacted--' } }],
    [{ auth: 'a:b' }, { auth: '--redacted--' }],
    [
      { env: [{ name: 'API_TOKEN', value: 'Hunter2' }] },
      { env: [{ name: 'API_TOKEN', value: '--redacted--' }] },
    ],
    [{ env: [{ name: 'HOST', value: 'h' }] }, { env: [{ name: 'HOST', value: 'h' }] }],
    [{ url: 'https://a:b@h/' }, { url: 'https://--redacted--@h/' }],
    [{ note: 'uses token auth, id AKIAABCDEFGHIJKLMNOP' }, { note: 'uses token auth, id --redacted--' }],
    [
      {
        args: [
          '-c',
          '/etc/x',
          '--api-token',
          'Hunter2',
          '-u',
          'bob:Hunter2',
          '--port',
          24224,
          'http_passwd=Hunter2',
        ],
      },
      {
        args: [
          ...['-c', '/etc/x', '--api-token', '--redacted--', '-u', 'bob:--redacted--', '--port', 24224],
          'http_passwd=--redacted--',
        ],
      },
    ],
    [{ args: 'x --password=Hunter2' }, { args: 'x --password=--redacted--' }],
    [{ ghp_abcdefghijklmnopqrstuvwxyz: 1 }, { '--redacted--': 1 }],
    [
      { key_file: '/etc/x', tokenPath: '/x', token: '/etc/ssl/a.pem' },
      { key_file: '/etc/x', tokenPath: '/x', token: '/etc/ssl/a.pem' },
    ],
    [JSON.parse('{"__proto__":{"password":"a"}}'), JSON.parse('{"__proto__":{"password":"--redacted--"}}')],
  ])('redacts %j to %j', (values, redacted) => {
    expect(redactValues(values)).toEqual(redacted);
    expect(redactValues(redacted)).toEqual(redacted);
  });

  it('reads 32 levels and redacts deeper ones completely', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
    const redacted = JSON.stringify(redactValues(deep));
    expect(redacted).toBe(`{"a":${'['.repeat(31)}"--redacted--"${']'.repeat(31)}}`);
  });
});

describe('redactArguments', () => {
  it.each([
    [
      ['--config=/etc/x.conf', '-vv'],
      ['--config=/etc/x.conf', '-vv'],
    ],
    [
      ['--api-token=Hunter 2', '--host', 'h'],
      ['--api-token=--redacted--', '--host', 'h'],
    ],
    [
      ['--password', 'Hunter 2', '-q'],
      ['--password', '--redacted--', '-q'],
    ],
    [
      ['-password', 'x'],
      ['-password', '--redacted--'],
    ],
    [
      ['--password', '--quiet'],
      ['--password', '--quiet'],
    ],
    [
      ['-p', 'http_passwd=Hunter2', '-p', 'host=h'],
      ['-p', 'http_passwd=--redacted--', '-p', 'host=h'],
    ],
    [
      ['-u', 'bob:Hunter2', '-u', 'bob'],
      ['-u', 'bob:--redacted--', '-u', 'bob'],
    ],
    [['mysql -uroot -pHunter2'], ['mysql -uroot -p--redacted--']],
    [
      ['--url', 'https://a:b@h/'],
      ['--url', 'https://--redacted--@h/'],
    ],
    [
      ['--tls-key', '/etc/ssl/a.key', '--token-file=/x'],
      ['--tls-key', '/etc/ssl/a.key', '--token-file=/x'],
    ],
    [['xoxb-abcdefghijkl'], ['--redacted--']],
  ])('redacts %j to %j', (given, redacted) => {
    expect(redactArguments(given)).toEqual(redacted);
    expect(redactArguments(redacted)).toEqual(redacted);
  });
});
