import { readFileSync } from 'node:fs';

/** @typedef {{ passed: number, failed: number, skipped: number }} TestCounts */

/**
 * Counts the tests in a JSON report of vitest. A file that failed before any of its tests ran counts as one
 * failed test; a missing report, as after a crash, counts as no tests.
 *
 * @param {string} reportFile
 * @returns {TestCounts}
 */
export function readTestCounts(reportFile) {
  const files = readReport(reportFile);
  const statuses = files.flatMap(({ status, assertionResults }) =>
    assertionResults.length === 0 ? [status] : assertionResults.map((result) => result.status),
  );
  const passed = statuses.filter((status) => status === 'passed').length;
  const failed = statuses.filter((status) => status === 'failed').length;
  return { passed, failed, skipped: statuses.length - passed - failed };
}

/**
 * The last line of a test run, which is machine-readable.
 *
 * @param {TestCounts} counts
 */
export function summaryLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/**
 * @param {string} reportFile
 * @returns {readonly { status: string, assertionResults: readonly { status: string }[] }[]}
 */
function readReport(reportFile) {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8')).testResults;
  } catch {
    return [];
  }
}
