import { hash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backupToDirectory } from '../../server/src/foundation/database/backup/create-backup.ts';
import { restoreBackup } from '../../server/src/foundation/database/backup/restore-backup.ts';
import { fillEveryTable } from './fill-every-table.ts';
import { makePlace, type Place, readWholeDatabase, startInstallation } from './installation.ts';

const firstDay = Date.parse('2026-11-22T03:15:00Z');

let source: Place;
let target: Place;
let parent: string;
/** A backup that a test may damage. */
let folder: string;
let original: string;

beforeAll(async () => {
  source = await makePlace();
  const { app, admin } = await startInstallation(source);
  await fillEveryTable(app, admin);
  await app.close();
  parent = mkdtempSync(join(tmpdir(), 'muster-backups-'));
  const { dataDirectory, databaseUrl } = source;
  const made = await backupToDirectory({
    dataDirectory,
    databaseUrl,
    directory: parent,
    keep: undefined,
    pace: { pauseFactor: 0, maxLogBytes: 0 },
    clock: () => firstDay,
    musterVersion: '1.2.3',
  });
  original = made.folder;
  folder = join(parent, 'damaged');
});
beforeEach(async () => {
  cpSync(original, folder, { recursive: true });
  target = await makePlace();
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await target.remove();
});
afterAll(async () => {
  await source.remove();
  rmSync(parent, { recursive: true });
});

const restore = (databaseUrl = target.databaseUrl, from = folder) =>
  restoreBackup({
    source: from,
    stdin: new PassThrough().end(),
    dataDirectory: target.dataDirectory,
    databaseUrl,
    replace: false,
    clock: () => firstDay,
  });

