import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogFileFollower } from './log-file-follower.ts';

let folder = '';
let path = '';
let follower: LogFileFollower | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-log-file-'));
  path = join(folder, 'agent.log');
});
afterEach(async () => {
  await follower?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a function that polls and returns the new content. */
async function follow(stream = { isBehind: false }) {
  const chunks: string[] = [];
  const faults: string[] = [];
  const started = await LogFileFollower.start({
    path,
    stream: {
      push: (chunk) => chunks.push(String(chunk)),
      get isBehind() {
        return stream.isBehind;
      },
    },
    onFault: (reason) => faults.push(reason),
  });
  follower = started;
  return {
    faults,
    async poll() {
      await started.poll();
      return chunks.splice(0).join('');
    },
    /** Polls, and returns whether nothing is left. */
    isRead: () => started.poll(),
  };
}

describe('LogFileFollower', () => {
  it('begins at the end of the file, and passes on added content', async () => {
    writeFileSync(path, 'before\n');
    const { poll, faults } = await follow();
    expect(await poll()).toBe('');
    appendFileSync(path, 'one\ntw');
    expect(await poll()).toBe('one\ntw');
    appendFileSync(path, 'o\n');
    expect([await poll(), await poll(), faults]).toEqual(['o\n', '', []]);
  });

  it('begins at the beginning of a file that appears later', async () => {
    const { poll, faults } = await follow();
    expect(await poll()).toBe('');
    writeFileSync(path, 'one\n');
    expect([await poll(), faults]).toEqual(['one\n', []]);
  });

  it('reads the rest of the old file and then the new one after a rotation', async () => {
    writeFileSync(path, 'before\n');
    const { poll } = await follow();
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, 'old, while there is no new one\n');
    expect(await poll()).toBe('old, while there is no new one\n');
    writeFileSync(path, 'new\n');
    appendFileSync(`${path}.1`, 'old');
    expect(await poll()).toBe('old');
    expect(await poll()).toBe('\nnew\n');
    appendFileSync(path, 'newer\n');
    expect(await poll()).toBe('newer\n');
  });

  it('begins again when the file is truncated, as copytruncate of logrotate does', async () => {
    writeFileSync(path, 'before\n');
    const { poll } = await follow();
    appendFileSync(path, 'with no line break');
    expect(await poll()).toBe('with no line break');
    copyFileSync(path, `${path}.1`);
    truncateSync(path, 0);
    expect(await poll()).toBe('\n');
    appendFileSync(path, 'after\n');
    expect(await poll()).toBe('after\n');
  });

  it('continues after the file is removed and created again', async () => {
    writeFileSync(path, 'before\n');
    const { poll } = await follow();
    unlinkSync(path);
    expect(await poll()).toBe('');
    writeFileSync(path, 'again\n');
    expect([await poll(), await poll()]).toEqual(['again\n', '']);
  });

  it('leaves content in the file while the reader is busy', async () => {
    writeFileSync(path, '');
    const stream = { isBehind: true };
    const { poll, isRead } = await follow(stream);
    const lines = 'x'.repeat(99).concat('\n').repeat(10_000);
    appendFileSync(path, lines);
    expect([await poll(), await isRead()]).toEqual(['', false]);
    stream.isBehind = false;
    expect((await poll()) === lines).toBe(true);
  });

  it.each([
    ['a folder', () => mkdirSync(path)],
    ['a pipe', () => void execFileSync('mkfifo', [path])],
  ])('reports once that it cannot follow %s', async (_, make) => {
    make();
    const { poll, isRead, faults } = await follow();
    expect([await poll(), await isRead(), faults]).toEqual(['', true, ['it is not a regular file']]);
  });

  it('leaves nothing for later when the file cannot be read, and says why once', async () => {
    // A regular file, of which no byte can be read.
    symlinkSync('/proc/self/mem', path);
    const { isRead, faults } = await follow();
    expect([await isRead(), await isRead(), faults]).toEqual([true, true, [expect.stringContaining('EIO')]]);
  });
});
