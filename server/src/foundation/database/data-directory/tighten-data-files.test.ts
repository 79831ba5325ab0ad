import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dropTestDatabase, prepareTestDatabase, testEngine } from '../../../testing/test-database.ts';
import type { Database } from '../database.ts';
import { migrate } from '../migrate.ts';
import { openDatabase } from '../open-database.ts';

let dataDirectory: string;
let opened: Database | undefined;
let notices: string[];

beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  chmodSync(dataDirectory, 0o755);
  notices = [];
});

afterEach(async () => {
  await close();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

async function open(): Promise<void> {
  opened = await openDatabase({
    dataDirectory,
    databaseUrl: await prepareTestDatabase(dataDirectory),
    onConnectionError: () => undefined,
    onNotice: (notice) => notices.push(notice),
  });
  await migrate(opened);
  await opened.check();
}

async function close(): Promise<void> {
  await opened?.close();
  opened = undefined;
}

/** Modes by file name. */
function modes(): Record<string, string> {
  const names = readdirSync(dataDirectory).sort();
  return Object.fromEntries(
    names.map((name) => [name, (statSync(join(dataDirectory, name)).mode & 0o777).toString(8)]),
  );
}

const ofSqlite = ['muster.db', 'muster.db-shm', 'muster.db-wal', 'muster.lock'];

describe('the files of a data directory that others may read', () => {
  it('are readable only by their owner from the first start on', async () => {
    await open();
    expect(modes()).toEqual(
      testEngine === 'sqlite' ? Object.fromEntries(ofSqlite.map((name) => [name, '600'])) : {},
    );
    expect(notices).toEqual([]);
  });

  it('become private if an earlier version left them readable, and the log names them', async () => {
    await open();
    await close();
    writeFileSync(join(dataDirectory, 'admin-token'), 'of the first start\n');
    writeFileSync(join(dataDirectory, 'project-token'), 'of the first start\n');
    writeFileSync(join(dataDirectory, 'sign-in-link'), 'of the first start\n');
    writeFileSync(join(dataDirectory, 'secret-key'), 'put back after a restore\n');
    writeFileSync(join(dataDirectory, 'notes.txt'), 'of the operator\n');
    for (const name of readdirSync(dataDirectory)) chmodSync(join(dataDirectory, name), 0o644);
    await open();
    expect(modes()).toEqual({
      'admin-token': '600',
      'project-token': '600',
      'secret-key': '600',
      'sign-in-link': '600',
      ...(testEngine === 'sqlite' ? Object.fromEntries(ofSqlite.map((name) => [name, '600'])) : {}),
      'notes.txt': '644',
    });
    const tightened =
      testEngine === 'sqlite'
        ? 'muster.db, muster.lock, admin-token, project-token, sign-in-link, secret-key'
        : 'admin-token, project-token, sign-in-link, secret-key';
    expect(notices).toEqual([
      `other users could read or lock ${tightened} in ${dataDirectory}; now only the owner can (mode 0600). If others were not to be trusted, revoke the tokens that they may have read.`,
    ]);
    await close();
    await open();
    expect(notices).toHaveLength(1);
  });
});
