import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceMetrics } from '../../server/src/foundation/http/metrics/service-metrics.ts';
import { collectStandbyMetrics } from '../../server/src/foundation/http/metrics/standby-metrics.ts';
import { Secret } from '../../server/src/foundation/secret.ts';
import type { TestApp } from '../../server/src/testing/start-test-app.ts';
import { type SecureApp, startSecureApp } from '../tls/secure-app.ts';
import { type DocumentedMetric, metricOfSeries, readDocumentedMetrics } from './documented-metrics.ts';

const metricsToken = 'the-token-of-the-metrics-of-this-test';
const documented = readDocumentedMetrics();
let app: SecureApp;
let test: TestApp;
let text: string;

beforeAll(async () => {
  // With TLS and backups, which have metrics of their own.
  app = await startSecureApp({
    config: { metricsToken: new Secret(metricsToken), backupDirectory: '/nowhere' },
    runBackup: async () => undefined,
  });
  test = app.test;
  const project = await test.createProject();
  await test.registerAgent(project);
  // Has everything counted, so that every metric has a value.
  await test.request('GET', `/v1/projects/${project.id}/summary`, { as: { access: test.admin } });
  globalThis.gc?.();
  text = (await test.request('GET', '/metrics', { as: { access: metricsToken } })).text;
  // It needs PostgreSQL.
  const { registry } = new ServiceMetrics();
  const figures = { isUsed: true, lagMilliseconds: 0, standby: 1, primary: 1 };
  collectStandbyMetrics(registry, { figures });
  for (const name of ['muster_standby_used', 'muster_standby_lag_seconds', 'muster_lists_total'])
    text += `${await registry.getSingleMetricAsString(name)}\n`;
});
afterAll(() => app.close());

/** Names and types that the service declares. */
function declaredMetrics(): Pick<DocumentedMetric, 'name' | 'type'>[] {
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
}

/** The names of labels, by metric, of every series that has a value. */
function labelsInUse(): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>();
  for (const [, series = '', list = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const name = metricOfSeries(documented, series)?.name ?? series;
    const known = labels.get(name) ?? new Set();
    for (const [, label = ''] of list.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    labels.set(name, known);
  }
  return labels;
}

/** Metrics that the operating system does not always have. */
const onlyOnLinux = /^muster_process_(virtual_memory_bytes|heap_bytes|open_fds|max_fds)$/;

describe('docs/metrics.md', () => {
  it('describes every metric that exists, with its type, and no other', () => {
    const toLine = ({ name, type }: Pick<DocumentedMetric, 'name' | 'type'>) => `${name} ${type}`;
    const isExpected = ({ name }: { readonly name: string }) =>
      process.platform === 'linux' || !onlyOnLinux.test(name);
    expect(declaredMetrics().map(toLine).sort()).toEqual(documented.filter(isExpected).map(toLine).sort());
  });

  it('names the labels of each metric', () => {
    const used = labelsInUse();
    // Garbage is collected whenever the engine likes.
    const withValues = documented.filter(({ name }) => (used.get(name)?.size ?? 0) > 0);
    expect(withValues.length).toBeGreaterThan(15);
    expect(withValues.map(({ name, labels }) => [name, [...labels].sort()])).toEqual(
      withValues.map(({ name }) => [name, [...(used.get(name) ?? [])].sort()]),
    );
    const withoutLabels = documented.filter(({ name, labels }) => labels.length > 0 && !used.has(name));
    expect(
      withoutLabels.map(({ name }) => name).filter((name) => name !== 'muster_nodejs_gc_duration_seconds'),
    ).toEqual([]);
  });

  it('gives each one the unit that its name ends with', () => {
    const wrong = documented.filter(({ name, unit }) => {
      const [, suffix] = /_(seconds|bytes|ratio)(?:_total)?$/.exec(name) ?? [];
      return suffix !== undefined && suffix !== unit;
    });
    expect(wrong).toEqual([]);
  });
});
