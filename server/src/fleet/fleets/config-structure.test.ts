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

  it('is the same on each host and in each format: properties and numbers of plugins, and the order, are left out', () => {
    const classic =
      '[OUTPUT]\n    name http.0\n    host a\n\n[FILTER]\n    name lua.0\n    code if a then b end\n';
    const yaml =
      '[FILTER]\n    name lua.3\n    code if a then\n  b\nend\n[OUTPUT]\n    name  http.1\n    host b\n';
    expect(structureOf(classic)).toBe(structureOf(yaml));
  });

  it('changes with a plugin', () => {
    const structures = [
      '[OUTPUT]\n    name http.0\n',
      '[OUTPUT]\n    name null.0\n',
      '[FILTER]\n    name http.0\n',
      '[OUTPUT]\n    name http.0\n[OUTPUT]\n    name http.1\n',
    ].map(structureOf);
    expect(new Set(structures).size).toBe(4);
  });
});
