import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadSqliteDriver } from '../../server/src/foundation/database/sqlite/load-driver.ts';
import { Secret } from '../../server/src/foundation/secret.ts';
import type { Config } from '../../server/src/foundation/settings/config.ts';
import { runMusterProcess } from '../../server/src/testing/muster-process.ts';
import { testEngine } from '../../server/src/testing/test-database.ts';
import { checkDisk } from '../../server/src/upkeep/doctor/check-files.ts';
import { examine } from '../../server/src/upkeep/doctor/examine.ts';
import type { Finding } from '../../server/src/upkeep/doctor/finding.ts';
import { readIndexes } from '../../server/src/upkeep/doctor/read-indexes-postgres.ts';
import { configOfPlace, DoctorStage, levelsOf } from './doctor-stage.ts';
import { fillEveryTable } from './fill-every-table.ts';
import { fill, makePlace, type Place, startInstallation } from './installation.ts';

/** The server of the tests does not wait for its disk, which is a finding. */
let fast: Place;
let place: Place;
let admin: string;
let channelID: string;
let secrets: readonly string[];
const stage = new DoctorStage();

beforeAll(async () => {
  fast = await makePlace();
  place = withDurableCommits(fast);
  const first = await startInstallation(place);
  admin = first.admin;
  await fill(first.app, admin);
  ({ channelID, secrets } = await fillEveryTable(first.app, admin));
  await first.app.close();
  // The core instance of the tests is heard by nobody while they run, which is a finding.
  await onDatabase('update core_instances set last_contact_at = null');
});

afterEach(() => stage.removeFolders());

afterAll(async () => {
  await place.remove();
});

function withDurableCommits(given: Place): Place {
  if (given.databaseUrl === undefined) return given;
  const databaseUrl = `${given.databaseUrl}?options=-c%20synchronous_commit%3Don`;
  return { ...given, databaseUrl, env: { ...given.env, DATABASE_URL: databaseUrl } };
}

const configOf = (changes: Partial<Config> = {}) => configOfPlace(place, changes);

/** A time at which nothing of the test is in the future. */
const now = Date.parse('2027-01-01T00:00:00Z');

/** Addresses of names that the tests use. */
const addresses: Readonly<Record<string, string>> = {
  'hooks.example.com': '93.184.215.14',
  'inside.example.com': '10.1.2.3',
};

async function resolveName(host: string) {
  const address = addresses[host];
  if (address === undefined) throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
  return [{ address, family: 4 }];
}

async function findingsOf(config: Config, check?: string) {
  let ticks = 0;
  const clock = testEngine === 'postgres' ? Date.now : () => now + ticks;
  const monotonic = testEngine === 'postgres' ? () => performance.now() : () => ticks;
  ticks += 1;
  const { findings } = await examine(config, clock, monotonic, resolveName);
  return findings.filter((finding) => check === undefined || finding.check === check);
}

