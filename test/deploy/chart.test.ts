import { routes } from '@muster/contract';
import { settings } from '@muster/server/config';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { filesBelow, readSource } from '../architecture/source-files.ts';
import { leavesOf, maxStopSeconds, readImageSettings, valuesUsedIn, variables } from './deployment-files.ts';

interface Values {
  readonly port: number;
  readonly image: { readonly repository: string };
  readonly secrets: Readonly<
    Record<
      | 'databaseUrl'
      | 'adminToken'
      | 'metricsToken'
      | 'oidcClientSecret'
      | 'secretKey'
      | 'smtpUrl'
      | 'provisioning',
      { readonly key: string }
    >
  >;
  readonly settings: Readonly<Record<string, string>>;
  readonly autoscaling: object;
  readonly networkPolicy: { readonly egressPorts: readonly number[] };
  readonly resources: Readonly<Record<'limits' | 'requests', { readonly memory: string }>>;
  readonly preStopSeconds: number;
  readonly terminationGracePeriodSeconds: number;
}

const folder = 'deploy/helm/muster';
const valuesText = readSource(`${folder}/values.yaml`);
const values = parse(valuesText) as Values; // checked against the chart's own schema below
const schema = JSON.parse(readSource(`${folder}/values.schema.json`));
const isValid = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);
const templates = filesBelow(`${folder}/templates`, ['.yaml', '.tpl', '.txt']);
const deployment = readSource(`${folder}/templates/deployment.yaml`);

/** The settings that the chart itself sets, and the secret ones. */
const notInSettings = [
  'HOST',
  'PORT',
  'MUSTER_DATA_DIR',
  'DATABASE_URL',
  'MUSTER_ADMIN_TOKEN',
  'MUSTER_METRICS_TOKEN',
  'MUSTER_OIDC_CLIENT_SECRET',
  'MUSTER_TLS_CERT',
  'MUSTER_TLS_KEY',
  'MUSTER_SECRET_KEY',
  'MUSTER_SMTP_URL',
  'MUSTER_PROVISION_FILE',
  'MUSTER_BACKUP_DIR',
];

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
      variables.filter((name) => !notInSettings.includes(name)).sort(),
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

