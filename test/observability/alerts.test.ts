import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSource } from '../architecture/source-files.ts';
import { readBlocks } from '../readme/read-blocks.ts';
import { metricOfSeries, readDocumentedMetrics } from './documented-metrics.ts';
import { readPromQL } from './read-promql.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
}

const documented = readDocumentedMetrics();
/** What Prometheus itself adds to a target. */
const targetLabels = ['instance', 'job'];
const ofPrometheus = [{ name: 'up', type: 'gauge', unit: '', labels: [] }];

/** What is wrong with the metrics and labels of a query. */
function faultsOf(expression: string): string[] {
  const { selectors, grouping } = readPromQL(expression);
  const known = [...documented, ...ofPrometheus];
  const used = selectors.map(({ metric, labels }) => ({
    metric,
    labels,
    found: metricOfSeries(known, metric),
  }));
  const reachable = [...targetLabels, ...used.flatMap(({ found }) => found?.labels ?? [])];
  return [
    ...(selectors.length === 0 ? ['no metric'] : []),
    ...used.flatMap(({ metric, labels, found }) =>
      found === undefined
        ? [`no metric ${metric}`]
        : labels
            .filter((label) => ![...found.labels, ...targetLabels].includes(label))
            .map((label) => `${metric} has no label ${label}`),
    ),
    ...grouping.filter((label) => !reachable.includes(label)).map((label) => `no label ${label} to group by`),
  ];
}

const rulesText = readSource('deploy/prometheus/alerts.yaml');
const { groups } = parse(rulesText) as RuleFile; // its parts are checked below
const rules = groups.flatMap((group) => group.rules);
const operate = readSource('docs/operate.md');

describe('faults of queries', () => {
  it.each([
    ['max by (project) (muster_agents{status="offline"})', []],
    ['sum by (le) (rate(muster_http_request_duration_seconds_bucket[5m]))', []],
    ['muster_agent', ['no metric muster_agent']],
    ['muster_http_request_duration_seconds', ['no metric muster_http_request_duration_seconds']],
    ['muster_agents{state="offline"}', ['muster_agents has no label state']],
    ['sum by (route) (muster_agents)', ['no label route to group by']],
    ['1 > 2', ['no metric']],
  ])('are found: %s', (query, faults) => {
    expect(faultsOf(query)).toEqual(faults);
  });

  it('include PromQL that Prometheus does not parse', () => {
    expect(() => readPromQL('sum by (muster_agents')).toThrow('no valid PromQL');
  });
});

describe('deploy/prometheus/alerts.yaml', () => {
  it('has rules with names of their own', () => {
    expect(rules.length).toBeGreaterThan(15);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    expect(new Set(groups.map(({ name }) => name)).size).toBe(groups.length);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s asks for existing metrics and labels',
    (_, { expr }) => {
      expect(faultsOf(expr)).toEqual([]);
    },
  );

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s has everything that a person needs',
    (alert, rule) => {
      expect(alert).toMatch(/^Muster[A-Z]\w+$/);
      expect(rule.for ?? '1m').toMatch(/^\d+[mh]$/);
      expect(['critical', 'warning']).toContain(rule.labels.severity);
      expect(Object.keys(rule.annotations)).toEqual(['summary', 'description', 'runbook_url']);
      expect(rule.annotations.summary).toMatch(/\.$/);
      expect(rule.annotations.runbook_url).toBe(`docs/operate.md#${alert.toLowerCase()}`);
    },
  );

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s shows only labels that its query leaves',
    (_, rule) => {
      const shown = Object.values(rule.annotations).flatMap((text) =>
        [...text.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label),
      );
      const { selectors, grouping } = readPromQL(rule.expr);
      const aggregates = /\b(sum|max|min|avg|count|histogram_quantile)\b/.test(rule.expr);
      const left = aggregates
        ? grouping
        : [
            ...targetLabels,
            ...selectors.flatMap(({ metric }) => metricOfSeries(documented, metric)?.labels ?? []),
          ];
      expect(shown.filter((label) => !left.includes(label))).toEqual([]);
    },
  );
});

describe('docs/operate.md', () => {
  const sections = operate.split(/^### /m).slice(1);

  it('has a section for every rule, in the order of the rules, and for no other', () => {
    expect(sections.map((section) => section.split('\n', 1)[0])).toEqual(rules.map(({ alert }) => alert));
  });

  it.each(sections.map((section) => [section.split('\n', 1)[0], section]))(
    '%s: says what the alert means and what to do',
    (_, section = '') => {
      expect(section).toContain('**Means.** ');
      expect(section).toContain('**Do.** ');
    },
  );

  it('has no command that is not run by a test', () => {
    const blocks = readBlocks(operate);
    expect(blocks.length).toBeGreaterThan(10);
    expect(blocks.filter(({ notRunBecause }) => notRunBecause !== undefined)).toEqual([]);
  });
});

describe('deploy/grafana/muster.json', () => {
  const { panels, templating, annotations } = JSON.parse(
    readSource('deploy/grafana/muster.json'),
  ) as Dashboard; // its parts are checked below
  const names = templating.list.map(({ name }) => name);
  /** As Grafana replaces its variables before it asks Prometheus. */
  const withoutVariables = (expression: string) => expression.replaceAll('$__rate_interval', '5m');
  const targets = panels.flatMap(({ title, targets: all = [] }) =>
    all.map(({ expr, legendFormat }) => ({ title, expr: withoutVariables(expr), legendFormat })),
  );

  it.each(targets.map((target) => [target.title, target.expr]))('%s: %s', (_, expression = '') => {
    expect(faultsOf(expression)).toEqual([]);
    const variables = [...expression.matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
    expect(variables.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('shows labels that each query leaves', () => {
    const wrong = targets.filter(({ expr, legendFormat }) => {
      const { selectors, grouping } = readPromQL(expr);
      const all = selectors.flatMap(({ metric }) => metricOfSeries(documented, metric)?.labels ?? []);
      const left = /\bby\b/.test(expr) ? grouping : [...targetLabels, ...all];
      return [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].some(([, label = '']) => !left.includes(label));
    });
    expect(wrong).toEqual([]);
  });

  it('fills its variables and annotations from existing metrics and labels', () => {
    const queries = templating.list.flatMap(({ definition }) => definition ?? []);
    expect(queries.length).toBeGreaterThan(0);
    for (const query of queries) {
      const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
      expect(faultsOf(`sum by (${label}) (${metric})`)).toEqual([]);
    }
    expect(annotations.list.flatMap(({ expr }) => faultsOf(expr))).toEqual([]);
  });

  it('has an id for each panel', () => {
    expect(panels.length).toBeGreaterThan(15);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});
