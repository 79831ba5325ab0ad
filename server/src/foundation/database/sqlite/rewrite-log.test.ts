import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rewriteLog } from './rewrite-log.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'muster-test-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

// test/faults/trace checks with system calls that it is written and synced.
describe('rewriteLog', () => {
  it.each([0, 32, 1024 * 1024, 2 * 1024 * 1024 + 7])('does not change a log of %i bytes', (size) => {
    const file = join(directory, 'log');
    const bytes = randomBytes(size);
    writeFileSync(file, bytes);
    rewriteLog(file);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it('does not create a log', () => {
    expect(() => rewriteLog(join(directory, 'absent'))).toThrow('ENOENT');
  });
});
