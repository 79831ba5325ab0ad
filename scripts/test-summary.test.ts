import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTestCounts, skippedLines, summaryLine } from './test-summary.mjs';

function summaryOf(report: unknown): string {
  return withReport(report, (file) => summaryLine(readTestCounts(file)));
}

function withReport<Result>(report: unknown, read: (file: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'muster-report-'));
  try {
    const file = join(folder, 'report.json');
    writeFileSync(file, JSON.stringify(report));
    return read(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function file(...statuses: string[]) {
  return {
    status: statuses.includes('failed') ? 'failed' : 'passed',
    assertionResults: statuses.map((status) => ({ status })),
  };
}

describe('the summary of a test run', () => {
  it('adds up the tests of all files', () => {
    expect(summaryOf({ testResults: [file('passed', 'failed'), file('passed')] })).toBe('2 passed, 1 failed');
  });

  it('names skipped tests only when there are any', () => {
    expect(summaryOf({ testResults: [file('passed', 'pending', 'todo')] })).toBe(
      '1 passed, 0 failed, 2 skipped',
    );
  });

  it('counts a file that failed before its tests could run', () => {
    const broken = { status: 'failed', assertionResults: [] };
    expect(summaryOf({ testResults: [file('passed'), broken] })).toBe('1 passed, 1 failed');
  });

  it('names each test that no engine has tried', () => {
    const tests = (...assertionResults: object[]) => ({
      name: 'a.test.ts',
      status: 'passed',
      assertionResults,
    });
    const report = {
      testResults: [
        tests({ fullName: 'one', status: 'passed' }, { fullName: 'two', status: 'skipped' }),
        tests({ fullName: 'one', status: 'pending' }, { fullName: 'two', status: 'pending' }),
      ],
    };
    expect(withReport(report, skippedLines)).toEqual([
      'Skipped on one engine, and tried on the other: 1',
      'Skipped, for the reason above: a.test.ts: two',
    ]);
    expect(skippedLines('/does/not/exist.json')).toEqual([]);
  });

  it('counts nothing where vitest left no report', () => {
    expect(summaryLine(readTestCounts('/does/not/exist.json'))).toBe('0 passed, 0 failed');
  });
});
