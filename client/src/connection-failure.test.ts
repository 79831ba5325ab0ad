import { describe, expect, it } from 'vitest';
import { explainFailure, wasNeverSent } from './connection-failure.ts';

const failed = (cause: unknown): TypeError => new TypeError('fetch failed', { cause });
const system = (code: string, syscall: string): Error =>
  Object.assign(new Error(`${syscall} ${code} 127.0.0.1:1`), { code, syscall });

describe('a request that was never sent', () => {
  it.each<[string, unknown]>([
    ['Node: nobody listens', failed(system('ECONNREFUSED', 'connect'))],
    ['Node: no such host', failed(system('ENOTFOUND', 'getaddrinfo'))],
    ['Node: no route', failed(system('EHOSTUNREACH', 'connect'))],
    [
      'Node: no address of the host accepts the connection',
      failed(new AggregateError([system('ECONNREFUSED', 'connect'), system('ECONNREFUSED', 'connect')])),
    ],
    [
      'Node: no connection in time',
      failed(Object.assign(new Error('Connect Timeout Error'), { code: 'UND_ERR_CONNECT_TIMEOUT' })),
    ],
    ['Node: the port does not speak TLS', failed(system('ERR_SSL_WRONG_VERSION_NUMBER', 'write'))],
    [
      'Bun: connection refused',
      Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' }),
    ],
    [
      'Bun 1.4: nobody listens',
      Object.assign(new TypeError('ECONNREFUSED: Unable to connect.'), { code: 'ECONNREFUSED' }),
    ],
    [
      'Bun 1.4: no such host',
      Object.assign(new TypeError('getaddrinfo ENOTFOUND muster.invalid'), { code: 'ENOTFOUND' }),
    ],
    [
      'Deno: nobody listens',
      new TypeError(
        'error sending request for url (http://127.0.0.1:1/): client error (Connect): tcp connect error',
      ),
    ],
  ])('%s', (_, error) => {
    expect(wasNeverSent(error)).toBe(true);
  });
});

describe('a request that may have been sent', () => {
  it.each<[string, unknown]>([
    ['Node: reset', failed(system('ECONNRESET', 'read'))],
    [
      'Node: the other side closed',
      failed(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })),
    ],
    [
      'Node: one of several addresses was reached',
      failed(new AggregateError([system('ECONNREFUSED', 'connect'), system('ECONNRESET', 'read')])),
    ],
    ['a browser, which gives no reason', new TypeError('Failed to fetch')],
    [
      'Bun: reset',
      Object.assign(new Error('The socket connection was closed unexpectedly.'), { code: 'ECONNRESET' }),
    ],
    ['whatever a fetch of one’s own throws', 'no'],
    ['nothing', undefined],
  ])('%s', (_, error) => {
    expect(wasNeverSent(error)).toBe(false);
  });
});

describe('the reason of the platform', () => {
  const https = 'https://muster.example.com/v1/me';

  it.each<[unknown, string]>([
    [failed(system('ECONNREFUSED', 'connect')), 'connect ECONNREFUSED 127.0.0.1:1'],
    [failed(new AggregateError([system('ECONNREFUSED', 'connect')])), 'connect ECONNREFUSED 127.0.0.1:1'],
    ...['ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO'].map((code): [unknown, string] => [
      failed(system(code, 'write')),
      'its port does not speak TLS: write http:// instead of https://, or name the port that does',
    ]),
    [
      failed(
        Object.assign(new Error('Expected HTTP/'), { data: '\u0015\u0003\u0003\u0000\u0002\u0002\u0046' }),
      ),
      'its port speaks only TLS: write https:// instead of http://, or name the port that does not',
    ],
    [new TypeError('Failed to fetch'), 'Failed to fetch'],
    [new Error('It broke.'), 'It broke'],
    [Object.assign(new Error(''), { code: 'EPIPE' }), 'EPIPE'],
    ['no', 'no reason is given'],
    [undefined, 'no reason is given'],
  ])('of %s is: %s', (error, expected) => {
    expect(explainFailure(error, https)).toBe(expected);
  });

  it.each([
    [
      'Node',
      failed(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })),
      'other side closed',
    ],
    ['Bun', system('ECONNRESET', 'read'), 'read ECONNRESET 127.0.0.1:1'],
  ])('of %s is that the port may speak TLS if http:// ends in a closed connection', (_, error, ofTls) => {
    expect(explainFailure(error, 'http://muster.example.com/v1/me')).toBe(
      'it closed the connection before it had answered: if its port speaks TLS, write https:// instead of http://',
    );
    expect(explainFailure(error, https)).toBe(ofTls);
  });

  it('is found even if causes form a circle', () => {
    const error = new Error('one');
    error.cause = error;
    expect(explainFailure(error, https)).toBe('one');
    expect(wasNeverSent(error)).toBe(false);
  });
});
