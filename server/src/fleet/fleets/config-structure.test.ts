import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { structureOf } from './config-structure.ts';

const recorded = readFileSync(new URL('recorded/register-fleet.json', import.meta.url), 'utf8');
const { rawConfig } = JSON.parse(recorded) as { rawConfig: string };

describe('the structure of a configuration that an agent reports', () => {
  it('is that of the configuration of its fleet, without what the agent adds', () => {
    const own =
      '[INPUT]\n    name dummy.0\n    tag fleet1\n\n[OUTPUT]\n    name  null.0\n    match fleet1\n    retry_limit 1\n';
    expect(structureOf(rawConfig)).toBe(structureOf(own));
  });

  it('is the same on each host: values and numbers of plugins are left out', () => {
    expect(structureOf('[OUTPUT]\n    name http.0\n    host a\n')).toBe(
      structureOf('[OUTPUT]\n  Name http.3\n  Host  b\n'),
    );
  });

  it('changes with a plugin or a property', () => {
    const structures = [
      '[OUTPUT]\n    name http.0\n',
      '[OUTPUT]\n    name http.0\n    tls on\n',
      '[OUTPUT]\n    name null.0\n',
      '[OUTPUT]\n    name http.0\n[OUTPUT]\n    name http.1\n',
    ].map(structureOf);
    expect(new Set(structures).size).toBe(4);
  });
});
