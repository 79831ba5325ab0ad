import { routes } from '@muster/contract';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readSource } from '../architecture/source-files.ts';
import { leavesOf, maxStopSeconds, readImageSettings, setByChart, variables } from './deployment-files.ts';
import type { Value, ValueTree } from './go-template/evaluate-template.ts';
import { parseTemplate } from './go-template/parse-template.ts';
import { chartFolder, defaultValues, renderChart } from './render-chart.ts';

/** With PostgreSQL, every Secret and every option that goes with it. */
const everythingOnPostgres: ValueTree = {
  secrets: {
    readDatabaseUrl: { name: 'standby' },
    metricsToken: { name: 'metrics' },
    secretKey: { name: 'key' },
    smtpUrl: { name: 'smtp' },
    oidcClientSecret: { name: 'oidc' },
    provisioning: { name: 'provisioning' },
  },
  tls: { secretName: 'tls' },
  autoscaling: { enabled: true },
  networkPolicy: { enabled: true, from: [{ podSelector: { matchLabels: { app: 'proxy' } } }] },
  ingress: { enabled: true, className: 'nginx', tlsSecretName: 'web-tls', annotations: { issuer: 'x' } },
  serviceMonitor: { enabled: true, labels: { release: 'prometheus' }, tlsConfig: { serverName: 'muster' } },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  imagePullSecrets: ['registry'],
  extraEnv: [{ name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector:4318' }],
  settings: { MUSTER_RETENTION_DAYS: '90' },
  podAnnotations: { restarted: '30' },
};

const embedded: ValueTree = { replicas: 1, secrets: { databaseUrl: { name: '' } } };
const embeddedWithBackups: ValueTree = { ...embedded, backup: { enabled: true } };

/** One object of Kubernetes as far as the tests look into it. */
type KubernetesObject = Readonly<Record<string, unknown>> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
};

/** What one template makes of the values, if it makes something. */
function objectOf(template: string, values: ValueTree): KubernetesObject | undefined {
  const text = renderChart(values).get(template);
  return text === undefined ? undefined : parseObject(text);
}

/** All rendered objects. */
function objectsOf(values: ValueTree, release?: string): KubernetesObject[] {
  const texts = [...renderChart(values, release)].filter(([name]) => name !== 'NOTES.txt');
  return texts.map(([, text]) => parseObject(text));
}

/** Reads YAML 1.1, as Helm does, and checks that it is one document. */
function parseObject(text: string): KubernetesObject {
  const documents = parseAllDocuments(text, { uniqueKeys: true, version: '1.1' });
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(documents).toHaveLength(1);
  return documents[0]?.toJS() as KubernetesObject; // each test compares what it reads
}

/** What is at a path of a rendered object. Numbers are places in lists. */
function at(tree: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((below, name) => Object(below)[name], tree);
}

function deploymentOf(values: ValueTree): KubernetesObject | undefined {
  return objectOf('deployment.yaml', values);
}

const podPath = 'spec.template.spec';
const containerPath = `${podPath}.containers.0`;

function environmentOf(values: ValueTree): Record<string, unknown> {
  const list = at(deploymentOf(values), `${containerPath}.env`) as ValueTree[]; // a list in every Deployment
  const names = list.map(({ name }) => String(name));
  expect(new Set(names).size).toBe(names.length);
  return Object.fromEntries(list.map(({ name, ...given }) => [name, given.value ?? given.valueFrom]));
}

function secretRef(name: string, key: string) {
  return { secretKeyRef: { name, key } };
}

describe('the rendered chart', () => {
  it.each([
    ['default values', {}, ['Deployment', 'PodDisruptionBudget', 'Service', 'ServiceAccount']],
    [
      'every option with PostgreSQL',
      everythingOnPostgres,
      [
        'Deployment',
        'HorizontalPodAutoscaler',
        'Ingress',
        'NetworkPolicy',
        'PodDisruptionBudget',
        'PrometheusRule',
        'Service',
        'ServiceAccount',
        'ServiceMonitor',
      ],
    ],
    [
      'the embedded database with backups',
      embeddedWithBackups,
      ['Deployment', 'PersistentVolumeClaim', 'PersistentVolumeClaim', 'Service', 'ServiceAccount'],
    ],
    [
      'the embedded database in claims that exist',
      { ...embedded, persistence: { existingClaim: 'd' }, backup: { enabled: true, existingClaim: 'b' } },
      ['Deployment', 'Service', 'ServiceAccount'],
    ],
    ['backups with PostgreSQL, which they do not apply to', { backup: { enabled: true } }, undefined],
  ])('has these objects with %s', (_, values, kinds) => {
    const objects = objectsOf(values);
    expect(objects.map(({ kind }) => kind).sort()).toEqual(
      kinds ??
        objectsOf({})
          .map(({ kind }) => kind)
          .sort(),
    );
    for (const { metadata } of objects) {
      expect(metadata.labels).toMatchObject({
        'app.kubernetes.io/name': 'muster',
        'app.kubernetes.io/instance': 'muster',
        'app.kubernetes.io/managed-by': 'Helm',
      });
      expect(Object.values(metadata.labels).every((label) => typeof label === 'string')).toBe(true);
    }
  });

  it('keeps names below the limit of Kubernetes, whatever the name of the release', () => {
    const names = objectsOf(embeddedWithBackups, `${'release-'.repeat(6)}abc-and-more`).map(
      ({ metadata }) => metadata.name,
    );
    const name = `${'release-'.repeat(6)}abc`;
    expect(names.sort()).toEqual([name, name, name, name, `${name}-backup`]);
  });

  it('has selectors that find the pods', () => {
    const objects = new Map(objectsOf(everythingOnPostgres).map((object) => [object.kind, object]));
    const labels = at(objects.get('Deployment'), 'spec.template.metadata.labels');
    const selectors = [
      ['Deployment', 'spec.selector.matchLabels'],
      ['Service', 'spec.selector'],
      ['ServiceMonitor', 'spec.selector.matchLabels'],
      ['PodDisruptionBudget', 'spec.selector.matchLabels'],
      ['NetworkPolicy', 'spec.podSelector.matchLabels'],
      ['Deployment', `${podPath}.topologySpreadConstraints.0.labelSelector.matchLabels`],
      ['Deployment', `${podPath}.topologySpreadConstraints.1.labelSelector.matchLabels`],
    ].map(([kind = '', path = '']) => at(objects.get(kind), path));
    expect(selectors).toEqual(
      Array(7).fill({ 'app.kubernetes.io/name': 'muster', 'app.kubernetes.io/instance': 'muster' }),
    );
    expect(labels).toMatchObject(Object(selectors[0]));
    expect(objects.get('Service')?.metadata.labels).toMatchObject(Object(selectors[2]));
  });

  it('tells how to reach it', () => {
    const notes = (values: ValueTree) => renderChart(values).get('NOTES.txt');
    expect(notes({})).toContain('Muster starts on the database that the Secret muster names.');
    expect(notes({})).toContain(
      'kubectl -n telemetry port-forward service/muster 7400:80\n  curl -sS http://127.0.0.1:7400/',
    );
    expect(notes(embedded)).toContain('Muster starts on its embedded database.');
    expect(notes(everythingOnPostgres)).toContain(
      'curl -sS https://127.0.0.1:7400/v1/projects --insecure -H ',
    );
    expect(notes(everythingOnPostgres)).toContain('reached at https://muster.example.com.');
  });
});

/** A value of each leaf of values.yaml that is not its default, and what it needs to have an effect. */
const otherValues: readonly (readonly [path: string, value: Value, beside?: ValueTree])[] = [
  ['image.repository', 'registry.example.com/muster'],
  ['image.tag', 'v9'],
  ['image.pullPolicy', 'Always'],
  ['imagePullSecrets', ['registry']],
  ['replicas', 3],
  ['secrets.databaseUrl.name', '', { replicas: 1 }],
  ...['databaseUrl', 'adminToken'].map((name) => [`secrets.${name}.key`, 'OTHER'] as const),
  ['secrets.adminToken.name', 'other'],
  ...['readDatabaseUrl', 'metricsToken', 'secretKey', 'smtpUrl', 'oidcClientSecret', 'provisioning'].flatMap(
    (name) => [
      [`secrets.${name}.name`, 'other'] as const,
      [`secrets.${name}.key`, 'OTHER', everythingOnPostgres] as const,
    ],
  ),
  ['persistence.size', '99Gi', embedded],
  ['persistence.storageClass', 'fast', embedded],
  ['persistence.existingClaim', 'mine', embedded],
  ['backup.enabled', true, embedded],
  ['backup.size', '99Gi', embeddedWithBackups],
  ['backup.storageClass', 'slow', embeddedWithBackups],
  ['backup.existingClaim', 'mine', embeddedWithBackups],
  ['extraEnv', [{ name: 'OTEL_SERVICE_NAME', value: 'muster' }]],
  ['serviceMonitor.enabled', true],
  ['serviceMonitor.interval', '5s', everythingOnPostgres],
  ['serviceMonitor.labels', { other: 'yes' }, everythingOnPostgres],
  ['serviceMonitor.tlsConfig', { insecureSkipVerify: true }, everythingOnPostgres],
  ['prometheusRule.enabled', true],
  ['prometheusRule.labels', { other: 'yes' }, everythingOnPostgres],
  ['settings', { MUSTER_LOG_LEVEL: 'debug' }],
  ['tls.secretName', 'tls'],
  ['port', 7401],
  ['service.type', 'LoadBalancer'],
  ['service.port', 8080],
  ['service.annotations', { internal: 'true' }],
  ['ingress.enabled', true],
  ['ingress.className', 'other', everythingOnPostgres],
  ['ingress.annotations', { other: 'yes' }, everythingOnPostgres],
  ['ingress.host', 'other.example.com', everythingOnPostgres],
  ['ingress.tlsSecretName', 'other', everythingOnPostgres],
  ['resources.requests.cpu', '1'],
  ['resources.requests.memory', '1Gi'],
  ['resources.limits.memory', '2Gi'],
  ['autoscaling.enabled', true],
  ['autoscaling.minReplicas', 3, everythingOnPostgres],
  ['autoscaling.maxReplicas', 9, everythingOnPostgres],
  ['autoscaling.targetCPUUtilizationPercentage', 50, everythingOnPostgres],
  ['podDisruptionBudget.enabled', false],
  ['podDisruptionBudget.maxUnavailable', '50%'],
  ['preStopSeconds', 6],
  ['terminationGracePeriodSeconds', 60],
  ['networkPolicy.enabled', true],
  ['networkPolicy.from', [], everythingOnPostgres],
  ['networkPolicy.databasePort', 6432, everythingOnPostgres],
  ['networkPolicy.egressPorts', [443], everythingOnPostgres],
  ['serviceAccount.create', false],
  ['serviceAccount.name', 'other'],
  ['serviceAccount.annotations', { role: 'x' }],
  ['podAnnotations', { restarted: '1' }],
  ['podLabels', { team: 'ops' }],
  ['nodeSelector', { disk: 'ssd' }],
  ['tolerations', [{ key: 'spot', operator: 'Exists' }]],
  ['affinity', { nodeAffinity: {} }],
  ['priorityClassName', 'high'],
];

/** The tree with one more leaf. */
function withLeaf(tree: ValueTree, path: string, value: Value): ValueTree {
  const [name = '', ...rest] = path.split('.');
  const below = tree[name] ?? {};
  return { ...tree, [name]: rest.length === 0 ? value : withLeaf(below as ValueTree, rest.join('.'), value) }; // a map where the path goes on
}

describe('each value of the chart', () => {
  it('is tried', () => {
    expect(otherValues.map(([path]) => path).sort()).toEqual(leavesOf(defaultValues).sort());
  });

  it.each(otherValues.map(([path, value, beside = {}]) => ({ path, value, beside })))(
    'has an effect: $path = $value',
    ({ path, value, beside }) => {
      const before = renderChart(beside);
      const after = renderChart(withLeaf(beside, path, value));
      const changed = [...after].filter(([name, text]) => before.get(name) !== text);
      const removed = [...before.keys()].filter((name) => !after.has(name));
      expect(changed.length + removed.length).toBeGreaterThan(0);
      for (const [name, text] of changed) expect(name === 'NOTES.txt' || parseObject(text)).toBeTruthy();
      expect([...after.values()].join('')).toContain(typeof value === 'object' ? '' : String(value));
    },
  );
});

describe('the container of the chart', () => {
  it('gets its own settings, and secrets only from Secrets', () => {
    expect(environmentOf({})).toEqual({
      HOST: '0.0.0.0',
      PORT: '7400',
      DATABASE_URL: secretRef('muster', 'DATABASE_URL'),
      MUSTER_ADMIN_TOKEN: secretRef('muster', 'MUSTER_ADMIN_TOKEN'),
    });
    const whole = { ...environmentOf(everythingOnPostgres), ...environmentOf(embeddedWithBackups) };
    expect(whole).toEqual({
      HOST: '0.0.0.0',
      PORT: '7400',
      DATABASE_URL: secretRef('muster', 'DATABASE_URL'),
      MUSTER_READ_DATABASE_URL: secretRef('standby', 'MUSTER_READ_DATABASE_URL'),
      MUSTER_ADMIN_TOKEN: secretRef('muster', 'MUSTER_ADMIN_TOKEN'),
      MUSTER_METRICS_TOKEN: secretRef('metrics', 'MUSTER_METRICS_TOKEN'),
      MUSTER_OIDC_CLIENT_SECRET: secretRef('oidc', 'MUSTER_OIDC_CLIENT_SECRET'),
      MUSTER_TLS_CERT: '/etc/muster/tls/tls.crt',
      MUSTER_TLS_KEY: '/etc/muster/tls/tls.key',
      MUSTER_SECRET_KEY: secretRef('key', 'MUSTER_SECRET_KEY'),
      MUSTER_SMTP_URL: secretRef('smtp', 'MUSTER_SMTP_URL'),
      MUSTER_PROVISION_FILE: '/etc/muster/provisioning/provisioning.yaml',
      MUSTER_BACKUP_DIR: '/backup',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      MUSTER_RETENTION_DAYS: '90',
    });
    expect(variables).toEqual(expect.arrayContaining([...setByChart]));
    // The image sets the data directory.
    expect(setByChart.filter((name) => !(name in whole))).toEqual(['MUSTER_DATA_DIR']);
    expect(environmentOf(embedded)).not.toHaveProperty('DATABASE_URL');
  });

  it('gets every other setting as it was given, also what YAML would read as something else', () => {
    const passed = variables.filter((name) => !setByChart.includes(name));
    const texts = [
      '30',
      'true',
      'null',
      '',
      'a: b # c',
      '"quoted" \\ and \'',
      '{"a": ["b"]}',
      'on',
      'é\ntwo lines',
    ];
    const given = Object.fromEntries(passed.map((name, index) => [name, texts[index % texts.length] ?? '']));
    expect(environmentOf({ settings: given })).toEqual({ ...environmentOf({}), ...given });
  });

  it('has the resources that were measured', () => {
    const resources = at(deploymentOf({}), `${containerPath}.resources`);
    const megabytes = (path: string) => {
      const text = String(at(resources, path));
      return parseFloat(text) * (text.endsWith('Gi') ? 1_073.7 : 1.048_6);
    };
    // bench/RESULTS.md: in an overload, and with 100,000 agents and a million errors.
    expect(megabytes('limits.memory')).toBeGreaterThan(2 * 349);
    expect(megabytes('requests.memory')).toBeGreaterThan(280);
    expect(Object.keys(Object(at(resources, 'limits')))).toEqual(['memory']);
  });

  it.each([
    ['HTTP', {}],
    ['HTTPS', { tls: { secretName: 'tls' } }],
  ])('is probed by %s at paths that exist', (scheme, values) => {
    const container = at(deploymentOf(values), containerPath);
    const probe = (path: string) => ({ path, port: 'http', scheme });
    expect(['startup', 'liveness', 'readiness'].map((kind) => at(container, `${kind}Probe.httpGet`))).toEqual(
      [probe(routes.getLiveness.path), probe(routes.getLiveness.path), probe(routes.getReadiness.path)],
    );
    expect(at(container, 'ports')).toEqual([
      { name: 'http', containerPort: Number(readImageSettings().PORT) },
    ]);
  });

  it('has enough time to stop', () => {
    const deployment = deploymentOf({});
    const [, seconds] = Object(at(deployment, `${containerPath}.lifecycle.preStop.exec.command`));
    expect(Number(at(deployment, `${podPath}.terminationGracePeriodSeconds`))).toBeGreaterThan(
      Number(seconds) + maxStopSeconds,
    );
  });

  it('has a volume for the embedded database and one for its backups, which outlive the release', () => {
    const values = {
      ...embeddedWithBackups,
      backup: { enabled: true, size: '50Gi', storageClass: 'slow' },
    };
    const deployment = deploymentOf(values);
    const pod = at(deployment, podPath);
    expect(at(pod, 'volumes')).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'muster' } },
      { name: 'tmp', emptyDir: {} },
      { name: 'backup', persistentVolumeClaim: { claimName: 'muster-backup' } },
    ]);
    expect(at(pod, 'containers.0.volumeMounts')).toEqual([
      { name: 'data', mountPath: '/data' },
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'backup', mountPath: '/backup' },
    ]);
    expect(at(deployment, 'spec.strategy')).toEqual({ type: 'Recreate' });
    const claims = ['volume-claim', 'backup-volume-claim'].map((name) => objectOf(`${name}.yaml`, values));
    expect(claims.map((claim) => at(claim, 'metadata.annotations'))).toEqual(
      Array(2).fill({ 'helm.sh/resource-policy': 'keep' }),
    );
    expect(claims.map((claim) => at(claim, 'spec'))).toEqual([
      { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
      {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'slow',
        resources: { requests: { storage: '50Gi' } },
      },
    ]);
  });

  it('gets TLS files and the provisioning file from Secrets that only its group reads', () => {
    const pod = at(deploymentOf(everythingOnPostgres), podPath);
    expect(at(pod, 'volumes')).toEqual([
      { name: 'data', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
      { name: 'tls', secret: { secretName: 'tls', defaultMode: 0o440 } },
      { name: 'provisioning', secret: { secretName: 'provisioning', defaultMode: 0o440 } },
    ]);
    expect(at(pod, 'containers.0.volumeMounts')).toEqual([
      { name: 'data', mountPath: '/data' },
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'tls', mountPath: '/etc/muster/tls', readOnly: true },
      { name: 'provisioning', mountPath: '/etc/muster/provisioning', readOnly: true },
    ]);
    expect(at(pod, 'securityContext.fsGroup')).toBe(1000);
  });
});

