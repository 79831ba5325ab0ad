import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Migrator } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresSession, type PostgresSession } from '../testing/postgres/postgres-session.ts';
import { dropTestDatabase, prepareTestDatabase, testEngine } from '../testing/test-database.ts';
import type { PostgresDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { createInitialTables } from './migrations/0001-initial.ts';
import { narrowOpenErrorsByProject } from './migrations/0002-open-errors-by-project.ts';
import { addIdentities } from './migrations/0003-identities.ts';
import { createAgentSigns } from './migrations/0005-agent-signs.ts';
import { addErrorGroups } from './migrations/0006-error-groups.ts';
import { openPostgres } from './postgres/open-postgres.ts';

if (testEngine !== 'postgres') {
  process.stderr.write('Skipped on SQLite: no other process has its database open.\n');
}

let dataDirectory: string;
let session: PostgresSession;

beforeEach(async () => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'muster-test-'));
  if (testEngine === 'postgres') session = await openPostgresSession(dataDirectory);
});

afterEach(async () => {
  if (testEngine === 'postgres') await session.end();
  await dropTestDatabase(dataDirectory);
  rmSync(dataDirectory, { recursive: true });
});

/** As an earlier version has left it. */
async function migrateToSixth(database: PostgresDatabase): Promise<void> {
  const migrator = new Migrator({
    db: database.write,
    provider: {
      getMigrations: async () => ({
        '0001-initial': { up: (db) => createInitialTables(db, 'postgres') },
        '0002-open-errors-by-project': { up: (db) => narrowOpenErrorsByProject(db, 'postgres') },
        '0003-identities': { up: (db) => addIdentities(db, 'postgres') },
        '0004-compact-errors': { up: async () => undefined },
        '0005-agent-signs': { up: (db) => createAgentSigns(db, 'postgres') },
        '0006-error-groups': { up: (db) => addErrorGroups(db, 'postgres') },
      }),
    },
  });
  const { error } = await migrator.migrateToLatest();
  expect(error).toBeUndefined();
}

describe.runIf(testEngine === 'postgres')('a migration that waits for a lock', () => {
  it('says so, and goes on when the other transaction has ended', async () => {
    const databaseUrl = (await prepareTestDatabase(dataDirectory)) ?? '';
    const database = openPostgres({ databaseUrl, onConnectionError: () => undefined });
    await migrateToSixth(database);
    const holder = await openPostgresSession(dataDirectory);
    await holder.query('begin');
    await holder.query('select 1 from agents');
    const notices: string[] = [];
    const ran = await migrate(database, {
      lockPauseMilliseconds: 0,
      onNotice(notice) {
        notices.push(notice);
        if (notice.includes('another session')) void holder.query('rollback');
      },
    });
    expect(ran).toContain('0013-agent-states');
    expect(notices).toContainEqual(expect.stringContaining('another session of PostgreSQL uses'));
    await holder.end();
    await database.close();
  });
});
