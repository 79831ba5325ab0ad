import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SiteFleet, SiteFleetContent } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FleetCache } from '../fleets/fleet-cache.ts';
import { CentreFailure } from './centre-failure.ts';
import { FleetSync } from './fleet-sync.ts';

let folder: string;
let cache: FleetCache;
let sync: FleetSync;
/** What the centre serves, and what it cannot give at the moment. */
let fleets: SiteFleet[];
let refused: ReadonlySet<string>;
let cut: ReadonlySet<string>;
let asked: (string | undefined)[];
let failure: CentreFailure | undefined;
let isEnding: boolean;
let warned: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-fleets-'));
  refused = new Set();
  cut = new Set();
  asked = [];
  failure = undefined;
  isEnding = false;
  warned = [];
  await open();
});
afterEach(() => rmSync(folder, { recursive: true }));

async function open(): Promise<void> {
  let now = 0;
  cache = await FleetCache.open(folder, false);
  sync = new FleetSync({
    cache,
    ask: async (cursor) => {
      asked.push(cursor);
      if (failure !== undefined) throw failure;
      const newest = JSON.stringify(fleets);
      return { cursor: newest, changed: cursor === newest ? null : { fleets, moved: [], publications: [] } };
    },
    askContent: async (key) => {
      if (cut.has(key)) throw new CentreFailure('unreachable', 'No answer.');
      if (refused.has(key)) throw new CentreFailure('busy', 'No.', { status: 503 });
      return contentOf(key);
    },
    log: { info: () => undefined, warn: (text) => warned.push(text), error: () => undefined },
    isEnding: () => isEnding,
    monotonic: () => {
      now += 1_000;
      return now;
    },
    wait: () => Promise.resolve(),
  });
}

function fleetOf(id: string, number: number, content: string): SiteFleet {
  const current = { fleetID: id, versionID: content, seconds: 1, content };
  return { id, name: id, number, handleKey: 'key', current, rollout: null };
}

function contentOf(key: string): SiteFleetContent {
  return { classic: { parts: [key] }, yaml: { parts: [key] }, files: '[]' };
}

const served = () => cache.fleets.map(({ id, current }) => [id, current?.content]);

describe('the fleets at a site', () => {
  it('are said to stay as they are once for each reason, and not when the site ends', async () => {
    fleets = [];
    failure = new CentreFailure('unreachable', 'the answer is too long');
    for (const _ of [1, 2]) expect(await sync.refresh()).toBe(false);
    const text =
      'What fleets serve cannot be asked for: the answer is too long. Agents go on with what they were served before.';
    expect(warned).toEqual([text]);
    failure = undefined;
    for (const _ of [1, 2]) expect(await sync.refresh()).toBe(true);
    failure = new CentreFailure('unreachable', 'the answer is too long');
    await sync.refresh();
    expect(warned).toEqual([text, text]);
    isEnding = true;
    failure = new CentreFailure('unreachable', 'The operation was aborted');
    await sync.refresh();
    failure = undefined;
    fleets = [fleetOf('a', 1, 'a-1')];
    cut = new Set(['a-1']);
    await sync.refresh();
    expect(warned).toEqual([text, text]);
  });

  it('get their news although one content cannot be had, whose fleet stays as it was until it can', async () => {
    fleets = [fleetOf('a', 1, 'a-1'), fleetOf('b', 2, 'b-1')];
    expect(await sync.refresh()).toBe(true);
    fleets = [fleetOf('a', 1, 'a-2'), fleetOf('b', 2, 'b-2'), fleetOf('c', 3, 'c-1')];
    refused = new Set(['a-2', 'c-1']);
    expect(await sync.refresh()).toBe(true);
    // A new one has nothing that it could stay with: its agents are told to ask again.
    expect(served()).toEqual([
      ['a', 'a-1'],
      ['b', 'b-2'],
      ['c', 'c-1'],
    ]);
    expect(await cache.content('a-1')).toEqual(contentOf('a-1'));
    expect(await cache.content('c-1')).toBeUndefined();
    refused = new Set(['a-2']);
    expect(await sync.refresh()).toBe(true);
    expect(await cache.content('c-1')).toEqual(contentOf('c-1'));

    // Also after a restart.
    await open();
    expect(served()[0]).toEqual(['a', 'a-1']);
    refused = new Set();
    expect(await sync.refresh()).toBe(true);
    expect(served()[0]).toEqual(['a', 'a-2']);
    expect(await cache.content('a-2')).toEqual(contentOf('a-2'));
    expect(await sync.refresh()).toBe(true);
    expect(asked).toEqual([
      undefined,
      JSON.stringify([fleetOf('a', 1, 'a-1'), fleetOf('b', 2, 'b-1')]),
      undefined,
      undefined,
      JSON.stringify(fleets),
    ]);
  });

  it('are asked for later if Muster cannot be reached, those first that were not yet', async () => {
    fleets = Array.from({ length: 9 }, (_, index) => fleetOf(`f-${index}`, index, `c-${index}`));
    cut = new Set(['c-0', 'c-1', 'c-2', 'c-3']);
    const kept = () =>
      fleets.flatMap(({ current }) => (cache.has(current?.content ?? '') ? [current?.content] : []));
    await sync.refresh();
    expect(kept()).toEqual([]);
    await sync.refresh();
    expect(kept()).toEqual(['c-4', 'c-5', 'c-6', 'c-7', 'c-8']);
  });
});
