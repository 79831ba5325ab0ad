import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BackupPace } from '../../server/src/foundation/database/backup/backup-pace.ts';
import { copyDatabaseFile } from '../../server/src/foundation/database/backup/copy-database-file.ts';
import { backupToDirectory } from '../../server/src/foundation/database/backup/create-backup.ts';
import { writePostgresBackup } from '../../server/src/foundation/database/backup/write-postgres-backup.ts';
import { loadSqliteDriver } from '../../server/src/foundation/database/sqlite/load-driver.ts';
import { MusterProcess, runMusterProcess } from '../../server/src/testing/muster-process.ts';
import type { TestApp } from '../../server/src/testing/start-test-app.ts';
import { testEngine } from '../../server/src/testing/test-database.ts';
import { type Filled, fillEveryTable } from './fill-every-table.ts';
import { fill, makePlace, type Place, readWholeDatabase, startInstallation } from './installation.ts';

let source: Place;
let running: TestApp;
let admin: string;
let projectID: string;
let channelID: string;
let secrets: readonly string[];
let readFleetSecret: Filled['readFleetSecret'];
let directory: string;
let isRunning = true;
const places: Place[] = [];

beforeAll(async () => {
  source = await makePlace();
  ({ app: running, admin } = await startInstallation(source));
  ({ projectID } = await fill(running, admin));
  ({ channelID, secrets, readFleetSecret } = await fillEveryTable(running, admin));
  directory = mkdtempSync(join(tmpdir(), 'muster-backups-'));
});

afterEach(async () => {
  for (const place of places.splice(0)) await place.remove();
});

afterAll(async () => {
  if (isRunning) await running.close();
  await source.remove();
  rmSync(directory, { recursive: true });
});

async function newPlace(): Promise<Place> {
  const place = await makePlace();
  places.push(place);
  return place;
}

/** Written within seconds after the use. */
const isTimeOfUse = (key: string): boolean => key === 'lastUsedAt' || key === 'lastSeenAt';

/** What a person sees of the installation. */
async function readAnswers({ request }: TestApp): Promise<unknown[]> {
  const urls = [
    '/v1/projects',
    `/v1/projects/${projectID}/agents`,
    `/v1/projects/${projectID}/tokens?status=active`,
    `/v1/projects/${projectID}/tokens?status=revoked`,
    `/v1/projects/${projectID}/agent_errors?last=1000`,
    `/v1/projects/${projectID}/agent_error_groups`,
    `/v1/projects/${projectID}/dismissals`,
    `/v1/projects/${projectID}/summary`,
    `/v1/alert_channels/${channelID}`,
    '/v1/sessions',
    '/v1/users',
    '/v1/audit_log?last=1000',
  ];
  const bodies = [];
  for (const url of urls) {
    const { text } = await request('GET', url, { as: { access: admin } });
    bodies.push(JSON.parse(text, (key, value) => (isTimeOfUse(key) ? undefined : value)));
  }
  return bodies;
}

/** Numbers of rows by table. A running service writes times of last use when it likes, so that the rows themselves may differ. */
async function countRows(place: Place): Promise<Readonly<Record<string, number>>> {
  const tables = Object.entries(await readWholeDatabase(place));
  return Object.fromEntries(tables.map(([name, rows]) => [name, rows.length]));
}

