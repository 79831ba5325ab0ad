import {
  createDismissProcedure,
  createReopenProcedure,
} from '../errors/dismissals/dismiss-procedure-sqlite.ts';
import { createCountProcedure } from '../errors/groups/counting/count-procedure-sqlite.ts';
import { createGroupErrorsProcedure } from '../errors/groups/identity/group-errors-procedure-sqlite.ts';
import { GroupKeys } from '../errors/groups/identity/group-keys-sqlite.ts';
import { createReportProcedure } from '../errors/intake/report-procedure-sqlite.ts';
import { followAgentsOnSqlite } from '../fleet/agents/states/follow-agents-sqlite.ts';
import { answerRequests } from '../foundation/database/sqlite/sqlite-thread.ts';
import { noteEventsOnSqlite } from '../record/events/note-events-sqlite.ts';

/** The entry point of a database thread: its connection, and the procedures of the features that run on it. */
const groups = new GroupKeys();
answerRequests({
  storeReports: createReportProcedure({ groups }),
  countErrorChanges: createCountProcedure(groups, {
    onCounted(statements, counted, moment) {
      const hasMore = followAgentsOnSqlite(statements, moment);
      const noted = noteEventsOnSqlite(statements, counted, moment.now);
      return { ...noted, hasMore: hasMore || noted.hasMore };
    },
  }),
  groupErrors: createGroupErrorsProcedure(groups),
  dismissErrors: createDismissProcedure(),
  reopenErrors: createReopenProcedure(),
});
