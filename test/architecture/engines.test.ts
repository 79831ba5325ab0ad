import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import { knowsEngine } from '../knows-engine.ts';
import { onBothEngines, onPostgresOnly } from '../tests-by-engine.ts';
import { productFiles, readSource, root } from './source-files.ts';

/** Code for one engine, or a choice between them. */
const isForOneEngine = (path: string): boolean =>
  path.endsWith('-postgres.ts') ||
  /\bengine (?:===|!==)|switch \(\w+(?:\.\w+)*\.engine\)/.test(readSource(path));

/** Copies from SQLite to PostgreSQL, and runs once. */
const copyToPostgres = 'test/copy/copy-verification.test.ts';

/** Folders with such code whose tests are elsewhere, and where. */
const testedElsewhere: Readonly<Record<string, string>> = {
  'server/src/app': 'test/client/operations.test.ts',
  'server/src/app/composition': 'test/client/operations.test.ts',
  'server/src/foundation/credentials': 'server/src/people/users/sessions/sessions.test.ts',
  'server/src/foundation/database/backup': 'test/backup/backup-restore.test.ts',
  'server/src/foundation/database/copy': copyToPostgres,
  'server/src/foundation/database/migrations': 'server/src/foundation/database/migrate.test.ts',
  'server/src/foundation/database/migrations/0001-initial': 'server/src/foundation/database/migrate.test.ts',
  'server/src/foundation/database/postgres': 'server/src/foundation/database/silent-server.test.ts',
  'server/src/upkeep/doctor': 'test/backup/doctor.test.ts',
  'server/src/people/rotations': 'server/src/people/tokens/rotation/rotate-token.test.ts',
  'cli/src/commands/service': 'test/backup/backup-restore.test.ts',
};

const onPostgres = [...onBothEngines, ...onPostgresOnly].map((pattern) => ({
  pattern,
  files: globSync(pattern, { cwd: root }),
}));

describe('tests on PostgreSQL', () => {
  it('exist wherever code knows the engine', () => {
    const tested = new Set([copyToPostgres, ...onPostgres.flatMap(({ files }) => files.filter(runsTwice))]);
    const folders = new Set(productFiles().filter(isForOneEngine).map(folderOf));
    const without = [...folders].filter((folder) => {
      const elsewhere = testedElsewhere[folder];
      if (elsewhere !== undefined) return !tested.has(elsewhere);
      return ![...tested].some((file) => folderOf(file) === folder);
    });
    expect(without).toEqual([]);
    expect(Object.keys(testedElsewhere).filter((folder) => !folders.has(folder))).toEqual([]);
  });

  it('are listed by patterns that match', () => {
    expect(onPostgres.filter(({ files }) => files.length === 0).map(({ pattern }) => pattern)).toEqual([]);
  });
});

/** A test that knows no engine is left out of the second run. */
function runsTwice(path: string): boolean {
  return knowsEngine(join(root, path));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
