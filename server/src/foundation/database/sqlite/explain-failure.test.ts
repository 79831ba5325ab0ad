import { describe, expect, it } from 'vitest';
import { explainFailure } from './explain-failure.ts';

describe('explainFailure', () => {
  it.each([
    ['database or disk is full', 'Free some space on the disk'],
    ['ENOSPC: no space left on device, fsync', 'Free some space on the disk'],
    ['attempt to write a readonly database', 'Let Muster write to the data directory'],
    ["EROFS: read-only file system, open '/data/muster.db-wal'", 'Let Muster write to the data directory'],
    ['disk I/O error', 'Check whether the disk with the data directory is full or failing'],
    ['EIO: i/o error, fsync', 'Check whether the disk with the data directory is full or failing'],
    ['EFBIG: file too large, write', 'limits on the size of files'],
    ['database disk image is malformed', 'restore a backup'],
    ['file is not a database', 'restore a backup'],
    ['unable to open database file', 'Let Muster read and write the data directory'],
    ['database is locked', 'Another program has locked the database'],
  ])('%s: says what to do', (message, todo) => {
    const explained = explainFailure(message);
    expect(explained.startsWith(`${message}. `)).toBe(true);
    expect(explained).toContain(todo);
  });

  it('does not change messages without a known remedy', () => {
    expect(explainFailure('UNIQUE constraint failed: notes.text')).toBe(
      'UNIQUE constraint failed: notes.text',
    );
  });
});
