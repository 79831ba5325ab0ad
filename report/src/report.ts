/** `muster report`: runs an agent or reads its output, and reports the errors in it. */
export type { FoundService, ReportOptions } from './report-options.ts';
export { runReport } from './run-report.ts';
export { runReportOfPipe } from './run-report-of-pipe.ts';
export { defaultStateDirectory } from './state/state-directory.ts';
