import { describe, expect, it } from 'vitest';
import { explainFailure } from './explain-failure.ts';

describe('explainFailure', () => {
  it.each([
    ['database or disk is full', 'Make room on the disk'],
    ['ENOSPC: no space left on device, fsync', 'Make room on the disk'],
    ['attempt to write a readonly database', 'Let Muster write to the data directory'],
    ["EROFS: read-only file system, open '/data/muster.db-wal'", 'Let Muster write to the data directory'],
    ['disk I/O error', 'Look whether the disk that holds the data directory is full or fails'],
    ['EIO: i/o error, fsync', 'Look whether the disk that holds the data directory is full or fails'],
    ['EFBIG: file too large, write', 'limits on the size of files'],
    ['database disk image is malformed', 'restore a backup'],
    ['file is not a database', 'restore a backup'],
    ['unable to open database file', 'Let Muster read and write the data directory'],
    ['database is locked', 'Another program holds the database'],
  ])('%s: says what to do', (message, todo) => {
    const explained = explainFailure(message);
    expect(explained.startsWith(`${message}. `)).toBe(true);
    expect(explained).toContain(todo);
  });

  it('leaves as it is what no person can do anything about', () => {
    expect(explainFailure('UNIQUE constraint failed: notes.text')).toBe(
      'UNIQUE constraint failed: notes.text',
    );
  });
});
