import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copiedTables, recountedTables } from '../../server/src/foundation/database/copy/copied-tables.ts';
import { describedTables } from '../../server/src/foundation/database/copy/project-tables.ts';
import type { Database } from '../../server/src/foundation/database/database.ts';
import { migrate } from '../../server/src/foundation/database/migrate.ts';
import { openDatabase } from '../../server/src/foundation/database/open-database.ts';
import { createTarget, makeDirectory, type TargetPlace } from './copy-places.ts';

const names = copiedTables.map(({ name }) => name);
const all = [...names, ...recountedTables];
const source = makeDirectory();
const databases: Database[] = [];
let target: TargetPlace;

/** Up-to-date tables, as the service leaves them. */
async function openMigrated(databaseUrl?: string): Promise<Database> {
  const database = await openDatabase({ ...source, databaseUrl, onConnectionError: () => undefined });
  databases.push(database);
  await migrate(database);
  return database;
}

beforeAll(async () => {
  target = await createTarget();
});

afterAll(async () => {
  for (const database of databases) await database.close();
  await target.drop();
  source.remove();
});

describe('the tables that are copied', () => {
  it('are all tables of PostgreSQL: add a new one to copied-tables.ts', async () => {
    await openMigrated(target.url);
    const rows = await target.query<{ name: string }>(
      `select relname as name from pg_class
       where relkind in ('r', 'p', 'm') and relnamespace = current_schema()::regnamespace
         and relname not like 'kysely_%'`,
    );
    // What running replicas tell one another.
    const ofReplicas = ['listening'];
    expect([...all, ...ofReplicas].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  });

  it('are all tables of SQLite, where errors are a view of two tables and one thread counts', async () => {
    const database = await openMigrated();
    const tables = await database.read.introspection.getTables();
    const ofErrors = ['agent_error_rows', 'id_keys'];
    const there = [...all, ...ofErrors].filter((name) => name !== 'counting_partitions');
    expect(there.toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
  });

  it('are each said to move with a project or to stay: add a new one to project-tables.ts', () => {
    expect([...new Set([...describedTables, ...recountedTables])].toSorted()).toEqual(all.toSorted());
    expect(describedTables.filter((name) => recountedTables.includes(name))).toEqual(['credential_notes']);
  });

  it('come after the tables that they refer to', async () => {
    const references = await target.query<{ child: string; parent: string }>(
      `select child.relname as child, parent.relname as parent
       from pg_constraint
       join pg_class as child on child.oid = conrelid
       join pg_class as parent on parent.oid = confrelid
       where contype = 'f'`,
    );
    expect(references.length).toBeGreaterThan(3);
    const tooEarly = references.filter(({ child, parent }) => names.indexOf(child) < names.indexOf(parent));
    expect(tooEarly).toEqual([]);
  });

  it('have no values from a sequence or an expression, which a copy would have to continue', async () => {
    const made = await target.query(
      `select attrelid::regclass::text as table, attname as column
       from pg_attribute
       join pg_class on pg_class.oid = attrelid
       left join pg_attrdef on adrelid = attrelid and adnum = attnum
       where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attnum > 0
         and relname <> all ($1)
         and (attidentity <> '' or attgenerated <> '' or pg_get_expr(adbin, adrelid) like 'nextval%')`,
      [recountedTables],
    );
    expect(made).toEqual([]);
  });

  it('have the same columns on both sides', async () => {
    const columnsOf = async (database: Database | undefined) => {
      const tables = (await database?.read.introspection.getTables()) ?? [];
      return Object.fromEntries(
        tables
          .filter(({ name }) => names.includes(name))
          .map(({ name, columns }) => [
            name,
            columns
              .map((column) => column.name)
              // The one is computed from the text when it is needed, the other stands for an id on SQLite.
              .filter(
                (column) =>
                  column !== 'error_digest' &&
                  !(['agent_error_groups', 'dismissals'].includes(name) && column === 'key'),
              ),
          ]),
      );
    };
    const [postgres, sqlite] = databases;
    const there = await columnsOf(postgres);
    expect(there).toMatchObject({ users: expect.arrayContaining(['id', 'issuer']) });
    expect(await columnsOf(sqlite)).toEqual(there);
  });
});
