import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { readSource } from '../../../test/architecture/source-files.ts';
import { TestSite } from '../testing/test-site.ts';

let site: TestSite;
beforeEach(async () => {
  site = await TestSite.create();
});
afterEach(() => site.close());

const ready = () => eventually(async () => expect((await site.request('GET', '/readyz')).status).toBe(200));

const read = async () => (await site.request('GET', '/metrics')).text;

const valueOfMetric = async (name: string) =>
  new RegExp(`^muster_core_instance_${name} (.*)$`, 'm').exec(await read())?.[1];

describe('GET /metrics of a core instance', () => {
  it('has the metrics that its documentation describes, and no other', async () => {
    await site.start();
    await ready();
    await site.report('web-1', 'one');
    await eventually(async () => expect(await valueOfMetric('last_contact_seconds')).toBeDefined());
    const text = await read();
    const declared = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    const documented = readSource('docs/core-instances.md').matchAll(
      /^\| `(muster_core_instance_\w+)` \| (\w+) \|/gm,
    );
    expect(declared.sort()).toEqual([...documented].map(([, name, type]) => `${name} ${type}`).sort());
    expect(text.match(/^# HELP .*centre.*$/gm)).toBeNull();
  });

  it('says when the service last answered, and nothing before it has', async () => {
    const at = Date.UTC(2026, 0, 1);
    await site.start({ clock: () => at, monotonic: () => 0 });
    await ready();
    await site.report('web-1', 'one');
    await eventually(async () =>
      expect(await valueOfMetric('last_contact_seconds')).toBe(String(at / 1_000)),
    );
    await site.stop();
    site.centre.close();
    await site.start();
    expect(await valueOfMetric('last_contact_seconds')).toBeUndefined();
    expect(await valueOfMetric('service_up')).toBe('0');
  });

  it('says that the spool cannot be written, until it can', async () => {
    await site.start({ bounds: { pauseAfterFailureMilliseconds: 1 } });
    await ready();
    expect(await valueOfMetric('spool_writable')).toBe('1');
    const spool = join(site.folder, 'spool');
    rmSync(spool, { recursive: true });
    writeFileSync(spool, '');
    expect((await site.report('web-1', 'one')).status).toBe(503);
    expect(await valueOfMetric('spool_writable')).toBe('0');
    rmSync(spool);
    mkdirSync(spool);
    await eventually(async () => expect((await site.report('web-1', 'one')).status).toBe(201));
    expect(await valueOfMetric('spool_writable')).toBe('1');
  });
});
