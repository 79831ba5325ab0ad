export const reportOutcomes = ['created', 'ignored', 'limited'] as const;
export type CountedOutcome = (typeof reportOutcomes)[number];

/** Projects that are counted one by one between two scrapes. Reports of further ones count as `other` at once. */
const maxCounted = 10_000;
/** Projects whose series stay: a series that ended and began again would be a wrong rate. */
const maxShown = 200;
const width = reportOutcomes.length;
const columnOf: Readonly<Record<CountedOutcome, number>> = { created: 0, ignored: 1, limited: 2 };

interface ProjectSeries {
  readonly project: string;
  readonly counts: Readonly<Record<CountedOutcome, number>>;
}

/**
 * Reports of agent errors since the start: in all, and by project. Counting one costs some nanoseconds, because every
 * report does it. The memory is bounded, however many projects report.
 */
export class ReportCounts {
  readonly #totals = new Float64Array(width);
  /** The row of each project in `#counts`. */
  readonly #rows = new Map<string, number>();
  readonly #shown = new Set<string>();
  readonly #others = new Float64Array(width);
  /** `width` numbers for each row. */
  #counts = new Float64Array(16 * width);
  #freeRows: number[] = [];

  add(projectID: string, outcome: CountedOutcome, reports: number): void {
    const column = columnOf[outcome];
    addTo(this.#totals, column, reports);
    const row = this.#rows.get(projectID) ?? this.#addRow(projectID);
    if (row === undefined) addTo(this.#others, column, reports);
    else addTo(this.#counts, row * width + column, reports);
  }

  total(outcome: CountedOutcome): number {
    return this.#totals[columnOf[outcome]] ?? 0;
  }

  /**
   * The series of a scrape. Counters never decrease: what was counted as `other` stays there, and a project that has a
   * series keeps it until it is forgotten.
   *
   * @param projectIDs projects that are to have a series of their own
   */
  seriesOf(projectIDs: readonly string[]): ProjectSeries[] {
    for (const id of projectIDs) {
      if (this.#shown.has(id) || this.#shown.size >= maxShown) continue;
      this.#shown.add(id);
      this.#rows.get(id) ?? this.#addRow(id);
    }
    for (const [id, row] of this.#rows) {
      if (!this.#shown.has(id)) this.#moveToOthers(id, row);
    }
    const shown = [...this.#shown].map((project) => {
      const from = (this.#rows.get(project) ?? 0) * width;
      return { project, counts: toRecord(this.#counts.subarray(from, from + width)) };
    });
    return [...shown, { project: 'other', counts: toRecord(this.#others) }];
  }

  /** Ends the series of a deleted project. */
  forget(projectID: string): void {
    this.#shown.delete(projectID);
    const row = this.#rows.get(projectID);
    if (row !== undefined) this.#moveToOthers(projectID, row);
  }

  #addRow(projectID: string): number | undefined {
    if (this.#rows.size >= maxCounted && !this.#shown.has(projectID)) return undefined;
    const row = this.#freeRows.pop() ?? this.#rows.size;
    if ((row + 1) * width > this.#counts.length) {
      const grown = new Float64Array(this.#counts.length * 2);
      grown.set(this.#counts);
      this.#counts = grown;
    }
    this.#rows.set(projectID, row);
    return row;
  }

  #moveToOthers(projectID: string, row: number): void {
    for (let column = 0; column < width; column += 1) {
      addTo(this.#others, column, this.#counts[row * width + column] ?? 0);
      this.#counts[row * width + column] = 0;
    }
    this.#rows.delete(projectID);
    this.#freeRows.push(row);
  }
}

function addTo(counts: Float64Array, index: number, reports: number): void {
  counts[index] = (counts[index] ?? 0) + reports;
}

function toRecord([created = 0, ignored = 0, limited = 0]: Float64Array): ProjectSeries['counts'] {
  return { created, ignored, limited };
}
