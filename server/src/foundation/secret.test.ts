import { createHash } from 'node:crypto';
import { format, inspect } from 'node:util';
import { serialize } from 'node:v8';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { digestToken, Secret } from './secret.ts';

const value = 'mst_u_canary-of-a-secret-wXyZ';
const secret = new Secret(value);

describe('Secret', () => {
  it('returns its value only through `reveal`', () => {
    expect(secret.reveal()).toBe(value);
    expect(secret.lastFour()).toBe('wXyZ');
  });

  it.each([
    ['text', () => String(secret)],
    ['a template', () => `${secret}`],
    ['a list', () => ['a', secret].join()],
    ['JSON', () => JSON.stringify({ secret, list: [secret] })],
    ['inspect', () => inspect(secret)],
    [
      'inspect, deep and with hidden parts',
      () => inspect({ a: { b: [secret] } }, { depth: null, showHidden: true }),
    ],
    ['inspect without custom parts', () => inspect(secret, { customInspect: false, showHidden: true })],
    ['format', () => format('%s %o %O %j %d', secret, secret, secret, secret, secret)],
    [
      'its entries',
      () => inspect([Object.entries(secret), Object.getOwnPropertyNames(secret), { ...secret }]),
    ],
    ['a copy', () => inspect(structuredClone({ secret }))],
    ['bytes', () => serialize({ secret }).toString('latin1')],
    ['an error', () => inspect(new Error('failed', { cause: { secret } }))],
    ['a failed assertion', () => inspect(new TypeError(`expected ${secret}`))],
    ['a log line', () => logged({ secret, config: { adminToken: secret } })],
    ['the message of a log line', () => logged(secret)],
  ])('keeps its value out of %s', (_, print) => {
    const text = print();
    expect(text).not.toContain('canary');
    expect(text).not.toContain('wXyZ');
  });

  it('prints as [secret]', () => {
    expect(String(secret)).toBe('[secret]');
    expect(JSON.stringify({ secret })).toBe('{"secret":"[secret]"}');
    expect(inspect({ secret })).toBe('{ secret: [secret] }');
  });

  it('has the SHA-256 of the whole value as digest', () => {
    const digest = createHash('sha256').update(value).digest('hex');
    expect(secret.digest()).toBe(digest);
    expect(digestToken(value)).toBe(digest);
    expect(digestToken(`${value}x`)).not.toBe(digest);
  });
});

function logged(what: object): string {
  const lines: string[] = [];
  pino({ level: 'trace' }, { write: (line) => lines.push(line) }).info(what, 'with a secret');
  return lines.join('');
}
