import { describe, expect, it } from 'vitest';
import { redactText } from './redact-text.ts';

describe('redactText', () => {
  it.each([
    [
      'cannot reach https://user:pa:s@s@es.example.com:9200/_bulk',
      'cannot reach https://--redacted--@es.example.com:9200/_bulk',
    ],
    ['https://9f86d081884c7d659a2f@sentry.io/1', 'https://--redacted--@sentry.io/1'],
    ['{"u":"https:\\/\\/a:b@host"}', '{"u":"https:\\/\\/--redacted--@host"}'],
    ['Authorization: Bearer abc.def-ghi', 'Authorization: --redacted--'],
    ['"Authorization":"Basic dXNlcjpwdw=="', '"Authorization":"--redacted--"'],
    ['proxy-authorization: Negotiate abcdef', 'proxy-authorization: --redacted--'],
    ['sent bearer 0123456789abcdef to it', 'sent bearer --redacted-- to it'],
    ['http_passwd=hunter2, host=x', 'http_passwd=--redacted--, host=x'],
    ['password: "hunter 2" rest', 'password: "--redacted--" rest'],
    ['{"api_key":"abc","host":"x"}', '{"api_key":"--redacted--","host":"x"}'],
    ['{\\"client_secret\\":\\"abc\\"}', '{\\"client_secret\\":\\"--redacted--\\"}'],
    ['GET /v1?api_key=abc&x=1&sig=zz', 'GET /v1?api_key=--redacted--&x=1&sig=--redacted--'],
    ['X-Project-Token: abc', 'X-Project-Token: --redacted--'],
    ['Cookie: a=b', 'Cookie: --redacted--'],
    [`key is mst_a_${'x'.repeat(49)}`, 'key is --redacted--'],
    ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', 'jwt --redacted--'],
    ['id AKIAIOSFODNN7EXAMPLE', 'id --redacted--'],
    ['12--> http(user("bob") password("hunter2"));', '12--> http(user("bob") password("--redacted--"));'],
    ['API KEY: abc def', 'API KEY: --redacted-- def'],
    ['started with --api-token abc --host x', 'started with --api-token --redacted-- --host x'],
    ['password=--redacted--rest', 'password=--redacted--'],
    ['sent Bearer glpat-abcdefghijklmnop+rest', 'sent Bearer --redacted--'],
    [
      'POST https://hooks.slack.com/services/T024BE7LH/B01/abcdefgh failed',
      'POST https://hooks.slack.com/services/--redacted-- failed',
    ],
    ['X-Custom: Basic dXNlcjpwdw==', 'X-Custom: Basic --redacted--'],
    ['-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nrest', '--redacted--\nrest'],
    ['-----BEGIN PRIVATE KEY-----\nabc', '--redacted--'],
  ])('redacts %j', (text, redacted) => {
    expect(redactText(text)).toBe(redacted);
    expect(redactText(redacted)).toBe(redacted);
  });

  it.each([
    '[output:es:es.0] HTTP status=401 URI=/_bulk',
    "[config] section 'dumy' tried to instance a plugin name that doesn't exist",
    'found character that cannot start any token',
    'no upstream connections available to 127.0.0.1:9',
    'https://example.com:8080/@scope/x',
    'key_file=/etc/ssl/key.pem is missing',
    'invalid basic configuration',
    'duplicate key: level',
    'invalid token(s), password (optional) is missing',
    'failed calling webhook: timeout',
    'basic authentication failed, disk-encryption-of-volumes is off',
  ])('leaves %j', (text) => {
    expect(redactText(text)).toBe(text);
  });
});