describe('the templates of the chart', () => {
  const used = new Set(templates.flatMap((path) => valuesUsedIn(readSource(path))));
  const given = leavesOf(values);

  it('use only existing values', () => {
    const known = (path: string): boolean =>
      given.some((leaf) => leaf === path || leaf.startsWith(`${path}.`)) ||
      path.startsWith('settings.MUSTER_');
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((path) => !known(path))).toEqual([]);
  });

  it('use every value', () => {
    expect(
      given.filter((leaf) => ![...used].some((path) => leaf === path || leaf.startsWith(`${path}.`))),
    ).toEqual([]);
  });

  it.each(templates)('%s ends every block that it begins', (path) => {
    const actions = [...readSource(path).matchAll(/\{\{-?\s*(if|with|range|define|end)\b/g)].map(
      ([, word]) => word,
    );
    const ends = actions.filter((word) => word === 'end').length;
    expect(ends).toBe(actions.length - ends);
  });

  it('give the container existing settings, and secrets only from Secrets', () => {
    const names = [...deployment.matchAll(/^ {12}- name: ([A-Z_]+)$/gm)].map(([, name = '']) => name);
    expect(names).toEqual(notInSettings.filter((name) => name !== 'MUSTER_DATA_DIR'));
    expect(names.filter((name) => !variables.includes(name))).toEqual([]);
    expect(deployment.match(/secretKeyRef/g)).toHaveLength(6);
    expect(values.secrets.databaseUrl.key).toBe(settings.databaseUrl.variable);
    expect(values.secrets.adminToken.key).toBe(settings.adminToken.variable);
    expect(values.secrets.metricsToken.key).toBe(settings.metricsToken.variable);
    expect(values.secrets.secretKey.key).toBe(settings.secretKey.variable);
    expect(values.secrets.smtpUrl.key).toBe(settings.smtpUrl.variable);
    expect(values.secrets.oidcClientSecret.key).toBe(settings.oidcClientSecret.variable);
  });

  it('mount the Secret with the provisioning file where the setting says, for the group of the pod alone', () => {
    expect(values.secrets.provisioning.key).toBe('provisioning.yaml');
    const folders = [
      /- name: MUSTER_PROVISION_FILE\n +value: (\S+)\/\{\{ \.Values\.secrets\.provisioning\.key \}\}\n/,
      /- name: provisioning\n +mountPath: (\S+)\n +readOnly: true\n/,
    ].map((pattern) => pattern.exec(deployment)?.[1]);
    expect(folders).toEqual(['/etc/muster/provisioning', '/etc/muster/provisioning']);
    expect(deployment).toMatch(
      /secretName: \{\{ \.Values\.secrets\.provisioning\.name \}\}\n.*\n +defaultMode: 0440\n/,
    );
  });

  it('probe existing paths', () => {
    const probes = [...deployment.matchAll(/(\w+)Probe:\n\s+httpGet:\n\s+path: (\S+)\n\s+port: (\S+)/g)];
    expect(probes.map(([, kind, path, port]) => [kind, path, port])).toEqual([
      ['startup', routes.getLiveness.path, 'http'],
      ['liveness', routes.getLiveness.path, 'http'],
      ['readiness', routes.getReadiness.path, 'http'],
    ]);
  });

  it('give a pod enough time to stop', () => {
    const { preStopSeconds, terminationGracePeriodSeconds } = values;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(preStopSeconds + maxStopSeconds);
  });

  it('make Prometheus load the same alert rules as deploy/prometheus', () => {
    const rule = readSource(`${folder}/templates/prometheus-rule.yaml`);
    const [, file = ''] = /\.Files\.Get "([\w/.]+)"/.exec(rule) ?? [];
    expect(readSource(`${folder}/${file}`)).toBe(readSource('deploy/prometheus/alerts.yaml'));
    expect(readSource(`${folder}/.helmignore`)).not.toContain('files');
  });

  it('scrape the path, the port and the credential of the metrics', () => {
    const monitor = readSource(`${folder}/templates/service-monitor.yaml`);
    expect(monitor).toContain(`path: ${routes.getMetrics.path}\n`);
    expect(monitor).toContain('- port: http\n');
    expect(monitor).toContain('with .Values.secrets.metricsToken');
  });

  it('probe with the scheme that the service speaks', () => {
    expect(deployment.match(/scheme: \{\{ include "muster\.scheme" \. \| upper \}\}/g)).toHaveLength(3);
  });

  it('allow more memory than was measured', () => {
    const [limit, request] = [values.resources.limits.memory, values.resources.requests.memory];
    const toMegabytes = (text: string) => parseFloat(text) * (text.endsWith('Gi') ? 1_073.7 : 1.048_6);
    // bench/RESULTS.md: in an overload, and with 100,000 agents and a million errors.
    expect(toMegabytes(limit)).toBeGreaterThan(850);
    expect(toMegabytes(request)).toBeGreaterThan(280);
  });

  it('let alerts, mail, telemetry and sign-ins out of the pod', () => {
    const policy = readSource(`${folder}/templates/network-policy.yaml`);
    expect(policy).toContain('with .Values.networkPolicy.egressPorts');
    // HTTPS, mail with TLS (RFC 8314, RFC 6409), OTLP over HTTP.
    expect(values.networkPolicy.egressPorts).toEqual([443, 465, 587, 4318]);
  });

  it('listen on the port of the image', () => {
    expect(String(values.port)).toBe(readImageSettings().PORT);
  });
});

describe('the chart', () => {
  it('has the version of the service', () => {
    const chart = parse(readSource(`${folder}/Chart.yaml`)) as Record<string, string>; // as Helm reads it
    const { version } = JSON.parse(readSource('cli/package.json')) as { version: string }; // as npm reads it
    expect(chart).toMatchObject({ apiVersion: 'v2', name: 'muster', version, appVersion: version });
  });
});
