import { readSource } from '../architecture/source-files.ts';

export interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly labels: readonly string[];
}

/** The rows of the tables in docs/metrics.md. */
export function readDocumentedMetrics(): DocumentedMetric[] {
  return readSource('docs/metrics.md')
    .split('\n')
    .filter((line) => line.startsWith('| `muster_'))
    .map((line) => {
      const [name = '', type = '', unit = '', labels = ''] = line
        .slice(2)
        .split('|')
        .map((cell) => cell.trim());
      return {
        name: unquote(name),
        type,
        unit,
        labels: labels === '' ? [] : labels.split(', ').map(unquote),
      };
    });
}

function unquote(cell: string): string {
  return cell.replaceAll('`', '');
}

const suffixes: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
};

/** The documented metric that has a series of this name. */
export function metricOfSeries(
  metrics: readonly DocumentedMetric[],
  series: string,
): DocumentedMetric | undefined {
  return metrics.find(({ name, type }) =>
    (suffixes[type] ?? ['']).some((suffix) => name + suffix === series),
  );
}
