import type { Database } from '../../foundation/database/database.ts';
import type { DismissedErrorStore } from './dismissed-error-store.ts';
import { createPostgresDismissedErrorStore } from './dismissed-error-store-postgres.ts';
import { createSqliteDismissedErrorStore } from './dismissed-error-store-sqlite.ts';

export function createDismissedErrorStore(database: Database): DismissedErrorStore {
  return database.engine === 'sqlite'
    ? createSqliteDismissedErrorStore(database)
    : createPostgresDismissedErrorStore(database);
}
