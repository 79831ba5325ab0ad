import { describe, expect, it } from 'vitest';
import { countedAddress } from './counted-address.ts';

describe('countedAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:192.0.2.1', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::192.0.2.1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('groups %s as %s', (text, counted) => {
    expect(countedAddress(text)).toBe(counted);
  });

  it.each([
    ['192.0.2.1:5678', '192.0.2.1'],
    ['[2001:db8:1:2::5]:5678', '2001:db8:1:2::/64'],
    ['[::ffff:192.0.2.1]', '192.0.2.1'],
  ])('groups %s, as a proxy writes it, as %s', (text, counted) => {
    expect(countedAddress(text)).toBe(counted);
  });

  it.each([
    '',
    'unknown',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.1:port',
    '192.0.2.1, 192.0.2.2',
    '0xc0.0.2.1',
    '[192.0.2.1',
    '2001:db8::1::2',
    '2001:db8:1:2:3:4:5:6:7',
    '%eth0',
    ':'.repeat(16_000),
    `${'1'.repeat(16_000)}.1.1.1:1`,
  ])('rejects %.30s', (text) => {
    expect(countedAddress(text)).toBeUndefined();
  });
});
