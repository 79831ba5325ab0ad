import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SiteFleetContent } from '@muster/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FleetCache } from './fleet-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-fleets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a content that two have asked for at once takes the room of one', async () => {
  const cache = await FleetCache.open(folder, false);
  // Two of them fit into memory, three do not.
  const part = '#'.repeat(1_500_000);
  const content: SiteFleetContent = { files: '[]', classic: { parts: [part] }, yaml: { parts: [] } };
  for (const key of ['one', 'other']) await cache.keep(key, content);
  await Promise.all([cache.content('one'), cache.content('one')]);
  const remembered = await cache.content('one');
  await cache.content('other');
  expect(await cache.content('one')).toBe(remembered);
});
