import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryFiles } from '../testing/memory-files.ts';
import { errorOf, hour, openTestSpool, registrationOf, startedAt, updateOf } from '../testing/test-spool.ts';
import { type Spool, startPosition } from './spool.ts';
import { openSpoolFolder } from './spool-files.ts';

const large = { items: 10_000, bytes: 1_000_000 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-spool-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function takeAll(spool: Spool) {
  return (await spool.take(startPosition, large)).items;
}

describe('a spool', () => {
  it('keeps what was appended for the next process, in its order, and readable by its owner only', async () => {
    const files = await openSpoolFolder(join(folder, 'spool'));
    const { spool } = await openTestSpool(files);
    const items = [registrationOf('web-1'), errorOf('one'), updateOf('2'), errorOf('one')];
    for (const item of items) await spool.append([item]);
    // No end: the process was killed.
    const { spool: next, events } = await openTestSpool(files);
    expect(await takeAll(next)).toEqual(items);
    expect(events).toEqual([]);
    const [name = ''] = readdirSync(join(folder, 'spool'));
    expect(statSync(join(folder, 'spool', name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'spool')).mode & 0o777).toBe(0o700);
    await spool.close();
    await next.close();
  });

  it('knows without its process what waits: how many reports, and since when', async () => {
    const files = await openSpoolFolder(join(folder, 'spool'));
    const { spool } = await openTestSpool(files);
    await spool.append([errorOf('ends with "count":7}', { lastAt: startedAt + 90, count: 120 })]);
    await spool.append([
      errorOf('older', { firstAt: startedAt - 1_000, lastAt: startedAt - 9, count: 1_000_000_000 }),
    ]);
    // No end: the process was killed.
    const { spool: next } = await openTestSpool(files);
    expect(next.figures).toEqual({ ...spool.figures, reports: 1_000_000_120, oldestAt: startedAt - 1_000 });
    await spool.close();
    await next.close();
  });

  it('shares one sync among reports that arrive together, and folds equal ones', async () => {
    const files = new MemoryFiles();
    const { spool } = await openTestSpool(files);
    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => {
        const at = startedAt + index;
        return spool.append([errorOf(`text ${index % 2}`, { firstAt: at, lastAt: at })]);
      }),
    );
    expect(files.syncs).toBe(1);
    expect(await takeAll(spool)).toEqual([
      errorOf('text 0', { lastAt: startedAt + 998, count: 500 }),
      errorOf('text 1', { firstAt: startedAt + 1, lastAt: startedAt + 999, count: 500 }),
    ]);
    expect(spool.figures).toEqual({
      reports: 1_000,
      bytes: files.files.get('0000000001.spool')?.bytes.length,
      oldestAt: startedAt,
      lostCount: 0,
      lastLossAt: null,
    });
  });

  it('writes repeats of an error that waits and is safe, and syncs them within the time that is promised', async () => {
    const files = new MemoryFiles();
    const { spool } = await openTestSpool(files, { bounds: { syncRepeatsMilliseconds: 1 } });
    const syncsOf = async (...items: Parameters<Spool['append']>[0]) => {
      const before = files.syncs;
      await spool.append(items);
      const { syncs } = files;
      await vi.waitFor(() => expect(files.isSynced).toBe(true));
      return syncs - before;
    };
    const [repeat, ofOther] = [errorOf('one'), errorOf('one', { by: { tokenID: 'token-2' } })];
    expect(await syncsOf(repeat)).toBe(1);
    expect(await syncsOf(repeat, repeat)).toBe(0);
    expect(await syncsOf(ofOther)).toBe(1);
    expect(await syncsOf(repeat, errorOf('two'))).toBe(1);
    expect(await syncsOf(repeat)).toBe(0);
    // The same text may be another error now.
    expect(await syncsOf(updateOf('2'))).toBe(1);
    expect(await syncsOf(repeat)).toBe(1);
    // It may have been dismissed at the centre now.
    const portion = await spool.take(startPosition, large);
    expect(await syncsOf(repeat)).toBe(1);
    expect(await syncsOf(repeat)).toBe(0);
    await spool.acknowledge(portion);
    expect(await syncsOf(repeat)).toBe(0);
    await spool.close();
  });

  it('says since when its oldest item waits, whatever was sent before it', async () => {
    const files = new MemoryFiles();
    const { spool } = await openTestSpool(files);
    await spool.append([errorOf('one')]);
    const sent = await spool.take(startPosition, large);
    await spool.acknowledge(sent);
    expect(spool.figures.oldestAt).toBeNull();
    const later = startedAt + 120_000;
    await spool.append([errorOf('two', { firstAt: later, lastAt: later })]);
    await spool.append([errorOf('three', { firstAt: later + 1, lastAt: later + 1 })]);
    // Also the next process, after a kill.
    const { spool: next } = await openTestSpool(files, { acknowledged: sent.end });
    expect(next.figures.oldestAt).toBe(later);
    expect(spool.figures.oldestAt).toBe(later);
    await spool.close();
  });

  it('syncs what it gives to be sent', async () => {
    const files = new MemoryFiles();
    const { spool } = await openTestSpool(files);
    await spool.append([errorOf('one')]);
    await spool.append([errorOf('one')]);
    expect(files.isSynced).toBe(false);
    expect(await takeAll(spool)).toHaveLength(2);
    expect(files.isSynced).toBe(true);
    await spool.close();
  });

  it('syncs what is being written while it gives it to be sent', async () => {
    const files = new MemoryFiles();
    const { spool } = await openTestSpool(files);
    await spool.append([errorOf('one')]);
    const repeated = spool.append([errorOf('one')]);
    expect([await takeAll(spool), files.isSynced]).toEqual([[errorOf('one'), errorOf('one')], true]);
    await repeated;
    await spool.close();
  });

  it('is not writable after a failure until something is written, also if nothing is sent meanwhile', async () => {
    let isFailing = true;
    const files = new MemoryFiles({ failsNow: () => isFailing });
    const { spool } = await openTestSpool(files, { bounds: { pauseAfterFailureMilliseconds: 0 } });
    const failing = spool.append([errorOf('one')]);
    const sent = takeAll(spool);
    await expect(failing).rejects.toMatchObject({ kind: 'write_failed' });
    expect([await sent, spool.isWritable]).toEqual([[], false]);
    isFailing = false;
    expect([await takeAll(spool), spool.isWritable]).toEqual([[], false]);
    await spool.append([errorOf('one')]);
    expect(spool.isWritable).toBe(true);
    await spool.close();
  });

  it('does not fold errors of others, nor over a change of state', async () => {
    const { spool } = await openTestSpool(new MemoryFiles());
    const items = [
      errorOf('one'),
      errorOf('one', { by: { agentID: 'token-1' } }),
      errorOf('one', { target: { machineID: 'agent-1' } }),
      errorOf('one', { target: { machineID: 'agent-1', name: 'web' } }),
      updateOf('2'),
      errorOf('one'),
    ];
    await spool.append(items);
    expect(await takeAll(spool)).toEqual(items);
  });

  it('gives portions of limited size, and deletes files that are acknowledged', async () => {
    const files = new MemoryFiles();
    const { spool } = await openTestSpool(files, { bounds: { segmentBytes: 500 } });
    for (let index = 0; index < 10; index += 1) await spool.append([errorOf(`text ${index}`)]);
    expect(files.files.size).toBe(3);
    const first = await spool.take(startPosition, { items: 4, bytes: 1_000_000 });
    expect(first.items.map((item) => 'error' in item && item.error)).toEqual([
      'text 0',
      'text 1',
      'text 2',
      'text 3',
    ]);
    await spool.acknowledge(first);
    expect([...files.files.keys()]).toEqual(['0000000002.spool', '0000000003.spool']);
    expect(spool.figures.reports).toBe(6);

    // The next process goes on at the same place, and knows how much waits.
    const { spool: next } = await openTestSpool(files, { acknowledged: first.end });
    expect(next.figures.reports).toBe(6);
    const byBytes = await next.take(first.end, { items: 100, bytes: 1 });
    expect(byBytes.items).toEqual([errorOf('text 4')]);
    const rest = await next.take(byBytes.end, large);
    expect(rest.items).toHaveLength(5);
    await next.acknowledge(byBytes);
    await next.acknowledge(rest);
    expect(next.figures).toEqual({ ...spool.figures, reports: 0, bytes: 0, oldestAt: null });
    expect(files.files.size).toBe(0);
  });

  it('gives again exactly what was sent, whatever arrived since', async () => {
    const files = new MemoryFiles();
    const { spool } = await openTestSpool(files);
    await spool.append([errorOf('one')]);
    const sent = await spool.take(startPosition, large);
    await spool.append([errorOf('one')]);
    const { spool: next } = await openTestSpool(files, { pinned: sent.end });
    expect(await next.retake(startPosition, sent.end)).toEqual(sent);
  });

  it('skips a damaged record, counts and tells it, and gives the others', async () => {
    const place = join(folder, 'spool');
    const { spool } = await openTestSpool(await openSpoolFolder(place));
    await spool.append([errorOf('first'), errorOf('second'), errorOf('third')]);
    await spool.close();
    const path = join(place, '0000000001.spool');
    const bytes = readFileSync(path);
    bytes[bytes.indexOf('second')] = 0;
    writeFileSync(path, bytes);
    const { spool: next, events } = await openTestSpool(await openSpoolFolder(place));
    expect(await takeAll(next)).toEqual([errorOf('first'), errorOf('third')]);
    const damaged = expect.any(Number);
    expect(events).toEqual([{ kind: 'damaged', file: '0000000001.spool', bytes: damaged, records: 1 }]);
    expect(next.figures).toMatchObject({ lostCount: 1, lastLossAt: startedAt });
    await next.close();
  });

  it('starts whatever is in its files, and leaves those of a newer version alone', async () => {
    const place = join(folder, 'spool');
    const files = await openSpoolFolder(place);
    writeFileSync(join(place, '0000000001.spool'), '');
    writeFileSync(join(place, '0000000002.spool'), 'no spool at all');
    writeFileSync(join(place, '0000000003.spool'), Buffer.from('MUSTERSPOOL\0\x02\0\0\0what comes'));
    writeFileSync(join(place, '0000000004.spool.new'), 'half of a file');
    writeFileSync(join(place, 'README'), 'not ours');
    const { spool, events } = await openTestSpool(files);
    expect(events).toEqual([{ kind: 'newer', file: '0000000003.spool', version: 2 }]);
    await spool.append([errorOf('one')]);
    expect(await takeAll(spool)).toEqual([errorOf('one')]);
    expect(readdirSync(place).sort()).toEqual(['0000000003.spool', '0000000004.spool', 'README']);
    await spool.close();
  });

  it('reads a file whose end was not written whole', async () => {
    const files = new MemoryFiles();
    const { spool } = await openTestSpool(files, { bounds: { segmentBytes: 1 } });
    await spool.append([errorOf('one'), updateOf('2')]);
    await spool.append([errorOf('three')]);
    const file = files.files.get('0000000001.spool');
    if (file) file.bytes = file.bytes.subarray(0, -2);
    const { spool: next, events } = await openTestSpool(files);
    expect(await takeAll(next)).toEqual([errorOf('one'), updateOf('2'), errorOf('three')]);
    expect(next.figures).toEqual(spool.figures);
    expect(events).toEqual([]);
  });

  it('takes nothing for lost that nobody was told to be kept', async () => {
    const files = new MemoryFiles({ survives: (bytes) => bytes - 3 });
    const { spool } = await openTestSpool(files);
    await spool.append([errorOf('one')]);
    const file = files.files.get('0000000001.spool');
    if (file) file.bytes = Buffer.concat([file.bytes, file.bytes.subarray(16)]);
    files.crash();
    const { spool: next, events } = await openTestSpool(files);
    expect(await takeAll(next)).toEqual([errorOf('one')]);
    expect(events).toEqual([]);
    expect(next.figures.lostCount).toBe(0);
  });

  it('refuses new errors when it is full, keeps what it has, and still takes state', async () => {
    let now = startedAt;
    const files = new MemoryFiles();
    const bounds = { maxBytes: 2_000, maxFurtherStateBytes: 1_000, segmentBytes: 500, foldFromBytes: 1e9 };
    const { spool, events } = await openTestSpool(files, { bounds, now: () => now });
    let kept = 0;
    const fill = async () => {
      for (; kept < 100; kept += 1) await spool.append([errorOf(`text ${kept}`)]);
    };
    await expect(fill()).rejects.toMatchObject({ name: 'SpoolError', kind: 'full' });
    await expect(fill()).rejects.toMatchObject({ kind: 'full' });
    await spool.append([updateOf('2')]);
    expect(events).toEqual([{ kind: 'full', bytes: expect.any(Number) }]);
    expect(kept).toBeGreaterThan(5);
    expect((await takeAll(spool)).length).toBe(kept + 1);
    now += hour;
    await spool.acknowledge(await spool.take(startPosition, { items: kept - 1, bytes: 1e9 }));
    expect(events.at(-1)).toEqual({ kind: 'has_room' });
    await spool.append([errorOf('again')]);
    expect(spool.figures).toMatchObject({ reports: 2, lostCount: 0 });
  });

  it('refuses state of one agent of which too much waits, and takes that of others', async () => {
    let isFailing = false;
    let now = startedAt;
    const files = new MemoryFiles({ failsNow: () => isFailing });
    const bounds = { maxStateBytesPerAgent: 1_000 };
    const { spool } = await openTestSpool(files, { bounds, now: () => now });
    isFailing = true;
    await expect(spool.append([updateOf('0')])).rejects.toMatchObject({ kind: 'write_failed' });
    isFailing = false;
    now += 1_000;
    // 337 bytes each, with what was refused not among them.
    await spool.append([updateOf('1')]);
    await Promise.allSettled([spool.append([updateOf('2')]), spool.append([updateOf('3')])]);
    const refusal = { name: 'SpoolError', kind: 'agent_full' };
    await expect(spool.append([updateOf('4')])).rejects.toMatchObject(refusal);
    await spool.append([errorOf('one')]);
    await spool.append([updateOf('1', { agentID: 'agent-2' })]);
    await spool.append([registrationOf('web-1')]);
    const first = await spool.take(startPosition, { items: 1, bytes: 1e9 });
    expect(first.items).toEqual([updateOf('1')]);
    await expect(spool.append([updateOf('4')])).rejects.toMatchObject(refusal);
    await spool.acknowledge(first);
    await spool.append([updateOf('4')]);
    await expect(spool.append([updateOf('5')])).rejects.toMatchObject(refusal);
  });

  it('drops errors that are too old and says how many, but no state', async () => {
    let now = startedAt;
    const files = new MemoryFiles();
    const bounds = { segmentBytes: 400, maxAgeMilliseconds: 10 * hour };
    const { spool, events } = await openTestSpool(files, { bounds, now: () => now });
    const later = { firstAt: startedAt + hour, lastAt: startedAt + hour, count: 7 };
    await spool.append([errorOf('one'), errorOf('two', later), updateOf('2')]);
    await spool.append([errorOf('three', { firstAt: startedAt + 9 * hour, lastAt: startedAt + 9 * hour })]);
    now += 11 * hour + 1;
    await spool.tend();
    expect(events).toEqual([{ kind: 'expired', reports: 8, from: startedAt, to: startedAt + hour }]);
    expect((await takeAll(spool)).map(({ kind }) => kind)).toEqual(['update', 'error']);
    expect(spool.figures).toMatchObject({ reports: 1, lostCount: 8, lastLossAt: now });
  });

  it('folds equal errors of complete files once it is large, and never those that were sent', async () => {
    const files = new MemoryFiles();
    const { spool } = await openTestSpool(files, { bounds: { segmentBytes: 2_000, foldFromBytes: 1e9 } });
    for (let index = 0; index < 40; index += 1) {
      const at = startedAt + index;
      await spool.append([errorOf('again', { firstAt: at, lastAt: at })]);
    }
    await spool.append([updateOf('2')]);
    const before = spool.figures;
    const { spool: next } = await openTestSpool(files, { bounds: { foldFromBytes: 0 } });
    const sent = await next.take(startPosition, { items: 3, bytes: 1e9 });
    await next.tend();
    expect(next.figures.bytes).toBeLessThan(before.bytes / 2);
    expect(next.figures).toEqual({ ...before, bytes: next.figures.bytes });
    expect(await next.retake(startPosition, sent.end)).toEqual(sent);
    const items = [...sent.items, ...(await next.take(sent.end, large)).items];
    expect(items.reduce((sum, item) => sum + ('count' in item ? item.count : 0), 0)).toBe(40);
    expect(items.at(-1)).toEqual(updateOf('2'));
  });

  it('refuses what a failing disk does not take, and goes on in a new file when it works again', async () => {
    let isFailing = false;
    let now = startedAt;
    const files = new MemoryFiles({ failsNow: () => isFailing });
    const { spool, events } = await openTestSpool(files, { now: () => now });
    await spool.append([errorOf('one')]);
    isFailing = true;
    const failure = { kind: 'write_failed', cause: new Error('ENOSPC: no space left on device') };
    await expect(spool.append([errorOf('two')])).rejects.toMatchObject(failure);
    isFailing = false;
    await expect(spool.append([errorOf('three')])).rejects.toMatchObject(failure);
    expect(events).toEqual([{ kind: 'write_failed', error: failure.cause }]);
    now += 1_000;
    await spool.append([errorOf('four')]);
    expect(await takeAll(spool)).toEqual([errorOf('one'), errorOf('four')]);
    expect([...files.files.keys()]).toEqual(['0000000001.spool', '0000000002.spool']);
    await spool.close();
    await expect(spool.append([errorOf('five')])).rejects.toMatchObject({ kind: 'closed' });
  });

  it.skipIf(process.getuid?.() === 0)('cannot be opened in a folder that may not be written', async () => {
    chmodSync(folder, 0o500);
    await expect(openSpoolFolder(join(folder, 'spool'))).rejects.toThrow('EACCES');
  });
});
