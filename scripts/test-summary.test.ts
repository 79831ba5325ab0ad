import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  costLines,
  failedLines,
  noteFlaky,
  readTestCounts,
  skippedLines,
  summaryLine,
} from './test-summary.mjs';

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

  it('counts the tests of each file that no engine has tried', () => {
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
      'Skipped, for the reason above: a.test.ts: 1',
    ]);
    expect(skippedLines('/does/not/exist.json')).toEqual([]);
  });

  it('names each test that failed, and each file that failed outside of its tests', () => {
    const failed = { fullName: 'one', status: 'failed' };
    const report = {
      testResults: [
        { name: 'a.test.ts', status: 'failed', assertionResults: [failed, { ...failed, status: 'passed' }] },
        { name: 'b.test.ts', status: 'failed', assertionResults: [{ fullName: 'two', status: 'skipped' }] },
        { name: 'c.test.ts', status: 'passed', assertionResults: [{ fullName: 'three', status: 'passed' }] },
      ],
    };
    expect(withReport(report, failedLines)).toEqual([
      'Failed: a.test.ts: one',
      'Failed outside of its tests: b.test.ts',
    ]);
  });

  it('lists the twenty files that took most of the processors', () => {
    const costs = Array.from({ length: 25 }, (_, index) => ({
      file: `${index}.test.ts`,
      project: 'sqlite',
      seconds: index,
    }));
    const lines = withReport({ costs, flaky: [] }, costLines);
    expect(lines).toHaveLength(21);
    expect(lines.slice(0, 2)).toEqual([
      'The most expensive files, of 300 s of processor time:',
      '   24.0 s   8.0 %  24.test.ts (sqlite)',
    ]);
    expect(lines.at(-1)).toBe('    5.0 s   1.7 %  5.test.ts (sqlite)');
    expect(costLines('/does/not/exist.json')).toEqual([]);
  });

  it('names what passed at its second attempt, and keeps it in a file until a run without', () => {
    const flaky = ['test/browser/a.test.ts: one', 'test/browser/a.test.ts: two'];
    const kept = `${mkdtempSync(join(tmpdir(), 'muster-flaky-'))}/flaky.txt`;
    expect(withReport({ costs: [], flaky }, (file) => noteFlaky(file, kept))).toEqual([
      'Flaky, passed at the second attempt: test/browser/a.test.ts: one',
      'Flaky, passed at the second attempt: test/browser/a.test.ts: two',
    ]);
    expect(readFileSync(kept, 'utf8')).toBe(`${flaky.join('\n')}\n`);
    expect(withReport({ costs: [], flaky: [] }, (file) => noteFlaky(file, kept))).toEqual([]);
    expect(existsSync(kept)).toBe(false);
  });

  it('counts nothing where vitest left no report', () => {
    expect(summaryLine(readTestCounts('/does/not/exist.json'))).toBe('0 passed, 0 failed');
  });
});
