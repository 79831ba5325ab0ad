import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyInstallation } from '../../server/src/foundation/database/copy/copy-installation.ts';
import { migrate } from '../../server/src/foundation/database/migrate.ts';
import { openDatabase } from '../../server/src/foundation/database/open-database.ts';
import {
  copyPartly,
  createTarget,
  makeDirectory,
  makeInstallation,
  messagesOf,
  onSource,
  type SourcePlace,
  startPlainApp,
  type TargetPlace,
} from './copy-places.ts';

const source = makeDirectory();
const other = makeDirectory();
const { dataDirectory } = source;
const places: SourcePlace[] = [source, other];
const targets: TargetPlace[] = [];
let empty: TargetPlace;

beforeAll(async () => {
  await makeInstallation(source, 0);
  await makeInstallation(other, 0);
  empty = await newTarget();
});

afterAll(async () => {
  for (const target of targets) await target.drop();
  for (const place of places) place.remove();
});

async function newTarget(options = ''): Promise<TargetPlace> {
  const target = await createTarget(options);
  targets.push(target);
  return target;
}

function newDirectory(): SourcePlace {
  const place = makeDirectory();
  places.push(place);
  return place;
}

const refusal = (from: SourcePlace, databaseUrl: string) =>
  messagesOf(copyInstallation({ dataDirectory: from.dataDirectory, databaseUrl }));

