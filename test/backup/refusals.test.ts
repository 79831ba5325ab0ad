import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { takeBackupLock } from '../../server/src/foundation/database/backup/backup-lock.ts';
import {
  backupToDirectory,
  backupToStream,
} from '../../server/src/foundation/database/backup/create-backup.ts';
import { checkBackup, restoreBackup } from '../../server/src/foundation/database/backup/restore-backup.ts';
import { lockDataDirectory } from '../../server/src/foundation/database/data-directory/lock-data-directory.ts';
import { type ForgedEntry, forgeArchive } from '../../server/src/testing/forge-archive.ts';
import { fill, makePlace, type Place, readWholeDatabase, startInstallation } from './installation.ts';

const day = 86_400_000;
const firstDay = Date.parse('2026-11-22T03:15:00Z');

const isRoot = process.getuid?.() === 0;
if (!isRoot)
  process.stderr.write('Restoring into the directory of another user is not tested: that takes root.\n');

let source: Place;
let parent: string;
let directory: string;
let count = 0;

beforeAll(async () => {
  source = await makePlace();
  const { app, admin } = await startInstallation(source);
  await fill(app, admin);
  await app.close();
  parent = mkdtempSync(join(tmpdir(), 'muster-backups-'));
});

beforeEach(() => {
  count += 1;
  directory = join(parent, String(count));
});

afterAll(async () => {
  await source.remove();
  rmSync(parent, { recursive: true });
});

const pace = { pauseFactor: 0, maxLogBytes: 0 };

async function backUp(createdAt = firstDay, keep?: number) {
  const { dataDirectory, databaseUrl } = source;
  return backupToDirectory({
    dataDirectory,
    databaseUrl,
    directory,
    keep,
    pace,
    clock: () => createdAt,
    musterVersion: '1.2.3',
  });
}

const noInput = () => new PassThrough().end();

async function restore(from: string, dataDirectory: string, replace = false) {
  return restoreBackup({
    source: from,
    stdin: noInput(),
    dataDirectory,
    databaseUrl: undefined,
    replace,
    clock: () => firstDay,
  });
}

const check = (from: string) =>
  checkBackup({ source: from, stdin: noInput(), dataDirectory: join(parent, 'unpacked') });

const visible = (folder: string) => readdirSync(folder).filter((name) => !name.startsWith('.'));

describe('a directory of backups', () => {
  it('keeps the newest ones, and those of other installations', async () => {
    await backUp(firstDay);
    const [first = ''] = visible(directory);
    const foreign = join(directory, 'muster-backup-20200101T000000Z');
    cpSync(join(directory, first), foreign, { recursive: true });
    const manifest = JSON.parse(readFileSync(join(foreign, 'manifest.json'), 'utf8'));
    const changed = { ...manifest, installationID: '00000000-0000-7000-8000-000000000000' };
    writeFileSync(join(foreign, 'manifest.json'), JSON.stringify(changed));
    for (let number = 1; number <= 3; number += 1) await backUp(firstDay + number * day, 2);
    expect(visible(directory)).toEqual([
      'muster-backup-20200101T000000Z',
      'muster-backup-20261124T031500Z',
      'muster-backup-20261125T031500Z',
    ]);
  });

  it('gives two backups of one second two names', async () => {
    await backUp();
    await backUp();
    expect(visible(directory)).toEqual([
      'muster-backup-20261122T031500Z',
      'muster-backup-20261122T031500Z-2',
    ]);
  });

  it('does not take what a killed process left for a backup, and removes it with the next backup', async () => {
    mkdirSync(join(directory, '.muster-backup-20261121T031500Z.partial'), { recursive: true });
    writeFileSync(join(directory, '.muster-backup-20261121T031500Z.partial', 'muster.db'), 'half');
    await expect(check(directory)).rejects.toThrow(
      `${directory} holds no complete backup of Muster: it has no manifest.json, and no folder muster-backup-… with one.`,
    );
    await backUp();
    expect(readdirSync(directory).sort()).toEqual(['.muster-backup.lock', 'muster-backup-20261122T031500Z']);
  });

  it('gets one backup at a time', async () => {
    mkdirSync(directory);
    const lock = takeBackupLock(join(directory, '.muster-backup.lock'));
    await expect(backUp()).rejects.toThrow(
      `Another backup is being written: a process holds ${directory}/.muster-backup.lock. Wait until it has ended. Nothing was changed.`,
    );
    lock?.release();
    await backUp();
    expect(visible(directory)).toHaveLength(1);
  });
});

