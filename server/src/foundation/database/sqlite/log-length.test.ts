import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadSqliteDriver } from './load-driver.ts';
import { LogLength } from './log-length.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'muster-log-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

it("equals SQLite's own count for a log that grows, restarts and is shorter than before", () => {
  const { DatabaseSync } = loadSqliteDriver();
  const connection = new DatabaseSync(join(directory, 'a.db'));
  connection.exec('pragma journal_mode = wal');
  connection.exec('pragma wal_autocheckpoint = 0');
  connection.exec('create table numbers (number integer primary key, text text)');
  const length = new LogLength(join(directory, 'a.db-wal'));
  const insert = connection.prepare('insert into numbers (text) values (?)');
  const checkpoint = connection.prepare('pragma wal_checkpoint(passive)');
  // After a complete checkpoint, the next commit restarts the log.
  for (const rows of [1, 5, 40, 2, 0, 13, 100, 1, 64]) {
    for (let row = 0; row < rows; row += 1) {
      insert.run('x'.repeat(5_000));
      expect(length.read()).toBeGreaterThan(0);
    }
    const before = length.read();
    expect({ ...checkpoint.get() }).toEqual({ busy: 0, log: before, checkpointed: before });
    expect(length.read()).toBe(before);
  }
  length.close();
  connection.close();
});
