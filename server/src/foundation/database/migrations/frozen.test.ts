import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Engine } from './column-types.ts';
import { migrationNames, migrationsOf } from './migrations.ts';

/**
 * SHA-256 of the statements of each migration that may have run somewhere. One that is added is added here too; one that is here
 * never changes: a database that has run it would not run it again.
 */
const merged: Readonly<Record<string, Readonly<Record<Engine, string>>>> = {
  '0001-initial': {
    sqlite: 'ffaf5c8cf94f8e5d0525f483ae3e3d25a5017b7bf354c6b60d2561836b7d67c5',
    postgres: 'dc4e3a8d6f52c293b50efd83a151171112d675badc222b571de811eb72e571e2',
  },
};

const dialects = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
};

async function digestOf(engine: Engine, name: string): Promise<string> {
  const statements: string[] = [];
  const db = new Kysely<unknown>({
    dialect: dialects[engine],
    log: ({ query }) => void statements.push(query.sql),
  });
  await migrationsOf(engine)[name]?.up(db);
  expect(statements).not.toEqual([]);
  return hash('sha256', statements.join('\0'));
}

describe('a merged migration', () => {
  it('is never changed: write another one that changes what it has made', async () => {
    const digests: Record<string, Record<Engine, string>> = {};
    for (const name of migrationNames) {
      digests[name] = { sqlite: await digestOf('sqlite', name), postgres: await digestOf('postgres', name) };
    }
    expect(digests).toEqual(merged);
  });

  it('has a number of its own, in one row without a gap, and a file', () => {
    expect(migrationNames.map((name) => Number(name.slice(0, 4)))).toEqual(
      migrationNames.map((_, index) => index + 1),
    );
    const files = readdirSync(new URL('.', import.meta.url)).filter((name) => /^\d{4}-.*\.ts$/.test(name));
    expect(files.toSorted()).toEqual(migrationNames.map((name) => `${name}.ts`));
  });
});
