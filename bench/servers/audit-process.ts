import { AuditService } from '../../server/src/record/audit/audit-service.ts';

/**
 * `muster serve` from the sources: `audit-process.ts audited`, or `unaudited`, which leaves out the statements of the audit log. Only a benchmark
 * can start it: the product has no such setting.
 */
if (process.argv[2] === 'unaudited') {
  const leaveOut = async () => undefined;
  Object.assign(AuditService.prototype, { record: leaveOut, recordLater: leaveOut });
}
const { runMuster } = await import('../../cli/src/run-muster.ts');
const { processTerminal } = await import('../../cli/src/terminal/process-terminal.ts');
process.exitCode = await runMuster(['serve'], processTerminal());
