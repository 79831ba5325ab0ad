import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { migrate } from '../foundation/database/migrate.ts';
import { migrationsOf } from '../foundation/database/migrations/migrations.ts';
import { openSqlite } from '../foundation/database/sqlite/open-sqlite.ts';

/**
 * A process with the migrations of a later version: `0002-invented` changes every project, in ten portions. It prints each portion that is done, and goes
 * on at the next line of its input.
 */
const [, , dataDirectory = ''] = process.argv;
const database = await openSqlite(dataDirectory);
const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
await migrate(database, {
  migrations: {
    ...migrationsOf('sqlite'),
    '0002-invented': {
      async up(db) {
        await sql`alter table projects add column mood text`.execute(db);
        for (let portion = 0; portion < 10; portion += 1) {
          await sql`update projects set mood = 'calm', name = name || ' (calm)'
            where updated_at % 10 = ${portion}`.execute(db);
          process.stdout.write(`portion ${portion}\n`);
          await lines.next();
        }
      },
    },
  },
});
await database.close();
process.exit(0);
