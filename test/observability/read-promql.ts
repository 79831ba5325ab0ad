import { parser } from '@prometheus-io/lezer-promql';

interface Selector {
  readonly metric: string;
  /** Labels that the selector compares. */
  readonly labels: readonly string[];
}

export interface PromQuery {
  readonly selectors: readonly Selector[];
  /** Labels by which the query groups or joins. */
  readonly grouping: readonly string[];
}

/** Reads a query with the grammar of Prometheus itself. @throws Error where it is not valid PromQL */
export function readPromQL(query: string): PromQuery {
  const selectors: { metric: string; labels: string[] }[] = [];
  const grouping: string[] = [];
  let isGrouping = false;
  parser.parse(query).iterate({
    enter({ type, from, to }) {
      const text = query.slice(from, to);
      if (type.isError) throw new Error(`no valid PromQL at character ${from}: ${query}`);
      if (type.name === 'VectorSelector') selectors.push({ metric: '', labels: [] });
      if (type.name === 'GroupingLabels') isGrouping = true;
      const selector = selectors.at(-1);
      if (type.name === 'Identifier' && selector !== undefined) selector.metric = text;
      if (type.name === 'LabelName' && isGrouping) grouping.push(text);
      else if (type.name === 'LabelName') selector?.labels.push(text);
    },
    leave({ type }) {
      if (type.name === 'GroupingLabels') isGrouping = false;
    },
  });
  return { selectors, grouping };
}