async function query(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: target.databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

interface Manifest {
  files: { name: string; bytes: number; sha256: string; columns?: string[] }[];
  rows: Record<string, number>;
}

const manifestFile = () => join(folder, 'manifest.json');
function changeManifest(change: (manifest: Manifest) => void): void {
  const manifest = JSON.parse(readFileSync(manifestFile(), 'utf8'));
  change(manifest);
  writeFileSync(manifestFile(), JSON.stringify(manifest));
}

/** Changes a file, and lets the manifest say that this is how it was made. */
function forge(name: string, change: (text: string) => string): void {
  const text = change(readFileSync(join(folder, name), 'utf8'));
  writeFileSync(join(folder, name), text);
  changeManifest(({ files }) => {
    for (const file of files) {
      if (file.name === name)
        Object.assign(file, { bytes: Buffer.byteLength(text), sha256: hash('sha256', text) });
    }
  });
}

/** Whether the target has no row of any installation. */
async function expectNothingRestored(): Promise<void> {
  const [found] = (await query("select to_regclass('users') as users")) as { users: string | null }[]; // as selected
  if (found?.users !== null) expect(await query('select id from users')).toEqual([]);
}

describe('a PostgreSQL database', () => {
  it('that holds an installation is refused, and stays as it is', async () => {
    await restore();
    const before = await readWholeDatabase(target);
    await expect(restore()).rejects.toThrow(
      'The database that DATABASE_URL names is not empty: it holds an installation. Nothing was changed. Create another database, restore into it, and start Muster with it; the former one stays as it is.',
    );
    expect(await readWholeDatabase(target)).toEqual(before);
    expect(before).toEqual(await readWholeDatabase(source));
  });

  it('that a running Muster uses is refused', async () => {
    const client = new pg.Client({ connectionString: target.databaseUrl, application_name: 'muster 20' });
    await client.connect();
    const restoring = restore();
    await expect(restoring).rejects.toThrow(
      /^Nothing was restored, because a running Muster uses the database, from 127\.0\.0\.1 \(process \d+ of PostgreSQL\)\. Stop every replica first\.$/,
    );
    await client.end();
    await expectNothingRestored();
  });

  it('with newer tables than the backup is refused', async () => {
    await query('create table kysely_migration (name text, "timestamp" text)');
    await query("insert into kysely_migration values ('9999-of-tomorrow', '')");
    await expect(restore()).rejects.toThrow(
      'The tables of the database are newer than the backup: they have the migration 9999-of-tomorrow. Nothing was changed.',
    );
    expect(await query("select to_regclass('users') as users")).toEqual([{ users: null }]);
  });

  it('that does not answer is named, without its password', async () => {
    const failure = await restore('postgres://muster:canary-password@127.0.0.1:1/muster').catch(String);
    expect(failure).toContain('127.0.0.1:1');
    expect(failure).not.toContain('canary');
  });

  it('is needed for a backup of PostgreSQL, and refused for one of an embedded database', async () => {
    const backup = 'The backup of 2026-11-22T03:15:00.000Z is of';
    await expect(
      restoreBackup({
        source: folder,
        stdin: new PassThrough().end(),
        dataDirectory: target.dataDirectory,
        databaseUrl: undefined,
        replace: false,
        clock: () => firstDay,
      }),
    ).rejects.toThrow(`${backup} a PostgreSQL database. Set DATABASE_URL to an empty PostgreSQL database.`);
  });
});

describe('a backup of PostgreSQL', () => {
  it.each([
    [
      'with a changed byte',
      'the SHA-256 of users.copy is not the one in the manifest',
      (file: string) =>
        writeFileSync(
          file,
          readFileSync(file, 'utf8').replace(/[0-9a-f]/, (digit) => (digit === '0' ? '1' : '0')),
        ),
    ],
    [
      'with a missing part',
      /users\.copy has 3 bytes, and the manifest says \d+/,
      (file: string) => truncateSync(file, 3),
    ],
    [
      'with more bytes',
      /users\.copy has \d+ bytes, and the manifest says \d+/,
      (file: string) => appendFileSync(file, '\n'),
    ],
    ['without a file', 'users.copy is missing', (file: string) => rmSync(file)],
    [
      'with a folder for a file',
      'users.copy is not a file',
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])('%s is refused', async (_, message, damage) => {
    damage(join(folder, 'users.copy'));
    await expect(restore()).rejects.toThrow(message);
    await expectNothingRestored();
  });

  it('whose manifest lies about rows is refused', async () => {
    changeManifest(({ rows }) => {
      rows.users = 7;
    });
    await expect(restore()).rejects.toThrow(/the table users has \d rows, and the manifest says 7/);
    await expectNothingRestored();
  });

  it('whose file ends early for PostgreSQL is rolled back', async () => {
    // The line \. ends the data of COPY: what follows would be lost without a word.
    forge('projects.copy', (text) => `\\.\n${text.split('\n').slice(1).join('\n')}`);
    await expect(restore()).rejects.toThrow();
    await expectNothingRestored();
  });

  it('with a column that the tables do not have is rolled back', async () => {
    changeManifest(({ files }) => {
      files
        .find(({ name }) => name === 'users.copy')
        ?.columns?.splice(0, 1, "id\") from program 'touch /tmp/x' --");
    });
    await expect(restore()).rejects.toThrow(/column .* does not exist/);
    await expectNothingRestored();
  });

  it('with rows that refer to nothing is rolled back', async () => {
    forge('projects.copy', () => '');
    changeManifest(({ rows }) => {
      rows.projects = 0;
    });
    await expect(restore()).rejects.toThrow(/violates foreign key constraint/);
    await expectNothingRestored();
  });

  it('with a sequence that does not exist is rolled back', async () => {
    forge('sequences.json', () => '{"nothing": 1}');
    await expect(restore()).rejects.toThrow();
    await expectNothingRestored();
  });

  it.each([
    ['a file twice', ({ files }: Manifest) => files.push(...files.slice(0, 1))],
    [
      'no sequences',
      (manifest: Manifest) => {
        manifest.files = manifest.files.filter(({ name }) => name !== 'sequences.json');
      },
    ],
    ['a table without columns', ({ files }: Manifest) => files.map((file) => delete file.columns)],
    [
      'a file of another kind',
      ({ files }: Manifest) => files.map((file) => Object.assign(file, { name: 'x.sh' })),
    ],
  ])('whose manifest names %s is refused', async (_, change) => {
    changeManifest(change);
    await expect(restore()).rejects.toThrow(
      `${manifestFile()} is damaged: a field is missing or has another type.`,
    );
  });

  it('without a table of this version is refused', async () => {
    changeManifest((manifest) => {
      manifest.files = manifest.files.filter(({ name }) => name !== 'sessions.copy');
    });
    await expect(restore()).rejects.toThrow(
      'The tables of the database are not those of the backup. Nothing was changed. Create an empty database and restore into it.',
    );
    await expectNothingRestored();
  });
});
