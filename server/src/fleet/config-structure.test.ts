import { readFileSync } from 'node:fs';
import { fluentBitHeartbeat, fluentBitPipeline, toClassicFormat } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { digestOfShared, structureOf } from './config-structure.ts';

const recorded = readFileSync(new URL('fleets/recorded/register-fleet.json', import.meta.url), 'utf8');
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

describe('which agents have the same configuration', () => {
  it('is decided without the sections that an agent adds, and its machine id and name', () => {
    const own =
      '[INPUT]\n    name dummy.0\n    tag fleet1\n[OUTPUT]\n    name  null.0\n    match fleet1\n    retry_limit 1\n\n';
    const { machineID } = JSON.parse(recorded) as { machineID: string };
    const other = rawConfig.replaceAll(machineID, 'f'.repeat(64)).replaceAll(/8b1c0d9e-\S+/g, 'another');
    expect(digestOfShared(rawConfig, [machineID, 'edge-7'])).toBe(digestOfShared(own, []));
    expect(digestOfShared(other, ['f'.repeat(64), 'edge-8'])).toBe(digestOfShared(own, []));
    const labelled = (name: string) => `[FILTER]\n    name record_modifier\n    record host ${name}\n`;
    expect(digestOfShared(labelled('edge-7'), ['edge-7'])).toBe(
      digestOfShared(labelled('edge-8'), ['edge-8']),
    );
  });

  it('is decided without the pipeline by which an agent reports its errors', () => {
    const own = '[INPUT]\n    name cpu\n\n[OUTPUT]\n    name http\n    match *\n';
    const target = {
      host: 'muster.example.com',
      port: '443',
      isEncrypted: true,
      tokenHeader: 'X-Project-Token a',
    };
    const reporting = (machine: string) =>
      toClassicFormat([
        ...fluentBitPipeline({ ...target, uri: `/v1/machines/${machine}/errors` }),
        ...fluentBitHeartbeat({ ...target, uri: `/v1/machines/${machine}/heartbeats` }),
      ]);
    expect(digestOfShared(`${own}\n${reporting('a')}`, [])).toBe(digestOfShared(own, []));
    expect(digestOfShared(`${reporting('b')}\n${own}`, [])).toBe(digestOfShared(own, []));
  });

  it('is decided by every other value, and by names that may be words', () => {
    const output = (name: string, port: number) => `[OUTPUT]\n    name ${name}\n    port ${port}\n`;
    const digests = [output('kafka', 9), output('kafka', 443), output('http', 9)].map((text) =>
      digestOfShared(text, ['kafka', '443']),
    );
    expect(new Set(digests).size).toBe(3);
    expect(digestOfShared(output('kafka', 9), ['kafka'])).toBe(
      digestOfShared(output('kafka', 9), ['edge-7']),
    );
  });
});
