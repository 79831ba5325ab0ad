import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSource } from '../architecture/source-files.ts';
import { setByChart, variables } from './deployment-files.ts';

interface Values {
  readonly secrets: { readonly databaseUrl: object };
  readonly autoscaling: object;
}

const folder = 'deploy/helm/muster';
const valuesText = readSource(`${folder}/values.yaml`);
const values = parse(valuesText) as Values; // checked against the chart's own schema below
const schema = JSON.parse(readSource(`${folder}/values.schema.json`));
const isValid = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);

function withValue(path: string, value: unknown): unknown {
  const copy = structuredClone(values) as unknown as Record<string, unknown>; // a tree of plain values
  const names = path.split('.');
  const last = names.pop() ?? '';
  const parent = names.reduce((tree, name) => tree[name] as Record<string, unknown>, copy);
  parent[last] = value;
  return copy;
}

describe('the values of the chart', () => {
  it('keep to the schema', () => {
    isValid(values);
    expect(isValid.errors ?? []).toEqual([]);
  });

  it.each([
    ['replicas', '2'],
    ['replica', 2],
    ['port', 70_000],
    ['image.repository', ''],
    ['secrets.adminToken', 'the token itself'],
    ['secrets.databaseUrl.value', 'postgres://…'],
    ['settings.DATABASE_URL', 'postgres://…'],
    ['settings.MUSTER_RETENTION_DAY', '30'],
    ['settings.MUSTER_RETENTION_DAYS', 30],
    ['podDisruptionBudget.maxUnavailable', 0],
    ['serviceMonitor.enabled', 'yes'],
    ['prometheusRule.label', {}],
    ['backup.claim', 'x'],
    ['networkPolicy.egressPorts', ['https']],
    ['networkPolicy.egressPorts', [0]],
    ['settings.MUSTER_BACKUP_DIR', '/data'],
    ['settings.MUSTER_TLS_CERT', '/tls.crt'],
  ])('are refused with %s: %j', (path, value) => {
    expect(isValid(withValue(path, value))).toBe(false);
  });

  it.each([
    ['one replica', { replicas: 1 }, true],
    ['two replicas', { replicas: 2 }, false],
    ['autoscaling', { replicas: 1, autoscaling: { ...values.autoscaling, enabled: true } }, false],
  ])('need a PostgreSQL database, because the embedded one supports one process: %s', (_, given, taken) => {
    const embedded = { ...values.secrets, databaseUrl: { ...values.secrets.databaseUrl, name: '' } };
    expect(isValid({ ...values, ...given, secrets: embedded })).toBe(taken);
    expect(isValid({ ...values, ...given })).toBe(true);
  });

  it('include every setting except those that the chart sets and secrets', () => {
    expect(Object.keys(schema.properties.settings.properties).sort()).toEqual(
      variables.filter((name) => !setByChart.includes(name)).sort(),
    );
    const examples = [...valuesText.matchAll(/^ {2}# (MUSTER_\w+): /gm)].map(([, name = '']) => name);
    expect(examples.length).toBeGreaterThan(0);
    expect(examples.filter((name) => !variables.includes(name))).toEqual([]);
  });

  it('are explained, each section by a comment right before it', () => {
    const lines = valuesText.split('\n');
    const unexplained = lines.filter(
      (line, index) => /^\w+:/.test(line) && !lines[index - 1]?.startsWith('# '),
    );
    expect(unexplained).toEqual([]);
    expect(lines.filter((line) => /^\w+:/.test(line))).toHaveLength(Object.keys(values).length);
  });
});

describe('the chart', () => {
  it('has the version of the service', () => {
    const chart = parse(readSource(`${folder}/Chart.yaml`)) as Record<string, string>; // as Helm reads it
    const { version } = JSON.parse(readSource('cli/package.json')) as { version: string }; // as npm reads it
    expect(chart).toMatchObject({ apiVersion: 'v2', name: 'muster', version, appVersion: version });
  });
});
