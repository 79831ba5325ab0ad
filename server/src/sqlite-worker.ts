import { createReportProcedure } from './agent-errors/intake/report-procedure-sqlite.ts';
import { answerRequests } from './database/sqlite/sqlite-thread.ts';

/** The program of a database thread: its connection, and what the features run beside it. */
answerRequests({ storeReports: createReportProcedure() });
