import { describe, expect, it } from 'vitest';
import { senderAddress } from './sender-address.ts';

describe('senderAddress', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:5678', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['fe80::7%eth0', 'fe80::7'],
    ['nonsense', undefined],
    ['<script>', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads %s as %s', (ip, address) => {
    expect(senderAddress({ ip })).toBe(address);
  });
});
