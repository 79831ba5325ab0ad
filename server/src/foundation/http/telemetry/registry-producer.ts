import type { HrTime } from '@opentelemetry/api';
import { ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

type PromMetric = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;

/** The metrics of `/metrics`, under the same names, so that nothing is counted twice for OpenTelemetry. */
export class RegistryProducer implements MetricProducer {
  readonly #registry: Registry;
  readonly #resource: Resource;
  readonly #startTime: HrTime;

  /** @param startedAt when the counters were 0, in milliseconds */
  constructor(registry: Registry, resource: Resource, startedAt: number) {
    this.#registry = registry;
    this.#resource = resource;
    this.#startTime = toHrTime(startedAt);
  }

  async collect(): Promise<CollectionResult> {
    const all = (await this.#registry.getMetricsAsJSON()) as PromMetric[]; // histograms name their series
    const endTime = toHrTime(Date.now());
    const metrics = all.map((metric) => toMetricData(metric, { startTime: this.#startTime, endTime }));
    return {
      resourceMetrics: {
        resource: this.#resource,
        scopeMetrics: [
          { scope: { name: 'muster' }, metrics: metrics.filter(({ dataPoints }) => dataPoints.length > 0) },
        ],
      },
      errors: [],
    };
  }
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function toMetricData(metric: PromMetric, times: Times): MetricData {
  const base = {
    descriptor: {
      name: metric.name,
      description: metric.help,
      unit: unitOf(metric.name),
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // The library declares an enum for it that it does not export.
  if (String(metric.type) === 'histogram') {
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(metric, times) };
  }
  const dataPoints = metric.values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({ ...times, attributes: toAttributes(labels), value }));
  return String(metric.type) === 'counter'
    ? { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

interface HistogramSeries {
  readonly attributes: Record<string, string>;
  readonly boundaries: number[];
  /** Values at most as large as each boundary, the last one being infinite. */
  readonly cumulated: number[];
  sum: number;
  count: number;
}

function toHistograms(metric: PromMetric, times: Times) {
  const series = new Map<string, HistogramSeries>();
  for (const { value, labels, metricName } of metric.values) {
    const { le, ...others } = labels;
    const attributes = toAttributes(others);
    const key = JSON.stringify(Object.entries(attributes).sort());
    const one = series.get(key) ?? { attributes, boundaries: [], cumulated: [], sum: 0, count: 0 };
    series.set(key, one);
    if (metricName?.endsWith('_sum')) one.sum = value;
    else if (metricName?.endsWith('_count')) one.count = value;
    else {
      one.cumulated.push(value);
      if (Number.isFinite(Number(le))) one.boundaries.push(Number(le));
    }
  }
  return [...series.values()].map(({ attributes, boundaries, cumulated, sum, count }) => ({
    ...times,
    attributes,
    value: {
      buckets: {
        boundaries,
        counts: cumulated.map((below, index) => below - (cumulated[index - 1] ?? 0)),
      },
      sum,
      count,
    },
  }));
}

function toAttributes(labels: Readonly<Record<string, string | number | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}

/** UCUM, as the specification wants it. */
function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's';
  if (/_bytes(_total)?$/.test(name)) return 'By';
  return name.endsWith('_ratio') ? '1' : '';
}

function toHrTime(milliseconds: number): HrTime {
  return [Math.floor(milliseconds / 1_000), Math.round((milliseconds % 1_000) * 1_000_000)];
}