async function onDatabase(statement: string, dataDirectory = place.dataDirectory): Promise<void> {
  if (place.databaseUrl === undefined) {
    const { DatabaseSync } = loadSqliteDriver();
    const connection = new DatabaseSync(join(dataDirectory, 'muster.db'));
    connection.exec(statement);
    connection.close();
    return;
  }
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

describe('muster doctor', () => {
  it('finds nothing wrong with the database of a healthy installation', async () => {
    const findings = await findingsOf(configOf(), 'database');
    expect(levelsOf(findings)).toEqual(findings.map(() => 'ok'));
    expect(findings.length).toBeGreaterThanOrEqual(3);
  });

  it('finds tables that are older than this version', async () => {
    const latest = "(select max(name) from kysely_migration where name < '9')";
    await onDatabase(`update kysely_migration set name = '9' || name where name = ${latest}`);
    const findings = await findingsOf(configOf(), 'database');
    await onDatabase("update kysely_migration set name = substr(name, 2) where name like '9%'");
    expect(findings.map(({ level, message }) => `${level} ${message}`)).toContainEqual(
      expect.stringMatching(/^failure The database is newer than this Muster: it has the migrations 90/),
    );
  });

  it('finds the tables of a preview', async () => {
    const name = '0002-open-errors-by-project';
    await onDatabase(`insert into kysely_migration (name, timestamp) values ('${name}', '')`);
    const findings = await findingsOf(configOf(), 'database');
    await onDatabase(`delete from kysely_migration where name = '${name}'`);
    const wrong = findings.filter(({ level }) => level !== 'ok');
    expect(wrong.map(({ level, message, advice }) => `${level}: ${message} ${advice}`)).toEqual([
      'failure: This is no database of a release. Its tables are of a preview of Muster, from before the first release, and no release can read or update them. Start with an empty data directory (MUSTER_DATA_DIR) or an empty PostgreSQL database (DATABASE_URL), and register the agents again. What the preview stored can still be read with the preview.',
    ]);
  });

  it.runIf(testEngine === 'sqlite')('finds an index that is missing, or that is another one', async () => {
    const dataDirectory = stage.copyOf(place.dataDirectory);
    const config = configOf({ dataDirectory });
    await onDatabase('drop index access_tokens_by_user', dataDirectory);
    const missing = await findingsOf(config, 'database');
    await onDatabase('create index access_tokens_by_user on access_tokens (id)', dataDirectory);
    const other = await findingsOf(config, 'database');
    for (const findings of [missing, other]) {
      expect(findings.filter(({ level }) => level === 'failure').map(({ message }) => message)).toEqual([
        `${join(dataDirectory, 'muster.db')} lacks what this version needs, or has it in another form: access_tokens_by_user. Somebody has changed the tables by hand.`,
      ]);
    }
  });

  it.runIf(testEngine === 'sqlite')('finds a trigger that somebody has planted', async () => {
    const dataDirectory = stage.copyOf(place.dataDirectory);
    await onDatabase(
      'create trigger planted after insert on projects begin delete from audit_entries; end',
      dataDirectory,
    );
    const findings = await findingsOf(configOf({ dataDirectory }), 'database');
    expect(findings.filter(({ level }) => level === 'failure').map(({ message }) => message)).toEqual([
      `${join(dataDirectory, 'muster.db')} has triggers or views that no version of Muster creates: planted. Somebody has changed the tables, or the backup that they are from.`,
    ]);
  });

  it.runIf(testEngine === 'sqlite')('finds a damaged database', async () => {
    const dataDirectory = stage.copyOf(place.dataDirectory);
    const file = join(dataDirectory, 'muster.db');
    writeFileSync(file, readFileSync(file).fill(0xff, 4_096 * 3, 4_096 * 30));
    const findings = await findingsOf(configOf({ dataDirectory }), 'database');
    expect(levelsOf(findings)).toEqual(['failure']);
    expect(findings[0]?.advice).toBe(
      'Stop Muster, keep a copy of the data directory, and restore the newest backup that `muster backup --verify` finds whole.',
    );
  });

  it.runIf(testEngine === 'postgres')('finds an invalid index', async () => {
    await onDatabase(
      "update pg_index set indisvalid = false where indexrelid = 'access_tokens_by_user'::regclass",
    );
    const findings = await findingsOf(configOf(), 'database');
    await onDatabase(
      "update pg_index set indisvalid = true where indexrelid = 'access_tokens_by_user'::regclass",
    );
    expect(findings.filter(({ level }) => level === 'failure').map(({ message }) => message)).toEqual([
      'Indexes are invalid, so that queries are slow or rows may be stored twice: access_tokens_by_user.',
    ]);
  });

  it.runIf(testEngine === 'postgres')('knows the indexes of the migrations', async () => {
    const session = new pg.Client({ connectionString: place.databaseUrl });
    await session.connect();
    const indexes = await readIndexes(session).finally(() => session.end());
    // After a new migration: npx vitest run test/backup/doctor.test.ts --project postgres -u
    await expect(`${JSON.stringify(indexes, undefined, 2)}\n`).toMatchFileSnapshot(
      '../../server/src/upkeep/doctor/indexes-postgres.json',
    );
  });

  it.runIf(testEngine === 'postgres')('finds an index that is missing, or that is another one', async () => {
    const failures = async () => {
      const findings = await findingsOf(configOf(), 'database');
      return findings.filter(({ level }) => level === 'failure');
    };
    await onDatabase('drop index access_tokens_by_user');
    const missing = await failures();
    await onDatabase('create index access_tokens_by_user on access_tokens (name)');
    const other = await failures();
    await onDatabase('drop index access_tokens_by_user');
    await onDatabase('create index access_tokens_by_user on access_tokens (user_id, id)');
    expect(await failures()).toEqual([]);
    for (const found of [missing, other]) {
      expect(found).toEqual([
        {
          check: 'database',
          level: 'failure',
          message:
            'The database lacks indexes of this version, or has them in another form, so that queries are slow or rows may be stored twice: access_tokens_by_user. Somebody has changed the tables by hand, or a restore was not complete.',
          advice: 'Create them again: access_tokens_by_user is access_tokens (user_id, id).',
        },
      ]);
    }
  });

  it.runIf(testEngine === 'postgres')('finds that commits are not durable', async () => {
    const findings = await findingsOf(configOf({ databaseUrl: fast.databaseUrl }), 'database');
    expect(findings.filter(({ level }) => level === 'failure').map(({ message }) => message)).toEqual([
      'synchronous_commit is off: a crash of the database loses reports that were answered with 201.',
    ]);
  });

  it('finds files that others can read', async () => {
    const file = join(place.dataDirectory, 'admin-token');
    chmodSync(file, 0o644);
    const findings = await findingsOf(configOf(), 'files');
    chmodSync(file, 0o600);
    expect(findings[0]).toEqual({
      check: 'files',
      level: 'warning',
      message: `Other users of this machine can read or lock admin-token in ${place.dataDirectory}.`,
      advice: `chmod go-rwx ${file}`,
    });
  });

  it('finds a data directory in which others can replace files, and one that is a file', async () => {
    const secretKey = join(place.dataDirectory, 'secret-key');
    writeFileSync(secretKey, 'x', { mode: 0o644 });
    chmodSync(place.dataDirectory, 0o777);
    const open = await findingsOf(configOf(), 'files');
    chmodSync(place.dataDirectory, 0o700);
    rmSync(secretKey);
    expect(open.slice(0, 2)).toEqual([
      {
        check: 'files',
        level: 'warning',
        message: `Other users of this machine can replace files in ${place.dataDirectory}.`,
        advice: `chmod go-w ${place.dataDirectory}`,
      },
      {
        check: 'files',
        level: 'warning',
        message: `Other users of this machine can read or lock secret-key in ${place.dataDirectory}.`,
        advice: `chmod go-rwx ${secretKey}`,
      },
    ]);
    const file = join(stage.newFolder(), 'file');
    writeFileSync(file, '');
    const found = await findingsOf(configOf({ dataDirectory: file }));
    expect(found.filter(({ check }) => check === 'files')).toEqual([
      {
        check: 'files',
        level: 'failure',
        message: `The data directory ${file} is a file, or a part of its path is one.`,
        advice: 'Name a directory with MUSTER_DATA_DIR.',
      },
    ]);
    // An embedded database in it is not said to be missing or damaged.
    if (testEngine === 'sqlite') expect(found.filter(({ check }) => check === 'database')).toEqual([]);
  });

  it.runIf(testEngine === 'sqlite')('finds that the database was lost', async () => {
    const dataDirectory = stage.newFolder();
    writeFileSync(join(dataDirectory, 'admin-token'), 'x', { mode: 0o600 });
    const [found] = await findingsOf(configOf({ dataDirectory }), 'database');
    expect(found).toMatchObject({
      level: 'failure',
      advice: 'Restore the newest backup (muster restore), or correct MUSTER_DATA_DIR or DATABASE_URL.',
    });
    expect(found?.message).toContain('admin-token is still there');
  });

  it.runIf(testEngine === 'sqlite')('does not call a database damaged that it cannot compare', async () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = join(stage.newFolder(), 'missing');
    const findings = await findingsOf(configOf(), 'database');
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    expect(findings.filter(({ level }) => level !== 'ok')).toEqual([
      {
        check: 'database',
        level: 'warning',
        message: expect.stringMatching(
          /^The tables and indexes were not compared with those of this version, because no temporary database could be made: ENOENT/,
        ),
        advice:
          'Name a directory that this user can write to with TMPDIR, and make room for 10 MB on its disk.',
      },
    ]);
  });

  it.runIf(testEngine === 'postgres')('finds tables that its user may not read', async () => {
    await onDatabase('alter table kysely_migration rename to migrations_of_others');
    await onDatabase('create view kysely_migration as select 1 / 0 as name');
    const findings = await findingsOf(configOf(), 'database');
    await onDatabase('drop view kysely_migration');
    await onDatabase('alter table migrations_of_others rename to kysely_migration');
    expect(findings.at(-1)).toEqual({
      check: 'database',
      level: 'failure',
      message: 'The database cannot be checked: division by zero.',
      advice:
        'Let the user of DATABASE_URL own the database and its tables, and look at the log of PostgreSQL.',
    });
  });

  it('tells a full disk of the data from one of the backups', () => {
    const findingsOn = (what: 'data' | 'files' | 'backups', freeGigabytes: number) => {
      const findings: Omit<Finding, 'check'>[] = [];
      const bsize = 4_096;
      const blocks = 100e9 / bsize;
      const readDisk = () => ({ bavail: (freeGigabytes * 1e9) / bsize, blocks, bsize });
      checkDisk(
        what,
        '/srv',
        (level, message, advice) =>
          findings.push({ level, message, ...(advice === undefined ? {} : { advice }) }),
        readDisk,
      );
      return findings;
    };
    expect([findingsOn('data', 0.1), findingsOn('data', 3), findingsOn('data', 50)]).toEqual([
      [
        {
          level: 'failure',
          message:
            '0.1 GB (0%) are free on the disk of the data directory. When it is full, every change gets 503.',
          advice: 'Free some space, move the directory to a larger disk, or lower MUSTER_RETENTION_DAYS.',
        },
      ],
      [expect.objectContaining({ level: 'warning' })],
      [{ level: 'ok', message: '50.0 GB (50%) are free on the disk of the data directory.' }],
    ]);
    expect(findingsOn('backups', 0)).toEqual([
      {
        level: 'failure',
        message:
          '0.0 GB (0%) are free on the disk of the backups. When it is full, no backup can be made. The service itself goes on, unless its data is on the same disk.',
        advice:
          'Free some space, name a directory on a larger disk with MUSTER_BACKUP_DIR, or lower MUSTER_BACKUP_KEEP.',
      },
    ]);
    // The disk of the data is then one of PostgreSQL's machine.
    expect(findingsOn('files', 0)[0]?.message).toContain('the service cannot write its files');
  });

  it('finds that there are no backups, or that they are too old', async () => {
    const folder = stage.newFolder();
    const config = configOf({ backupDirectory: folder });
    const file = join(stage.newFolder(), 'file');
    writeFileSync(file, '');
    expect(await findingsOf(configOf({ backupDirectory: file }), 'backups')).toEqual([
      {
        check: 'backups',
        level: 'failure',
        message: `${file} is a file, or a part of its path is one, so no backup can be made.`,
        advice: 'Name a directory with MUSTER_BACKUP_DIR.',
      },
    ]);
    expect((await findingsOf(config, 'backups')).at(-1)).toEqual({
      check: 'backups',
      level: 'warning',
      message: `${folder} has no complete backup of this installation.`,
      advice: 'Read the log of the service for the reason.',
    });
    const old = join(folder, 'muster-backup-20200101T000000Z');
    mkdirSync(old);
    await runMusterProcess(['backup', folder, '--quiet'], { env: place.env });
    const isNew = (await findingsOf(config, 'backups')).at(-1);
    // The clock of the test is far ahead of the backup on SQLite.
    expect(isNew?.level).toBe(testEngine === 'sqlite' ? 'warning' : 'ok');
    expect(isNew?.message).toMatch(/^The newest backup began [\d.]+ h ago: /);
    const manifest = join(folder, readdirSync(folder).sort().at(-1) ?? '', 'manifest.json');
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/("installationID": ?")./, '$1f'));
    expect((await findingsOf(config, 'backups')).at(-1)?.message).toMatch(/no complete backup of this inst/);
  });

  it('finds alert channels that get no alerts, and why', async () => {
    const check = async (changes: Partial<Config> = {}) => {
      const findings = await findingsOf(configOf({ secretKey, ...changes }), 'alert channels');
      return findings.map(({ level, message }) => `${level}: ${message}`);
    };
    const secretKey = new Secret('the-secret-key-of-all-apps-of-tests');
    const named = `webhook channel ${channelID} (hooks.example.com)`;
    const set = (columns: string) =>
      onDatabase(`update alert_channels set ${columns} where id = '${channelID}'`);
    await set('failing_since = null, last_failure = null');
    expect(await check()).toEqual(['ok: Nothing hinders the 1 enabled alert channels.']);
    expect(await check({ secretKey: new Secret('another-key-of-32-characters-or-more') })).toEqual([
      `failure: The address of the ${named} is stored with another key than MUSTER_SECRET_KEY or the file secret-key, so it gets no alerts.`,
    ]);
    await set("failing_since = 1, last_failure = 'hooks.example.com answered 500.'");
    expect(await check()).toEqual([
      `warning: Messages to the ${named} fail: hooks.example.com answered 500.`,
    ]);
    await set("failing_since = null, target = 'inside.example.com'");
    expect(await check()).toEqual([
      `failure: The webhook channel ${channelID} (inside.example.com) gets no alerts: inside.example.com has an address which is not public. The log of the service names it. If alerts may be sent there, add it to MUSTER_ALERT_ALLOWED_HOSTS (a setting of the service; restart it). It is 10.1.2.3.`,
    ]);
    expect(await check({ alertAllowedHosts: ['10.0.0.0/8'] })).toEqual([
      'ok: Nothing hinders the 1 enabled alert channels.',
    ]);
    await set("target = 'gone.example.com:8443'");
    expect(await check()).toEqual([
      `warning: The host of the webhook channel ${channelID} (gone.example.com:8443) does not resolve on this machine (ENOTFOUND).`,
    ]);
    await set("kind = 'dashboard', target = 'Muster', key_id = null");
    expect(await check()).toEqual(['ok: Nothing hinders the 1 enabled alert channels.']);
    await set("kind = 'mail', target = 'ada@example.com', key_id = null");
    expect(await check()).toEqual([
      `failure: The mail channel ${channelID} gets no alerts, because MUSTER_SMTP_URL is not set.`,
    ]);
    await set(
      "disabled_at = 1, disabled_reason = 'The service disabled it: every attempt had failed for 5 days.'",
    );
    expect(await check()).toEqual([
      `warning: The mail channel ${channelID} is disabled, so it gets no alerts: The service disabled it: every attempt had failed for 5 days.`,
      'ok: No alert channel is enabled.',
    ]);
    // The commands of the next tests look up no name.
    await set("disabled_reason = 'Somebody disabled it.'");
  });

  it('names core instances that are unreachable or lag', async () => {
    // What it finds compares with the clock of the database server.
    const at = testEngine === 'postgres' ? Date.now() : now;
    const check = async (heard: number, oldest: number | 'null') => {
      await onDatabase(
        `update core_instances set name = 'plant-7', last_contact_at = ${heard}, oldest_spooled_at = ${oldest}`,
      );
      const findings = await findingsOf(configOf(), 'core instances');
      return findings.map(
        ({ level, message }) => `${level}: ${message.replace(/\([0-9a-f-]{36}\)/, '(ID)')}`,
      );
    };
    expect(await check(at + 3_600_000, 'null')).toEqual(['ok: All core instances are heard and keep up.']);
    expect(await check(at + 3_600_000, at - 3 * 3_600_000 - 1_000)).toEqual([
      "warning: The core instance 'plant-7' (ID) lags: the oldest of what waits there has waited for 3 h.",
    ]);
    expect(await check(at - 600_500, 'null')).toEqual([
      "warning: The core instance 'plant-7' (ID) was last heard 10 min ago. What its agents send waits at the site, where it is kept for up to 7 days.",
    ]);
    await onDatabase('update core_instances set last_contact_at = null');
    expect(await findingsOf(configOf(), 'core instances')).toEqual([]);
  });

  it('exits with 6 for warnings, with 1 for failures, and prints JSON', async () => {
    const folder = stage.newFolder();
    const env = { ...place.env, PORT: '1', MUSTER_SECRET_KEY: 'the-secret-key-of-all-apps-of-tests' };
    const warned = await runMusterProcess(['doctor', '--backup-dir', folder], { env });
    expect([warned.code, warned.stderr]).toEqual([6, 'muster: doctor found 1 warning.\n']);
    expect(warned.stdout).toContain(
      `WARNING backups: ${folder} has no complete backup of this installation.\n        Read the log of the service for the reason.\n`,
    );
    const failed = await runMusterProcess(['doctor', '--json'], {
      env: { ...env, MUSTER_RETENTION_DAYS: 'many' },
    });
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toEqual({
      findings: [
        {
          check: 'settings',
          level: 'failure',
          message: "MUSTER_RETENTION_DAYS is 'many', but it takes a whole number from 1 to 36500.",
          advice: 'Correct the setting.',
        },
      ],
    });
  });

  it('writes a file for support without any secret', async () => {
    const file = join(stage.newFolder(), 'support.json');
    const canaries = ['canary-of-the-admin-token-0123456789', 'canary-of-the-metrics-token-0123456789'];
    const { stderr } = await runMusterProcess(['doctor', '--bundle', file], {
      env: {
        ...place.env,
        PORT: '1',
        MUSTER_ADMIN_TOKEN: canaries[0] ?? '',
        MUSTER_METRICS_TOKEN: canaries[1] ?? '',
        MUSTER_RETENTION_DAYS: '30',
      },
    });
    expect(stderr).toContain(`The file for support is ${file}. Read it before you send it.\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    const password = place.databaseUrl === undefined ? undefined : new URL(place.databaseUrl).password;
    for (const secret of [...canaries, ...secrets, admin, admin.slice(-20), password, place.databaseUrl]) {
      if (secret !== undefined && secret.length > 3) expect(text).not.toContain(secret);
    }
    expect(text).not.toContain('one: fault');
    expect(JSON.parse(text)).toMatchObject({
      settings: {
        MUSTER_ADMIN_TOKEN: '[secret]',
        MUSTER_METRICS_TOKEN: '[secret]',
        MUSTER_RETENTION_DAYS: '30',
      },
      database: {
        migrations: expect.arrayContaining(['0001-initial']),
        rows: { projects: expect.any(Number) },
      },
    });
  });
});
