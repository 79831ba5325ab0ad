import type { Histogram, MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

/** A value with the name of its series: that of the histogram and what it counts. */
type NamedValue = MetricValue<string> & { readonly metricName: string };

interface DurationHistogramOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  /** Upper bounds in seconds, in ascending order. */
  readonly buckets: readonly number[];
  readonly registry: Registry;
}

/** Records one duration, in milliseconds. */
export type Observe = (milliseconds: number) => void;

interface Series<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  /** The number of durations in each bucket, and after them the number of longer ones. */
  readonly counts: Float64Array;
  count: number;
  /** Seconds. */
  sum: number;
  readonly observe: Observe;
}

/**
 * Like the histogram of prom-client, whose format it exports, for durations of answers. It finds a series once and not at each observation: the
 * library builds a key of the labels each time, which was a thirtieth of the processor time of a report.
 */
export class DurationHistogram<Label extends string> {
  readonly #options: DurationHistogramOptions<Label>;
  readonly #series = new Map<string, Series<Label>>();

  constructor(options: DurationHistogramOptions<Label>) {
    this.#options = options;
    // The registry only calls `get`, and reads the name when it is registered.
    options.registry.registerMetric({
      name: options.name,
      get: () => Promise.resolve(this.#export()),
      reset: () => this.#series.clear(),
    } as unknown as Histogram<Label>);
  }

  /** The function that records durations of the series with these labels. Call it once for each series if many durations follow. */
  observerOf(labels: Readonly<Record<Label, string>>): Observe {
    const key = this.#options.labelNames.map((name) => labels[name]).join('\n');
    let series = this.#series.get(key);
    if (series === undefined) {
      series = createSeries(labels, this.#options.buckets);
      this.#series.set(key, series);
    }
    return series.observe;
  }

  #export(): MetricObjectWithValues<NamedValue> {
    const { name, help } = this.#options;
    return {
      name,
      help,
      type: 'histogram' as unknown as MetricObjectWithValues<NamedValue>['type'], // the library does not export its enum
      aggregator: 'sum',
      collect: () => undefined,
      // As in the library, a series begins with its first duration.
      values: [...this.#series.values()]
        .filter(({ count }) => count > 0)
        .flatMap((series) => this.#valuesOf(series)),
    };
  }

  /** Each bucket contains those before it. */
  #valuesOf({ labels, counts, count, sum }: Series<Label>): NamedValue[] {
    const { name, buckets } = this.#options;
    let value = 0;
    const values = [...counts].map((inBucket, index): NamedValue => {
      value += inBucket;
      return { metricName: `${name}_bucket`, labels: { le: buckets[index] ?? '+Inf', ...labels }, value };
    });
    return [
      ...values,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

function createSeries<Label extends string>(
  labels: Readonly<Record<Label, string>>,
  buckets: readonly number[],
): Series<Label> {
  const series: Series<Label> = {
    labels,
    counts: new Float64Array(buckets.length + 1),
    count: 0,
    sum: 0,
    observe(milliseconds) {
      const seconds = milliseconds / 1_000;
      let bucket = 0;
      while (bucket < buckets.length && seconds > (buckets[bucket] ?? 0)) bucket += 1;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.count += 1;
      series.sum += seconds;
    },
  };
  return series;
}
