import { afterEach, describe, expect, it } from 'vitest';
import {
  absentID,
  attemptFrom,
  type From,
  limited,
  refused,
  unknownToken,
} from '../../../testing/calls/invalid-credential-calls.ts';
import { startTestApp, type TestApp } from '../../../testing/start-test-app.ts';
import type { Config } from '../../settings/config.ts';

const limit = 3;

let test: TestApp;

afterEach(() => test.close());

async function start(config: Partial<Config> = {}): Promise<void> {
  test = await startTestApp({
    logLevel: 'info',
    config: { invalidCredentialsPerAddressPerMinute: limit, ...config },
  });
}

const attempt = (times: number, from?: From) => attemptFrom(test, times, from);

describe('the address that attempts are counted by', () => {
  const proxy = '10.0.0.1';

  it.each([
    ['each IPv4 address is one', '192.0.2.1', '192.0.2.2', false],
    ['IPv4 in IPv6 is IPv4', '192.0.2.1', '::ffff:192.0.2.1', true],
    ['a /64 of IPv6 is one', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['another /64 is another', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ])('%s: %s, %s', async (_, first, second, areOne) => {
    await start();
    await attempt(limit, { address: first });
    expect(await attempt(1, { address: second })).toEqual([areOne ? limited : refused]);
  });

  it.each<[string, Config['trustProxy'], From, From, boolean]>([
    [
      'without trust what a caller writes has no effect',
      false,
      { address: proxy, forwardedFor: '192.0.2.1' },
      { address: proxy, forwardedFor: '192.0.2.2' },
      true,
    ],
    [
      'without trust nobody can use up what belongs to others',
      false,
      { address: '192.0.2.1', forwardedFor: '192.0.2.2' },
      { address: '192.0.2.2' },
      false,
    ],
    [
      'of a proxy that is not named neither',
      '10.0.0.2',
      { address: proxy, forwardedFor: '192.0.2.1' },
      { address: proxy, forwardedFor: '192.0.2.2' },
      true,
    ],
    [
      'a proxy that is named is believed',
      '10.0.0.0/8',
      { address: proxy, forwardedFor: '192.0.2.1' },
      { address: proxy, forwardedFor: '192.0.2.2' },
      false,
    ],
    [
      'also where it says the same of several connections',
      '10.0.0.0/8',
      { address: proxy, forwardedFor: '192.0.2.1' },
      { address: '10.0.0.9', forwardedFor: '192.0.2.1' },
      true,
    ],
    [
      'but only for what it has written itself, behind what the caller wrote',
      '10.0.0.0/8',
      { address: proxy, forwardedFor: '198.51.100.1, 192.0.2.1' },
      { address: proxy, forwardedFor: '198.51.100.2, 192.0.2.1' },
      true,
    ],
    [
      'through proxies in a row',
      '10.0.0.0/8',
      { address: proxy, forwardedFor: '192.0.2.1, 10.0.0.5' },
      { address: proxy, forwardedFor: '192.0.2.2, 10.0.0.5' },
      false,
    ],
    [
      'with all of them trusted the first address counts',
      true,
      { address: proxy, forwardedFor: '192.0.2.1, 198.51.100.1' },
      { address: proxy, forwardedFor: '192.0.2.2, 198.51.100.1' },
      false,
    ],
    [
      'where no address is passed on, that of the proxy counts',
      true,
      { address: proxy, forwardedFor: 'unknown' },
      { address: proxy, forwardedFor: `nonsense-${'x'.repeat(1_000)}` },
      true,
    ],
    [
      'a port beside the address does not',
      '10.0.0.0/8',
      { address: proxy, forwardedFor: '192.0.2.1:1111' },
      { address: proxy, forwardedFor: '192.0.2.1:2222' },
      true,
    ],
  ])('%s', async (_, trustProxy, first, second, areOne) => {
    await start({ trustProxy });
    await attempt(limit, first);
    expect(await attempt(1, first)).toEqual([limited]);
    expect(await attempt(1, second)).toEqual([areOne ? limited : refused]);
  });

  it('is the same for reports over a real connection', async () => {
    await start({ trustProxy: '127.0.0.1' });
    const url = await test.app.http.listen({ host: '127.0.0.1', port: 0 });
    const report = async (forwardedFor: string) => {
      const answer = await fetch(`${url}/v1/agents/${absentID}/errors`, {
        method: 'POST',
        headers: { ...unknownToken(), 'content-type': 'application/json', 'x-forwarded-for': forwardedFor },
        body: '{"error":"x"}',
      });
      return ((await answer.json()) as { code: string }).code; // a refusal
    };
    for (let time = 0; time < limit; time += 1) expect(await report('192.0.2.1')).toBe(refused);
    expect(await report('192.0.2.1')).toBe(limited);
    expect(await report('192.0.2.2')).toBe(refused);
    expect(await attempt(1, { address: '192.0.2.1' })).toEqual([limited]);
  });
});
