import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { runScript } from './run-command.mjs';
import {
  costLines,
  failedLines,
  noteFlaky,
  readTestCounts,
  skippedLines,
  summaryLine,
} from './test-summary.mjs';
import { root } from './workspace.mjs';

/** Tests that passed at their second attempt, in the last run. */
const flakyFile = join(root, 'flaky-tests.txt');

await ensureInstalled();
const buildExitCode = await runScript('scripts/build.mjs');
process.exitCode = buildExitCode === 0 ? await runTests(process.argv.slice(2)) : buildExitCode;

/**
 * @param {readonly string[]} args for vitest
 * @returns {Promise<number>} the exit code
 */
async function runTests(args) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-test-'));
  try {
    const reportFile = join(folder, 'report.json');
    const runReport = join(folder, 'run.json');
    Object.assign(process.env, { MUSTER_TEST_REPLAY: 'true', MUSTER_TEST_REPORT: runReport });
    const exitCode = await runScript('node_modules/vitest/vitest.mjs', [
      'run',
      '--reporter=default',
      '--reporter=json',
      '--reporter=./test/run-reporter.ts',
      `--outputFile.json=${reportFile}`,
      ...args,
    ]);
    const counts = readTestCounts(reportFile);
    const hasRun = counts.passed + counts.failed > 0;
    if (!hasRun) console.error('No test ran: that counts as a failure.');
    if (exitCode !== 0 && hasRun && counts.failed === 0)
      console.error('vitest failed outside of the tests: see above.');
    const lines = [
      ...costLines(runReport),
      ...skippedLines(reportFile),
      ...noteFlaky(runReport, flakyFile),
      ...failedLines(reportFile),
    ];
    for (const line of lines) console.log(line);
    console.log(summaryLine(counts));
    return exitCode === 0 && !hasRun ? 1 : exitCode;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
