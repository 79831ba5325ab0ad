/** A moment on the chart, such as an update of a configuration. */
export interface ChartMark {
  /** Milliseconds. */
  readonly at: number;
  readonly text: string;
  /** True: it stands beside the line, such as when something was last heard. Absent: a change, of which the table alone tells. */
  readonly isNamed?: boolean;
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
