import { describe, expect, it } from 'vitest';
import { FleetConfigChecker } from './check-fleet-config.ts';
import { type CheckedConfig, findingsOf } from './config-findings.ts';

function configOf(rawConfig: string): CheckedConfig {
  return {
    rawConfig,
    configFormat: 'classic',
    files: [],
    minFluentBitVersion: '',
    skipNames: false,
    variables: { vars: new Set(['region']), secrets: new Set(), partial: new Set() },
  };
}

const input = '[INPUT]\n    Name cpu\n    Tag  {{vars.regio}}\n\n';
const output = '[OUTPUT]\n    Name  http\n    Match *\n    Header Authorization Bearer abcdefghijklmnop\n\n';
const large = configOf(input.repeat(20_000) + output);

it('names the first hundred secrets that are written out, and says how many more there are', () => {
  const findings = findingsOf(configOf(output.repeat(150)));
  expect(findings.filter(({ code }) => code === 'literal_secret').map(({ line }) => line)).toEqual(
    Array.from({ length: 100 }, (_, index) => index * 5 + 4),
  );
  expect(findings.at(-1)?.message).toBe('There are 50 more findings.');
});

describe('a configuration of a megabyte', () => {
  it('is checked on a thread with the same findings, while small ones are checked at once', async () => {
    const checker = new FleetConfigChecker();
    const ended: string[] = [];
    const checks = [large, configOf(input), large].map(async (config, index) => {
      const findings = await checker.check(config);
      ended.push(`check ${index}`);
      return findings;
    });
    const [first, small, last] = await Promise.all(checks);
    // In one thread, each would have waited for those before it.
    expect(ended).toEqual(['check 1', 'check 0', 'check 2']);
    expect(small).toMatchObject([{ code: 'unknown_variable', line: 3 }]);
    expect(first).toEqual(findingsOf(large));
    expect(last).toEqual(first);
    expect(first?.map(({ code }) => code)).toContain('literal_secret');
  });

  it('that the thread cannot take is refused, and the next one is checked', async () => {
    const checker = new FleetConfigChecker();
    const wrong = { ...large, variables: { vars: () => undefined } } as unknown as CheckedConfig;
    await expect(checker.check(wrong)).rejects.toThrow('could not be cloned');
    expect((await checker.check(large)).length).toBeGreaterThan(0);
  });
});
