/** A moment on the chart, such as an update of a configuration. */
export interface ChartMark {
  /** Milliseconds. */
  readonly at: number;
  /** Where its line stands. Absent: at its time. */
  readonly drawnAt?: number;
  readonly text: string;
  /** What stands beside its line. Absent: the table alone tells of it. */
  readonly name?: string;
  /** False: nothing was changed then, such as when something was last heard. */
  readonly isChange?: boolean;
}

export interface ChartProps {
  readonly title: string;
  /** What is counted, in the plural. */
  readonly unit: string;
  /** Starts of the buckets in milliseconds, oldest first, all equally long. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly marks?: readonly ChartMark[];
  /** In pixels. */
  readonly height?: number;
  /**
   * `level`: something that lasts, such as the agents that have a cause. `flow`: how much of what is usual came in each bucket. Absent: how often something
   * happened in each bucket.
   */
  readonly kind?: 'level' | 'flow';
}