describe('a copy is refused, and the target left empty', () => {
  it('while Muster runs on the data directory', async () => {
    const { app } = await startPlainApp(source);
    expect(await refusal(source, empty.url)).toEqual([
      `${dataDirectory} is in use: stop the Muster that runs on it, and then run the same command again. A copy of a database that still changes would miss what comes after it was read.`,
    ]);
    await app.close();
  });

  it('if the data directory cannot be locked', async () => {
    const place = newDirectory();
    writeFileSync(join(place.dataDirectory, 'muster.db'), '');
    mkdirSync(join(place.dataDirectory, 'muster.lock'));
    expect(await refusal(place, empty.url)).toEqual([
      `${place.dataDirectory} cannot be locked, which the copy needs so that no Muster starts on it meanwhile. Run the copy as the user that Muster runs as.`,
      expect.stringContaining('unable to open database file'),
    ]);
  });

  it('if the directory has no database, and none is created', async () => {
    const nowhere = newDirectory();
    const [message] = await refusal(nowhere, empty.url);
    expect(message).toBe(
      `There is no embedded database in ${nowhere.dataDirectory}: it has no muster.db. Name the data directory of the installation, the one that MUSTER_DATA_DIR names when it runs.`,
    );
    expect(await refusal({ ...nowhere, dataDirectory: join(dataDirectory, 'muster.db') }, empty.url)).toEqual(
      [expect.stringContaining('muster.db: it has no muster.db. Name the data directory')],
    );
    rmSync(nowhere.dataDirectory, { recursive: true });
    await refusal(nowhere, empty.url);
    expect(() => writeFileSync(join(nowhere.dataDirectory, 'x'), '')).toThrow('ENOENT');
  });

  it('if the file is not a database', async () => {
    const broken = newDirectory();
    writeFileSync(join(broken.dataDirectory, 'muster.db'), 'a diary, or the like'.repeat(1_000));
    const messages = await refusal(broken, empty.url);
    expect(messages[0]).toBe(
      `${join(broken.dataDirectory, 'muster.db')} cannot be opened as a database of Muster.`,
    );
    expect(messages.at(-1)).toBe('file is not a database');
  });

  it('if nothing was installed yet', async () => {
    const fresh = newDirectory();
    const database = await openDatabase({
      ...fresh,
      databaseUrl: undefined,
      onConnectionError: () => undefined,
    });
    const noTables = refusal(fresh, empty.url);
    expect((await noTables)[0]).toMatch(/is in use/);
    await migrate(database);
    await database.close();
    expect(await refusal(fresh, empty.url)).toEqual([
      `${fresh.dataDirectory} holds no installation yet, so there is nothing to copy: start Muster with DATABASE_URL right away.`,
    ]);
  });

  it('if the database of the source is older or newer than this Muster, or of a preview', async () => {
    const place = newDirectory();
    await makeInstallation(place, 0);
    onSource(place, `insert into kysely_migration (name, timestamp) values ('9999-to-come', '')`);
    const target = await newTarget();
    expect(await refusal(place, target.url)).toEqual([
      `The database in ${place.dataDirectory} is newer than this Muster (it has 9999-to-come). Run the copy with the release that the installation ran on last.`,
    ]);
    onSource(place, "update kysely_migration set name = '0002-open-errors-by-project' where name like '9%'");
    expect(await refusal(place, target.url)).toEqual([
      `Nothing was copied from ${place.dataDirectory}. Its tables are of a preview of Muster, from before the first release, and no release can read or update them. Start with an empty data directory (MUSTER_DATA_DIR) or an empty PostgreSQL database (DATABASE_URL), and register the agents again. What the preview stored can still be read with the preview.`,
    ]);
    onSource(place, 'delete from kysely_migration');
    const [message] = await refusal(place, target.url);
    expect(message).toContain(`Run 'muster migrate --data-dir ${place.dataDirectory}'`);
    expect(message).toContain('0001-initial');
    expect(await target.query('select 1 from users')).toEqual([]);
  });

  it('if a table has unexpected columns', async () => {
    const place = newDirectory();
    await makeInstallation(place, 0);
    onSource(place, 'alter table agents add column mood text');
    const target = await newTarget();
    expect(await refusal(place, target.url)).toEqual([
      expect.stringMatching(/^The table agents has other columns in .* metadata, mood, name, .* there\. Run/),
    ]);
    expect(await target.query('select 1 from users')).toEqual([]);
    expect(await target.hasTable('copy_progress')).toBe(false);
  });

  it('in all previous cases, which share one target', async () => {
    expect(
      await empty.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`),
    ).toEqual([]);
  });
});

describe('a copy is refused, and the target not changed', () => {
  const notEmpty =
    'The target database is not empty: it has users or projects of its own, which a copy would mix up with yours. Nothing was changed. Name another, empty database with --to.';

  it('if it holds another installation', async () => {
    const target = await newTarget();
    await copyInstallation({ ...other, databaseUrl: target.url });
    const before = await target.query('select * from projects order by id');
    expect(await refusal(source, target.url)).toEqual([notEmpty]);
    expect(await target.query('select * from projects order by id')).toEqual(before);
    expect(await target.hasTable('copy_progress')).toBe(false);
  });

  it('if it belongs to another program', async () => {
    const target = await newTarget();
    await target.query('create table projects (title text)');
    await target.query(`insert into projects values ('Moon')`);
    expect(await refusal(source, target.url)).toEqual([notEmpty]);
    await target.query('delete from projects');
    const [message, cause] = await refusal(source, target.url);
    expect(message).toBe('The database could not be migrated; it is unchanged.');
    expect(cause).toBe('relation "projects" already exists');
    expect(await target.hasTable('users')).toBe(false);
  });

  it('if it already holds this installation', async () => {
    const target = await newTarget();
    await copyInstallation({ ...source, databaseUrl: target.url });
    expect(await refusal(source, target.url)).toEqual([
      'The target database holds this installation already: an earlier copy of it was finished and verified. Start Muster with DATABASE_URL set to it, or name another, empty database with --to.',
    ]);
  });

  it('if it holds an unfinished copy of another installation', async () => {
    const target = await newTarget();
    await copyPartly(other, target, 3);
    expect(await refusal(source, target.url)).toEqual([
      `The target database holds an unfinished copy of another installation, from ${other.dataDirectory}. Name another, empty database with --to.`,
    ]);
    await copyInstallation({ ...other, databaseUrl: target.url });
  });

  it('if its encoding cannot store every text', async () => {
    const target = await newTarget(`encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`);
    const [, cause] = await refusal(source, target.url);
    expect(cause).toBe(
      "its encoding is SQL_ASCII, which cannot hold every text: create the database with encoding 'UTF8' and template template0",
    );
  });
});

describe('a copy is refused without showing the password', () => {
  it.each([
    [
      'where nobody listens',
      'postgres://muster:hunter2@127.0.0.1:1/muster',
      /^Nothing listens on 127\.0\.0\.1:1\./,
    ],
    [
      'where a name with several addresses does not answer',
      'postgres://muster:hunter2@localhost:1/m',
      /^Nothing listens on localhost:1\./,
    ],
    [
      'where the host is not known',
      'postgres://muster:hunter2@nowhere.invalid/muster',
      /^The host name of nowhere\.invalid:5432 cannot be resolved\./,
    ],
  ])('%s', async (_, url, cause) => {
    const messages = await refusal(source, url);
    expect(messages[0]).toMatch(
      /^The target database on \S+:\d+ cannot be used\. Nothing was copied\. Correct the URL or the server, and run the same command again\.$/,
    );
    expect(messages[1]).toMatch(cause);
    expect(messages.join()).not.toContain('hunter2');
  });

  it('if there is no such database', async () => {
    const url = empty.url.replace(/\/\w+$/, '/no_such_database');
    expect((await refusal(source, url))[1]).toMatch(
      /^PostgreSQL on 127\.0\.0\.1:\d+ has no database no_such_database\. Create it \(createdb no_such_database\), or correct its name in --to\.$/,
    );
  });

  it('if a constraint of the target rejects a row, with the message of the database', async () => {
    const target = await newTarget();
    await copyPartly(source, target, 2);
    await target.query('alter table projects add constraint no_projects check (name is null)');
    const messages = await refusal(source, target.url);
    expect(messages).toEqual([
      'The copy stopped at the table projects. What was copied until then is kept: run the same command again, and it goes on from there.',
      expect.stringContaining('violates check constraint "no_projects"'),
    ]);
    await target.query('alter table projects drop constraint no_projects');
    await expect(copyInstallation({ ...source, databaseUrl: target.url })).resolves.toMatchObject({
      isResumed: true,
    });
  });
});
