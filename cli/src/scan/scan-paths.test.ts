import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { formatToken } from '@muster/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scanPaths } from './scan-paths.ts';

const access = formatToken('access', new Uint8Array(32).fill(1));
const found = [expect.objectContaining({ kind: 'access', value: access })];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-scan-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function scan(path: string, stdin: Readable = Readable.from([])) {
  return scanPaths([path], { stdin, workingDirectory: folder, excluded: new Set() });
}

describe('scanPaths', () => {
  it('reads an open pipe to its end, as a shell passes the output of a command', async () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, 'w');
    writeSync(writer, access);
    const file = `/dev/fd/${reader}`;
    const scanned = [];
    for await (const one of scan(file)) {
      scanned.push(one);
      closeSync(writer);
    }
    closeSync(reader);
    expect(scanned).toEqual([{ file, findings: found }]);
  });

  it('holds no more of a long stream than it needs, whatever the length', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    let sent = 0;
    function* chunks(): Generator<Buffer> {
      for (;;) {
        sent += 1;
        yield sent % 100 === 0 ? Buffer.from(access) : chunk;
      }
    }
    const stdin = Readable.from(chunks(), { highWaterMark: 2 });
    const sentBefore: number[] = [];
    for await (const one of scan('-', stdin)) {
      expect(one).toEqual({ file: '-', findings: found });
      sentBefore.push(sent);
      if (sentBefore.length === 3) break;
    }
    // The chunk with the credential, and those that wait in the stream.
    for (const [index, count] of sentBefore.entries()) expect(count - 100 * (index + 1)).toBeLessThan(5);
  });
});
