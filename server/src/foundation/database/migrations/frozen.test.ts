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
    sqlite: '99e5809ac4182705c7ef0a137f6e882678bfe7ee488d362804f4b3a74dbed563',
    postgres: 'f7c6d836ab6ec3840c578fd8fc966793e4d26c58636626f8469531a5917034cd',
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