describe('backup, wipe, restore', () => {
  it('brings back what a running service answers', async () => {
    const answers = await readAnswers(running);
    const before = await countRows(source);
    const backup = await runMusterProcess(['backup', directory], { env: source.env });
    expect(backup).toMatchObject({ code: 0 });
    await fill(running, admin, 'after the backup');

    const place = await newPlace();
    const restore = await runMusterProcess(['restore', directory], { env: place.env });
    expect(restore).toMatchObject({ code: 0, stderr: '' });
    expect(await countRows(place)).toEqual(before);
    const { app } = await startInstallationAgain(place);
    expect(await readAnswers(app)).toEqual(answers);
    const { body: tested } = await app.request('POST', `/v1/alert_channels/${channelID}/test`, {
      as: { access: admin },
    });
    // It knows the address again: the resolver of the tests finds no host.
    expect(tested).toMatchObject({ failure: 'hooks.example.com could not be reached (ENOTFOUND).' });
    expect(await readFleetSecret(app)).toBe(true);
    await app.close();
  });

  it('leaves files that only their owner can read, and says what was done and what is missing', async () => {
    const backup = await runMusterProcess(['backup', directory, '--keep', '1'], { env: source.env });
    const [name = '', ...others] = readdirSync(directory).filter((one) => !one.startsWith('.'));
    expect(others).toEqual([]);
    const folder = join(directory, name);
    expect(backup.stdout.split('\n').slice(0, 3)).toEqual([
      `The backup of the database is complete: ${folder}`,
      expect.stringMatching(/^ {2}began {7}\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      expect.stringMatching(
        testEngine === 'sqlite'
          ? /^ {2}made by {5}Muster \S+ on SQLite, migration \d{4}-\S+$/
          : /^ {2}made by {5}Muster \S+ on PostgreSQL, migration \d{4}-\S+$/,
      ),
    ]);
    expect(backup.stdout).toContain(
      `\nIt does not have these, so keep a copy of them elsewhere:\n  ${join(source.env.MUSTER_DATA_DIR ?? '', 'admin-token')}\n  the settings of the service, and the files that they name\n`,
    );
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(folder)) {
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
      const bytes = readFileSync(join(folder, file));
      expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
    }

    const check = await runMusterProcess(['backup', '--verify', directory], { env: source.env });
    expect(check).toMatchObject({ code: 0, stderr: '' });
    expect(check.stdout).toMatch(`The backup is whole: ${folder}\n`);
    expect(check.stdout).toContain('\nIt has only the database: a restore needs ');

    const place = await newPlace();
    const { stdout: text } = await runMusterProcess(['restore', folder], { env: place.env });
    expect(text).toMatch(`The backup is restored: ${folder}\n`);
    expect(text).toMatch(/Tokens that were revoked after \S+Z are valid again\. Revoke them again\./);
    expect(text).toContain(
      `The administrator's token is not in a backup, and ${place.dataDirectory}/admin-token does not exist. Without the token, run: npx muster admin reset-token --data-dir ${place.dataDirectory}`,
    );
  });

  it('brings back every row of a stopped service through a pipe', async () => {
    await running.close();
    isRunning = false;
    const before = await readWholeDatabase(source);
    const empty = Object.keys(before).filter((table) => before[table]?.length === 0);
    expect(empty, 'fill these tables in fill-every-table.ts').toEqual([]);
    const backup = new MusterProcess(['backup', '-'], { env: source.env });
    expect(await backup.ended).toEqual({ code: 0, signal: null });
    expect(backup.stderr.text).toMatch(
      /^The backup of the database is complete: standard output\n {2}began .*\n {2}made by .*\n {2}size .*\nIt does not have these, so keep a copy of them elsewhere:\n.*admin-token\n/,
    );
    const place = await newPlace();
    const restore = await runMusterProcess(['restore', '-', '--quiet'], {
      env: place.env,
      input: backup.stdout.bytes,
    });
    expect(restore).toMatchObject({ code: 0, stderr: '' });
    expect(restore.stdout).toBe('');
    expect(await readWholeDatabase(place)).toEqual(before);
    const left = readdirSync(place.dataDirectory).filter((name) => name.includes('restor'));
    expect(left).toEqual([]);
    expect(readdirSync(source.dataDirectory).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('pauses after each portion of copying and of checking, so that others lose little', async () => {
    let now = 0;
    const pauses: number[] = [];
    await backupToDirectory({
      dataDirectory: source.dataDirectory,
      databaseUrl: source.databaseUrl,
      directory,
      keep: undefined,
      clock: () => Date.parse('2031-01-01T00:00:00Z'),
      musterVersion: '1.2.3',
      pace: {
        pauseFactor: 4,
        maxLogBytes: Number.POSITIVE_INFINITY,
        time: {
          // Each look at the time finds 11 ms of work.
          monotonic: () => {
            now += 11;
            return now;
          },
          pause: async (milliseconds) => {
            pauses.push(milliseconds);
          },
        },
      },
    });
    expect(pauses.length).toBeGreaterThan(30);
    // Rows of PostgreSQL are written as they come; the copy of a small file is one portion.
    const ofCopy = testEngine === 'postgres' ? [16 * 22] : [];
    expect(new Set(pauses)).toEqual(new Set([4 * 22, ...ofCopy]));
  });
});

describe.runIf(testEngine === 'sqlite')('a copy beside a writer', () => {
  /** Copies a database of 12 MB while 100 kB are written, and moved out of the log if possible, in each pause. */
  async function copyBesideWriter(maxLogGrowth: number) {
    const folder = mkdtempSync(join(tmpdir(), 'muster-copy-'));
    const { DatabaseSync } = loadSqliteDriver();
    const [file, target] = [join(folder, 'muster.db'), join(folder, 'copy.db')];
    const writer = new DatabaseSync(file);
    const add = (bytes: number) => writer.exec(`insert into written values (zeroblob(${bytes}))`);
    const logBytes = () => statSync(`${file}-wal`).size;
    const pauses: number[] = [];
    let now = 0;
    try {
      writer.exec('pragma journal_mode = wal; create table written (content blob)');
      add(12_000_000);
      writer.exec('pragma wal_checkpoint(truncate)');
      add(1_000);
      const begun = logBytes();
      const time = {
        monotonic: () => {
          now += 11;
          return now;
        },
        pause: async (milliseconds: number) => {
          pauses.push(milliseconds);
          add(100_000);
          writer.exec('pragma wal_checkpoint(passive)');
        },
      };
      await copyDatabaseFile(file, target, {
        pace: new BackupPace(4, time),
        maxLogBytes: begun + maxLogGrowth,
        onProgress: () => undefined,
      });
      const copy = new DatabaseSync(target);
      const rows = copy.prepare('select length(content) as bytes from written').all();
      const check = copy.prepare('pragma integrity_check').all();
      copy.close();
      return { pauses, growth: logBytes() - begun, bytes: rows.map(({ bytes }) => bytes), check };
    } finally {
      writer.close();
      rmSync(folder, { recursive: true });
    }
  }

  it('has what was committed before it began, and ends before the log is too large', async () => {
    const slow = await copyBesideWriter(Number.POSITIVE_INFINITY);
    const fast = await copyBesideWriter(300_000);
    const before = { bytes: [12_000_000, 1_000], check: [{ integrity_check: 'ok' }] };
    expect([slow, fast]).toMatchObject([before, before]);
    // The pauses after what is written are four times as long as others.
    expect(slow.pauses).toEqual(Array(6).fill(16 * 22));
    expect(fast.pauses).toEqual(Array(3).fill(16 * 22));
    expect([slow.growth > 600_000, fast.growth < 350_000]).toEqual([true, true]);
  });
});

describe.runIf(testEngine === 'postgres')('a copy beside a writer', () => {
  it('has each row once as it was when the copy began, portion by portion', async () => {
    const place = await newPlace();
    const writer = new pg.Client({ connectionString: place.databaseUrl });
    await writer.connect();
    await writer.query(`
      create table users (id text); insert into users values ('1');
      create table kysely_migration (name text); insert into kysely_migration values ('0001');
      create table large (id int, content text);
      insert into large select number, repeat('x', 500) from generate_series(1, 7000) as number;
      delete from large where id % 7 = 0;`);
    const folder = mkdtempSync(join(tmpdir(), 'muster-copy-'));
    const pauses: number[] = [];
    const statements = new Set<string>();
    let now = 0;
    const time = {
      // Each portion takes long enough for a pause of its own.
      monotonic: () => {
        now += 20;
        return now;
      },
      pause: async (milliseconds: number) => {
        pauses.push(milliseconds);
        const { rows } = await writer.query<{ query: string }>(
          "select query from pg_stat_activity where application_name = 'muster backup' and datname = current_database()",
        );
        for (const { query } of rows) if (query.includes('"large"')) statements.add(query);
        await writer.query(
          "update large set content = 'new' where id < 50; insert into large values (0, 'new')",
        );
      },
    };
    try {
      const content = await writePostgresBackup(place.databaseUrl ?? '', folder, {
        pace: new BackupPace(4, time),
        onTable: () => undefined,
      });
      const lines = readFileSync(join(folder, 'large.copy'), 'utf8').trimEnd().split('\n');
      const ids = Array.from({ length: 7_000 }, (_, index) => index + 1).filter((id) => id % 7 !== 0);
      expect(lines).toEqual(ids.map((id) => `${id}\t${'x'.repeat(500)}`));
      expect(content.rows).toEqual({ kysely_migration: 1, large: ids.length, users: 1 });
      // The table has 467 pages, and a statement reads 128 of them.
      expect([...statements].filter((statement) => statement.startsWith('copy')).length).toBe(4);
      expect(new Set(pauses)).toEqual(new Set([16 * 20, 4 * 20]));
    } finally {
      await writer.end();
      rmSync(folder, { recursive: true });
    }
  });
});

/** With the administrator's token of the source, which is not in the backup. */
async function startInstallationAgain(place: Place): Promise<{ app: TestApp }> {
  const { startTestApp } = await import('../../server/src/testing/start-test-app.ts');
  return {
    app: await startTestApp({
      dataDirectory: place.dataDirectory,
      clock: running.clock,
      config: { adminToken: undefined, maxOpenErrorsPerAgent: 0 },
    }),
  };
}
