import { expect, it } from 'vitest';
import { ownUrl } from './own-url.ts';

const at = (address: string, family = 'IPv4') => ({ address: () => ({ address, family, port: 7400 }) });
const plain = { publicUrl: undefined, trustProxy: false, tls: undefined };
const tls = { certFile: 'cert.pem', keyFile: 'key.pem' };

it.each([
  ['the address that it listens on', at('127.0.0.1'), plain, 'http://127.0.0.1:7400'],
  ['an address of IPv6', at('::1', 'IPv6'), plain, 'http://[::1]:7400'],
  ['with a certificate', at('10.0.0.1'), { ...plain, tls }, 'https://10.0.0.1:7400'],
  [
    'the setting',
    at('127.0.0.1'),
    { ...plain, publicUrl: 'https://muster.example.com' },
    'https://muster.example.com',
  ],
  ['none for all interfaces', at('0.0.0.0'), plain, undefined],
  ['none for all interfaces of IPv6', at('::', 'IPv6'), plain, undefined],
  ['none behind a proxy', at('127.0.0.1'), { ...plain, trustProxy: '10.0.0.0/8' }, undefined],
  ['none before it listens', { address: () => null }, plain, undefined],
])('links lead to: %s', (_, server, config, url) => {
  expect(ownUrl(server, config)).toBe(url);
});
