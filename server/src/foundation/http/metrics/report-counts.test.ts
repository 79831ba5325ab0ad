import { describe, expect, it } from 'vitest';
import { ReportCounts } from './report-counts.ts';

function add(counts: ReportCounts, reports: Readonly<Record<string, number>>): void {
  for (const [project, ignored] of Object.entries(reports)) counts.add(project, 'ignored', ignored);
}

/** Ignored reports by project. */
function ignoredOf(counts: ReportCounts, shown: readonly string[]): Record<string, number> {
  return Object.fromEntries(counts.seriesOf(shown).map((series) => [series.project, series.counts.ignored]));
}

describe('ReportCounts', () => {
  it('counts by project and outcome, and in all', () => {
    const counts = new ReportCounts();
    counts.add('a', 'created', 2);
    counts.add('a', 'ignored', 1);
    counts.add('b', 'limited', 3);
    expect(counts.seriesOf(['a'])).toEqual([
      { project: 'a', counts: { created: 2, ignored: 1, limited: 0 } },
      { project: 'other', counts: { created: 0, ignored: 0, limited: 3 } },
    ]);
    expect([counts.total('created'), counts.total('ignored'), counts.total('limited')]).toEqual([2, 1, 3]);
  });

  it('begins the series of a project at 0 before its first report, so that a rate includes it', () => {
    expect(ignoredOf(new ReportCounts(), ['a'])).toEqual({ a: 0, other: 0 });
  });

  it('never decreases, whichever projects have series of their own', () => {
    const counts = new ReportCounts();
    add(counts, { a: 1, b: 10 });
    expect(ignoredOf(counts, ['a'])).toEqual({ a: 1, other: 10 });
    add(counts, { a: 1, b: 10 });
    // b has become one of the large ones, and a no longer is.
    expect(ignoredOf(counts, ['b'])).toEqual({ a: 2, b: 10, other: 10 });
    add(counts, { a: 1, b: 10, c: 100 });
    expect(ignoredOf(counts, [])).toEqual({ a: 3, b: 20, other: 110 });
  });

  it('ends the series of a deleted project, and counts what still comes from it as other', () => {
    const counts = new ReportCounts();
    add(counts, { a: 1, b: 2 });
    expect(ignoredOf(counts, ['a', 'b'])).toEqual({ a: 1, b: 2, other: 0 });
    counts.forget('a');
    add(counts, { a: 4, c: 8 });
    expect(ignoredOf(counts, ['b'])).toEqual({ b: 2, other: 13 });
    counts.forget('never seen');
  });

  it('keeps every report of any number of projects in a bounded number of series', () => {
    const counts = new ReportCounts();
    const ids = Array.from({ length: 15_000 }, (_, index) => `project ${index}`);
    let reports = 0;
    for (const shown of [ids.slice(0, 100), ids.slice(50, 150), ids.slice(14_000, 14_500), []]) {
      for (const id of ids) counts.add(id, 'ignored', 1);
      reports += ids.length;
      const series = counts.seriesOf(shown);
      expect(series.length).toBeLessThanOrEqual(201);
      expect(series.reduce((sum, one) => sum + one.counts.ignored, 0)).toBe(reports);
      expect(counts.total('ignored')).toBe(reports);
    }
    const last = counts.seriesOf([]);
    expect(last).toHaveLength(201);
    // It was among the first to get a series, and has lost nothing.
    expect(last[0]).toEqual({ project: 'project 0', counts: { created: 0, ignored: 4, limited: 0 } });
  });
});
