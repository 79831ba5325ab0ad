import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readServerUrlFile, writeServerUrlFile } from './server-url-file.ts';

let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'muster-url-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

describe('the file with the address of the server', () => {
  it('is written also by a replica on PostgreSQL that has no data directory yet', () => {
    const dataDirectory = join(parent, 'new', 'data');
    const remove = writeServerUrlFile(dataDirectory, 'http://0.0.0.0:7400');
    expect(readServerUrlFile(dataDirectory)).toBe('http://127.0.0.1:7400');
    expect(statSync(dataDirectory).mode & 0o777).toBe(0o700);
    remove();
    expect(existsSync(join(dataDirectory, 'server-url'))).toBe(false);
  });

  it('keeps no replica from starting where it cannot be written', () => {
    const file = join(parent, 'file');
    writeFileSync(file, '');
    const remove = writeServerUrlFile(join(file, 'data'), 'http://127.0.0.1:7400');
    expect(() => remove()).not.toThrow();
  });
});
