import { readFileSync, rmSync, writeFileSync } from 'node:fs';

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
 * A line for each test that failed, so that the end of the output names them, and one for each file that failed outside of its tests.
 *
 * @param {string} reportFile
 * @returns {readonly string[]}
 */
export function failedLines(reportFile) {
  return readReport(reportFile).flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.filter((result) => result.status === 'failed');
    if (failed.length > 0) return failed.map(({ fullName }) => `Failed: ${name}: ${fullName}`);
    return status === 'failed' ? [`Failed outside of its tests: ${name}`] : [];
  });
}

/**
 * What was skipped: a line for the tests that ran on the other engine, and one for each file with tests that did not run at all. The
 * file prints the reason.
 *
 * @param {string} reportFile
 * @returns {readonly string[]}
 */
export function skippedLines(reportFile) {
  const tests = readReport(reportFile).flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({ name, title: `${name}: ${fullName}`, status })),
  );
  const tried = new Set(tests.filter(({ status }) => isTried(status)).map(({ title }) => title));
  const skipped = tests.filter(({ status }) => !isTried(status));
  const nowhere = skipped.filter(({ title }) => !tried.has(title));
  const elsewhere = skipped.length - nowhere.length;
  const files = [...new Set(nowhere.map(({ name }) => name))];
  return [
    ...(elsewhere > 0 ? [`Skipped on one engine, and tried on the other: ${elsewhere}`] : []),
    ...files.map((file) => {
      const titles = new Set(nowhere.filter(({ name }) => name === file).map(({ title }) => title));
      return `Skipped, for the reason above: ${file}: ${titles.size}`;
    }),
  ];
}

const shownFiles = 20;

/**
 * The files that took most of the processors, with the share of all that each took.
 *
 * @param {string} runReport written by test/run-reporter.ts
 * @returns {readonly string[]}
 */
export function costLines(runReport) {
  const { costs } = readRunReport(runReport);
  const all = costs.reduce((sum, { seconds }) => sum + seconds, 0);
  if (all === 0) return [];
  const highest = costs.toSorted((one, other) => other.seconds - one.seconds).slice(0, shownFiles);
  return [
    `The most expensive files, of ${all.toFixed(0)} s of processor time:`,
    ...highest.map(
      ({ file, project, seconds }) =>
        `${seconds.toFixed(1).padStart(7)} s ${((100 * seconds) / all).toFixed(1).padStart(5)} %  ${file} (${project})`,
    ),
  ];
}

/**
 * The tests that passed only when they were tried again. They are written to a file too, which does not exist if there were none.
 *
 * @param {string} runReport
 * @param {string} file
 * @returns {readonly string[]}
 */
export function noteFlaky(runReport, file) {
  const { flaky } = readRunReport(runReport);
  if (flaky.length === 0) rmSync(file, { force: true });
  else writeFileSync(file, `${flaky.join('\n')}\n`);
  return flaky.map((title) => `Flaky, passed at the second attempt: ${title}`);
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

/**
 * @param {string} runReport
 * @returns {{ costs: { file: string, project: string, seconds: number }[], flaky: string[] }}
 */
function readRunReport(runReport) {
  try {
    return JSON.parse(readFileSync(runReport, 'utf8'));
  } catch {
    return { costs: [], flaky: [] };
  }
}
