import { describe, expect, it } from 'vitest';
import { AllowedNetworks, readNetwork } from './allowed-networks.ts';
import { Refusal } from './refusal.ts';

describe('readNetwork', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['192.0.2.7', '192.0.2.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8::1/32', '2001:db8::/32'],
    ['2001:db8::7', '2001:db8::7/128'],
    ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
    ['::ffff:192.0.2.7', '192.0.2.7/32'],
  ])('writes %s as %s', (text, written) => {
    expect(readNetwork(text)).toBe(written);
    expect(readNetwork(written)).toBe(written);
  });

  it.each([
    '',
    '10.0.0.0/33',
    '10.0.0/8',
    '127.1',
    '010.0.0.1',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '::/129',
    'fe80::1%eth0',
    'example.com',
    '10.0.0.0 /8',
    '1:2:3',
    '0x7f.0.0.1',
  ])('reads nothing from %j', (text) => {
    expect(readNetwork(text)).toBeUndefined();
  });
});

describe('AllowedNetworks', () => {
  const accepts = (lists: readonly (readonly string[])[], address: string | undefined) => {
    try {
      new AllowedNetworks(lists).require(address);
    } catch (error) {
      if (error instanceof Refusal && error.code === 'network_not_allowed') return false;
      throw error;
    }
    return true;
  };

  it.each([
    [['10.0.0.0/8'], '10.255.255.255', true],
    [['10.0.0.0/8'], '11.0.0.0', false],
    [['10.0.0.0/8'], '::ffff:10.1.1.1', true],
    [['10.0.0.0/8'], '::ffff:a01:101', true],
    [['10.0.0.0/8'], '2001:db8::1', false],
    [['2001:db8::/32'], '2001:db8:ffff::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['::/0'], '10.0.0.1', false],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['192.0.2.1/32', '192.0.2.3/32'], '192.0.2.3', true],
    [['192.0.2.1/32', '192.0.2.3/32'], '192.0.2.2', false],
    [['10.0.0.0/8'], 'nonsense', false],
    [['10.0.0.0/8'], undefined, false],
  ])('%j from %s: %s', (list, address, expected) => {
    expect(accepts([list], address)).toBe(expected);
  });

  it('requires the address in every list, and remembers only an address that was allowed', () => {
    expect(accepts([['10.0.0.0/8'], ['10.1.0.0/16']], '10.1.2.3')).toBe(true);
    expect(accepts([['10.0.0.0/8'], ['10.1.0.0/16']], '10.2.2.3')).toBe(false);
    const networks = new AllowedNetworks([['10.0.0.0/8']]);
    networks.require('10.0.0.1');
    for (let time = 0; time < 2; time += 1) expect(() => networks.require('192.0.2.1')).toThrow(Refusal);
    networks.require('10.0.0.1');
  });
});