describe('the options of the chart', () => {
  it('let the Prometheus operator scrape the metrics, with the token that they require', () => {
    const endpointOf = (values: ValueTree) =>
      at(objectOf('service-monitor.yaml', values), 'spec.endpoints.0');
    const plain = { port: 'http', path: routes.getMetrics.path, interval: '30s', scheme: 'http' };
    expect(endpointOf({ serviceMonitor: { enabled: true } })).toEqual(plain);
    expect(endpointOf(everythingOnPostgres)).toEqual({
      ...plain,
      scheme: 'https',
      tlsConfig: { serverName: 'muster' },
      authorization: { credentials: { name: 'metrics', key: 'MUSTER_METRICS_TOKEN' } },
    });
    expect(objectOf('service-monitor.yaml', everythingOnPostgres)?.metadata.labels.release).toBe(
      'prometheus',
    );
  });

  it('load the same alert rules as deploy/prometheus', () => {
    const rule = objectOf('prometheus-rule.yaml', everythingOnPostgres);
    expect(rule?.spec).toEqual(parse(readSource('deploy/prometheus/alerts.yaml')));
    expect(rule?.metadata.labels.release).toBe('prometheus');
    expect(readSource(`${chartFolder}/.helmignore`)).not.toContain('files');
  });

  it('let names of hosts, the database, alerts, mail, telemetry and sign-ins out of the pod, and nothing else', () => {
    const egressOf = (values: ValueTree) => at(objectOf('network-policy.yaml', values), 'spec.egress');
    const needed = [
      {
        ports: [
          { port: 53, protocol: 'UDP' },
          { port: 53, protocol: 'TCP' },
        ],
      },
      { ports: [{ port: 5432 }] },
    ];
    // HTTPS, mail with TLS (RFC 8314, RFC 6409), OTLP over HTTP.
    const ports = [443, 465, 587, 4318].map((port) => ({ port }));
    expect(egressOf({ networkPolicy: { enabled: true } })).toEqual([...needed, { ports }]);
    expect(egressOf({ networkPolicy: { enabled: true, egressPorts: [] } })).toEqual(needed);
  });

  it('protect more than one replica from drained nodes', () => {
    const isProtected = (values: ValueTree) => objectOf('pod-disruption-budget.yaml', values) !== undefined;
    const scaled = { enabled: true, minReplicas: 1 };
    expect(
      [{}, { replicas: 1 }, { autoscaling: scaled }, { replicas: 1, autoscaling: { enabled: true } }].map(
        isProtected,
      ),
    ).toEqual([true, false, false, true]);
  });

  it('leave the number of replicas to the autoscaler', () => {
    expect(at(deploymentOf({}), 'spec.replicas')).toBe(2);
    expect(at(deploymentOf(everythingOnPostgres), 'spec')).not.toHaveProperty('replicas');
  });
});

describe('the renderer', () => {
  it.each([
    '{{ .Values.missing }}',
    '{{ if .Values.tls }}',
    '{{ end }}',
    '{{ include "muster.nothing" . }}',
    '{{ unknown . }}',
    '{{ .Values }}',
    '{{ $nothing }}',
    '{{- else if true }}',
    '{{/* comment */}}',
    '{{ template "muster.name" . }}',
    '{{ range $index, $item := .Values.port }}{{ end }}',
    '{{ (.Values.port }}',
    '{{ 1.5 }}',
    '{{-.Values.port }}',
    '{{ printf "%d" .Values.port }}',
    '{{ .Values.port',
  ])('throws on what it does not know: %s', (source) => {
    const render = () => renderChart({}, 'muster', [{ name: 'x.yaml', ...parseTemplate(source) }]);
    expect(render).toThrow();
  });
});
