import { describe, expect, it } from 'vitest';
import { fillIn, fillInText, realValuesOf } from './real-values.ts';

const none = { host: undefined, port: undefined, url: undefined, path: undefined };

describe('realValuesOf', () => {
  it.each([
    [
      '[output:http:http.1] no upstream connections available to 10.21.160.1:9',
      { ...none, host: '10.21.160.1', port: '9' },
    ],
    ['connect to logs.example.net:443 timed out', { ...none, host: 'logs.example.net', port: '443' }],
    ['[tls] certificate of logs.example.net has expired', { ...none, host: 'logs.example.net' }],
    [
      '[input:tail:tail.0] read error, check permissions: /var/log/app/*.log',
      { ...none, path: '/var/log/app/*.log' },
    ],
    [
      'Post "https://es.example.net:9200/_bulk": refused',
      { ...none, host: 'es.example.net', port: '9200', url: 'https://es.example.net:9200/_bulk' },
    ],
    ['internal/queue_sender.go:57 Exporting failed', none],
    ['[error] at 12:30:59', none],
    ['port 10.0.0.1:99999', { ...none, host: '10.0.0.1' }],
  ])('finds the values of %s', (text, values) => {
    expect(realValuesOf(text)).toEqual(values);
  });
});

describe('fillIn', () => {
  const values = { host: '10.0.0.1', port: '9', url: undefined, path: '/var/log/*.log' };

  it.each([
    ['nc -vz HOST PORT', 'nc -vz 10.0.0.1 9'],
    ['curl -v https://HOST:PORT/', 'curl -v https://10.0.0.1:9/'],
    ['ls -ld FOLDER', 'ls -ld /var/log'],
    ['ls -l FILE', "ls -l '/var/log/*.log'"],
    ['curl -v URL', 'curl -v URL'],
    ['kubectl describe pod POD', 'kubectl describe pod POD'],
    ["curl HOST:PORT -H 'Authorization: Splunk TOKEN'", "curl HOST:PORT -H 'Authorization: Splunk TOKEN'"],
  ])('makes %s to %s', (command, filled) => {
    expect(fillIn(command, values)).toBe(filled);
  });

  it('quotes what an agent sent, and refuses control characters', () => {
    expect(fillIn('ls -l FILE', { ...values, path: "/x'; rm -rf /" })).toBe(`ls -l '/x'\\''; rm -rf /'`);
    expect(fillIn('ls -l FILE', { ...values, path: '/x\u001b[31m' })).toBe('ls -l FILE');
  });

  it('fills in the commands of a sentence alone', () => {
    expect(fillInText('Run `nc -vz HOST PORT` from the HOST, `PORT` too', values)).toBe(
      'Run `nc -vz 10.0.0.1 9` from the HOST, `PORT` too',
    );
  });
});
