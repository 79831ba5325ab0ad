import type { Database } from '../../database/database.ts';
import { dismissPortionOnPostgres, reopenPortionOnPostgres } from './dismiss-portion-store-postgres.ts';
import type { ChangedPortion, DismissedErrorStore } from './dismissed-error-store.ts';
import { createErrorSelections } from './error-selection-store.ts';

/** Portions are written by one procedure on SQLite, and by one statement on PostgreSQL. */
export function createDismissedErrorStore(database: Database): DismissedErrorStore {
  const selections = createErrorSelections(database.engine);
  if (database.engine === 'postgres') {
    const { write } = database;
    return {
      ...selections,
      dismiss: (portion) => write.transaction().execute((trx) => dismissPortionOnPostgres(trx, portion)),
      reopen: (portion) => reopenPortionOnPostgres(write, portion),
    };
  }
  const { sqlite } = database;
  return {
    ...selections,
    async dismiss(portion) {
      return (await sqlite.call('dismissErrors', portion)) as ChangedPortion | undefined; // what the procedure answers
    },
    async reopen(portion) {
      return (await sqlite.call('reopenErrors', portion)) as ChangedPortion | undefined; // what the procedure answers
    },
  };
}
