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
 * What was skipped: a line for the tests that ran on the other engine, and one for each that did not run at all. Its file prints
 * the reason.
 *
 * @param {string} reportFile
 * @returns {readonly string[]}
 */
export function skippedLines(reportFile) {
  const tests = readReport(reportFile).flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({ title: `${name}: ${fullName}`, status })),
  );
  const tried = new Set(tests.filter(({ status }) => isTried(status)).map(({ title }) => title));
  const skipped = tests.filter(({ status }) => !isTried(status)).map(({ title }) => title);
  const nowhere = skipped.filter((title) => !tried.has(title));
  const elsewhere = skipped.length - nowhere.length;
  return [
    ...(elsewhere > 0 ? [`Skipped on one engine, and tried on the other: ${elsewhere}`] : []),
    ...[...new Set(nowhere)].map((title) => `Skipped, for the reason above: ${title}`),
  ];
}

/** @param {string} status */
function isTried(status) {
  return status === 'passed' || status === 'failed';
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
 * @returns {readonly { name: string, status: string, assertionResults: readonly { fullName: string, status: string }[] }[]}
 */
function readReport(reportFile) {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8')).testResults;
  } catch {
    return [];
  }
}