describe('a backup', () => {
  it('is refused if there is no database', async () => {
    const empty = join(parent, 'empty');
    mkdirSync(empty);
    const backup = backupToDirectory({
      dataDirectory: empty,
      databaseUrl: undefined,
      directory,
      keep: undefined,
      pace,
      clock: () => firstDay,
      musterVersion: '1.2.3',
    });
    await expect(backup).rejects.toThrow(
      `There is no embedded database in ${empty}: it has no muster.db. Name the data directory of the service with MUSTER_DATA_DIR, or its PostgreSQL database with DATABASE_URL.`,
    );
    expect(visible(directory)).toEqual([]);
  });

  it('of a damaged database is refused, and replaces no earlier backup', async () => {
    await backUp(firstDay, 1);
    const damaged = join(parent, 'damaged');
    cpSync(source.dataDirectory, damaged, { recursive: true });
    const file = join(damaged, 'muster.db');
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4_096 * 3, 4_096 * 30);
    writeFileSync(file, bytes);
    const backup = backupToDirectory({
      dataDirectory: damaged,
      databaseUrl: undefined,
      directory,
      keep: 1,
      pace,
      clock: () => firstDay + day,
      musterVersion: '1.2.3',
    });
    await expect(backup).rejects.toThrow(
      `${file} is damaged, so no backup was made. Earlier backups are unchanged. Stop Muster, keep a copy of the data directory, and restore the newest backup that \`muster backup --verify\` finds whole.`,
    );
    expect(readdirSync(directory).sort()).toEqual(['.muster-backup.lock', 'muster-backup-20261122T031500Z']);
  });

  it.each([
    [
      'with a changed byte',
      (file: string) => writeFileSync(file, readFileSync(file).fill(1, 5_000, 5_001)),
      'the SHA-256 of muster.db is not the one in the manifest',
    ],
    [
      'with a missing part',
      (file: string) => truncateSync(file, 8_192),
      /muster\.db has 8192 bytes, and the manifest says \d+/,
    ],
    [
      'with more bytes',
      (file: string) => appendFileSync(file, 'x'),
      /muster\.db has \d+ bytes, and the manifest says \d+/,
    ],
    ['without its file', (file: string) => rmSync(file), 'muster.db is missing'],
  ])('%s is refused, and nothing is restored', async (_, damage, message) => {
    const { folder } = await backUp();
    damage(join(folder, 'muster.db'));
    await expect(check(directory)).rejects.toThrow(message);
    const target = join(directory, 'target');
    await expect(restore(directory, target)).rejects.toThrow(message);
    expect(existsSync(join(target, 'muster.db'))).toBe(false);
  });

  it('of a newer version is refused, and the message names it', async () => {
    const { folder } = await backUp();
    const file = join(folder, 'manifest.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...manifest, formatVersion: 2 }));
    await expect(check(folder)).rejects.toThrow(
      `${file} has the format 2, and this Muster reads format 1. Use the version of Muster that made the backup, or a newer one.`,
    );
  });

  it('does not lead out of its folder', async () => {
    const { folder } = await backUp();
    const file = join(folder, 'manifest.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    const [one] = manifest.files;
    writeFileSync(file, JSON.stringify({ ...manifest, files: [{ ...one, name: '../muster.db' }] }));
    await expect(check(folder)).rejects.toThrow(
      `${file} is damaged: a field is missing or has another type.`,
    );
  });
});

describe('an archive', () => {
  async function pack(): Promise<string> {
    mkdirSync(directory);
    const output = new PassThrough();
    const chunks: Buffer[] = [];
    output.on('data', (chunk: Buffer) => chunks.push(chunk));
    const { dataDirectory, databaseUrl } = source;
    await backupToStream({
      dataDirectory,
      databaseUrl,
      output,
      pace,
      clock: () => firstDay,
      musterVersion: '1.2.3',
    });
    const file = join(directory, 'backup.tar');
    writeFileSync(file, Buffer.concat(chunks));
    return file;
  }

  it('is restored from a file', async () => {
    const target = join(directory, 'target');
    const archive = await pack();
    await restore(archive, target);
    const place = { ...source, dataDirectory: target };
    expect(await readWholeDatabase(place)).toEqual(await readWholeDatabase(source));
    expect(readdirSync(target).sort()).toEqual(['muster.db', 'muster.lock']);
  });

  it.each([0, 300, 5_000, 100_000])('that ends after %i bytes is refused', async (size) => {
    const archive = await pack();
    truncateSync(archive, size);
    const target = join(directory, 'target');
    await expect(restore(archive, target)).rejects.toThrow();
    expect(readdirSync(target)).toEqual([]);
  });
});

describe('a hostile archive', () => {
  function forge(entries: readonly ForgedEntry[]): string {
    mkdirSync(directory);
    const file = join(directory, 'hostile.tar');
    writeFileSync(file, forgeArchive(entries));
    return file;
  }

  it.each<readonly [string, readonly ForgedEntry[]]>([
    ['a path that leads out', [{ path: '../planted', text: 'x' }]],
    ['a path inside of a folder that leads out', [{ path: 'a/../../planted', text: 'x' }]],
    ['an absolute path', [{ path: '/planted', text: 'x' }]],
    [
      'a link that leads out, and a file below it',
      [
        { path: 'muster.db', type: 'SymbolicLink', linkpath: '../planted' },
        { path: 'muster.db/x', text: 'x' },
      ],
    ],
    ['a hard link', [{ path: 'muster.db', type: 'Link', linkpath: '../admin-token' }]],
    ['a pipe', [{ path: 'muster.db', type: 'FIFO' }]],
    ['a manifest that is a link', [{ path: 'manifest.json', type: 'SymbolicLink', linkpath: '/etc/passwd' }]],
  ])('with %s writes nothing', async (_, entries) => {
    const archive = forge(entries);
    const target = join(directory, 'target');
    await expect(restore(archive, target)).rejects.toThrow('it has no readable manifest.json');
    expect(readdirSync(target)).toEqual([]);
    expect(readdirSync(directory).sort()).toEqual(['hostile.tar', 'target']);
  });

  it('with more than the disk has is refused before it fills the disk', async () => {
    const archive = forge([{ path: 'muster.db', size: 2 ** 52 }]);
    const target = join(directory, 'target');
    await expect(restore(archive, target)).rejects.toThrow(
      /^The archive holds more than fits on the disk of \S+: at least 4503599627370496 bytes, and \d+ are free\. Nothing was restored\./,
    );
    expect(readdirSync(target)).toEqual([]);
  });
});

describe('a folder with a pipe', () => {
  it.each(['manifest.json', 'muster.db'])('for %s is refused, and not waited for', async (name) => {
    const { folder } = await backUp();
    rmSync(join(folder, name));
    execFileSync('mkfifo', [join(folder, name)]);
    await expect(check(folder)).rejects.toThrow(
      name === 'muster.db' ? 'muster.db is not a file' : 'it has no readable manifest.json',
    );
  });
});

describe('a manifest', () => {
  it.each([
    ['of another file than the database', (files: object[]) => [{ ...files[0], name: 'other.db' }]],
    ['of no file', () => []],
    ['of a further file', (files: object[]) => [...files, { ...files[0], name: 'more.db' }]],
    ['with a name of two components', (files: object[]) => [{ ...files[0], name: 'a/muster.db' }]],
  ])('%s is refused', async (_, change) => {
    const { folder } = await backUp();
    const file = join(folder, 'manifest.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...manifest, files: change(manifest.files) }));
    await expect(check(folder)).rejects.toThrow(
      `${file} is damaged: a field is missing or has another type.`,
    );
  });

  it('of more than a megabyte is not read', async () => {
    const { folder } = await backUp();
    writeFileSync(join(folder, 'manifest.json'), ' '.repeat(1_100_000));
    await expect(check(folder)).rejects.toThrow('it has no readable manifest.json');
  });
});

describe('a data directory', () => {
  it('that is not empty is refused, and is put aside with --replace', async () => {
    await backUp();
    const target = join(directory, 'target');
    cpSync(source.dataDirectory, target, { recursive: true });
    writeFileSync(join(target, 'muster.db'), 'another installation');
    await expect(restore(directory, target)).rejects.toThrow(
      `${target} is not empty: it holds muster.db of an installation. Nothing was changed. Name another directory with MUSTER_DATA_DIR, or add --replace, which puts these files into a folder of their own.`,
    );
    expect(readFileSync(join(target, 'muster.db'), 'utf8')).toBe('another installation');
    const { putAside, adminToken } = await restore(directory, target, true);
    expect(putAside).toBe(join(target, 'before-restore-20261122T031500Z'));
    expect(readFileSync(join(putAside ?? '', 'muster.db'), 'utf8')).toBe('another installation');
    expect(adminToken).toBe('valid');
    const place = { ...source, dataDirectory: target };
    expect(await readWholeDatabase(place)).toEqual(await readWholeDatabase(source));
  });

  it('that a service uses is refused', async () => {
    await backUp();
    const target = join(directory, 'target');
    mkdirSync(target);
    const lock = lockDataDirectory(target);
    await expect(restore(directory, target, true)).rejects.toThrow(
      `Nothing was restored, because a running Muster uses ${target}. Stop it first.`,
    );
    lock.release();
  });

  it.runIf(isRoot)('of another user belongs to that user, with all that root restores into it', async () => {
    await backUp();
    const target = join(directory, 'target');
    mkdirSync(target);
    writeFileSync(join(target, 'muster.db'), 'another installation');
    chownSync(target, 12_345, 12_346);
    await restore(directory, target, true);
    const ownerOf = (name: string) => {
      const { uid, gid } = statSync(join(target, name));
      return [name, uid, gid];
    };
    expect(readdirSync(target).sort().map(ownerOf)).toEqual(
      ['before-restore-20261122T031500Z', 'muster.db', 'muster.lock'].map((name) => [name, 12_345, 12_346]),
    );
  });

  it('whose database was lost gets the restored one', async () => {
    await backUp();
    const target = join(directory, 'target');
    mkdirSync(target);
    for (const name of ['muster.lock', 'admin-token']) {
      cpSync(join(source.dataDirectory, name), join(target, name));
    }
    const { putAside } = await restore(directory, target);
    expect(putAside).toBeUndefined();
    const app = await startInstallation({ ...source, dataDirectory: target });
    expect(app.app.app.firstStart).toBeUndefined();
    await app.app.close();
  });
});
