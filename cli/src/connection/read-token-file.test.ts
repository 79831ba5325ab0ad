import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tokenFileReader } from './read-token-file.ts';

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-token-'));
  path = join(folder, 'token');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A clock that only waits advance. `onWait` runs at each wait, with the number of earlier ones. */
function ownClock(onWait: (waits: number) => void = () => undefined) {
  let now = 0;
  let waits = 0;
  return {
    now: () => now,
    wait: (milliseconds: number) => {
      now += milliseconds;
      onWait(waits);
      waits += 1;
      return Promise.resolve();
    },
  };
}

function makePipe(): void {
  execFileSync('mkfifo', [path]);
}

/** Opened for reading and writing, so that the test need not wait for a reader. */
function openPipe(): number {
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
}

const noneCame = () =>
  `--token-file ${path} is a pipe or a device, and no line with a token has come from it within 5 s`;

describe('the file of --token-file', () => {
  it('is read again each time', async () => {
    const read = tokenFileReader(path, ownClock());
    writeFileSync(path, 'first\n');
    expect(await read()).toBe('first');
    writeFileSync(path, ' second');
    expect(await read()).toBe('second');
    writeFileSync(path, '');
    expect(await read()).toBe('');
  });

  it('is named in the error with its flag if it cannot be read', async () => {
    await expect(tokenFileReader(path, ownClock())()).rejects.toThrow(
      `--token-file ${path} cannot be read: ENOENT: no such file or directory, open '${path}'`,
    );
    await expect(tokenFileReader(folder, ownClock())()).rejects.toThrow(
      `--token-file ${folder} cannot be read: EISDIR: illegal operation on a directory, read`,
    );
  });

  it('may be endless', async () => {
    const tooLong = (file: string) => `--token-file ${file} is longer than 16 KiB, so it is no token`;
    await expect(tokenFileReader('/dev/zero', ownClock())()).rejects.toThrow(tooLong('/dev/zero'));
    writeFileSync(path, 'x'.repeat(16_385));
    await expect(tokenFileReader(path, ownClock())()).rejects.toThrow(tooLong(path));
    writeFileSync(path, 'x'.repeat(16_384));
    expect(await tokenFileReader(path, ownClock())()).toHaveLength(16_384);
  });

  it('may be a pipe without a writer, or without a complete line', async () => {
    makePipe();
    await expect(tokenFileReader(path, ownClock())()).rejects.toThrow(noneCame());
    const writer = openPipe();
    writeSync(writer, 'tok');
    await expect(tokenFileReader(path, ownClock())()).rejects.toThrow(noneCame());
    closeSync(writer);
  });

  it('may be a pipe that gets its line later and in pieces, and stays open', async () => {
    makePipe();
    const writer = openPipe();
    const pieces = ['', 'tok', 'en', '\nmore'];
    const read = tokenFileReader(
      path,
      ownClock((waits) => writeSync(writer, pieces[waits] ?? '')),
    );
    expect(await read()).toBe('token');
    closeSync(writer);
  });

  it('is remembered if it is a pipe, because a pipe can be read only once', async () => {
    makePipe();
    const writer = openPipe();
    writeSync(writer, 'token\n');
    let waits = 0;
    const read = tokenFileReader(
      path,
      ownClock(() => {
        waits += 1;
      }),
    );
    expect([await read(), await read(), waits]).toEqual(['token', 'token', 0]);
    writeSync(writer, 'another\n');
    expect(await read()).toBe('another');
    closeSync(writer);
  });
});
