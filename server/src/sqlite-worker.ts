import { createReportProcedure } from './agent-errors/intake/report-procedure-sqlite.ts';
import { answerRequests } from './database/sqlite/sqlite-thread.ts';

/** The entry point of a database thread: its connection, and the procedures of the features that run on it. */
answerRequests({ storeReports: createReportProcedure() });
