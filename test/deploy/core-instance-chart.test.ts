import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { filesBelow, readSource } from '../architecture/source-files.ts';
import { leavesOf, readImageSettings } from './deployment-files.ts';
import type { ValueTree } from './go-template/evaluate-template.ts';
import { readSiteFlags } from './read-site-flags.ts';
import { readChart } from './render-chart.ts';

const folder = 'deploy/helm/muster-core-instance';
const { defaultValues, render } = readChart(folder);
const given: ValueTree = { url: 'https://muster.example.com', token: { secretName: 'join' } };

const pins = [
  'sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  'sha256//RRjRG0Fv1/7fKVxPs+ex+d5C7LhYKUOl48mIKubrNTM=',
];

const everything: ValueTree = {
  ...given,
  name: 'plant 7',
  authority: { configMapName: 'authority' },
  pins,
  proxy: 'http://proxy.example.com:3128',
  noProxy: '.example.com,10.0.0.5',
  extraEnv: [{ name: 'TZ', value: 'UTC' }],
  persistence: { storageClass: 'fast' },
  tls: { secretName: 'site-tls' },
  service: { annotations: { internal: 'yes' } },
  networkPolicy: { enabled: true, from: [{ podSelector: { matchLabels: { app: 'fluent-bit' } } }] },
  imagePullSecrets: ['registry'],
  podAnnotations: { restarted: '30' },
  podLabels: { team: 'plants' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'edge' }],
  affinity: { nodeAffinity: {} },
  priorityClassName: 'high',
};

interface StatefulSet {
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: object;
        readonly containers: readonly [
          {
            readonly args: readonly string[];
            readonly env?: unknown;
            readonly volumeMounts: readonly object[];
          },
        ];
        readonly volumes?: readonly object[];
      };
    };
    readonly volumeClaimTemplates: readonly object[];
  };
}

function objectOf(template: string, values: ValueTree): unknown {
  const text = render(values, 'plant-7').get(template);
  if (text === undefined) return undefined;
  const documents = parseAllDocuments(text, { uniqueKeys: true, version: '1.1' });
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(documents).toHaveLength(1);
  return documents[0]?.toJS();
}

const statefulSetOf = (values: ValueTree) => objectOf('stateful-set.yaml', values) as StatefulSet; // its template says so

describe('the chart muster-core-instance', () => {
  it('has the version of the command', () => {
    const { version } = JSON.parse(readSource('cli/package.json')) as { version: string }; // as npm reads it
    expect(parse(readSource(`${folder}/Chart.yaml`))).toMatchObject({ version, appVersion: version });
  });

  it('needs the address of the service, and takes no token as a value', () => {
    expect(() => render({})).toThrow('/url');
    expect(() => render({ ...given, token: 'eyJ….mst_p_…' })).toThrow('/token');
    expect(() => render({ ...given, token: { secretName: 'join', value: 'x' } })).toThrow('additional');
    expect(() => render({ ...given, url: 'muster.example.com' })).toThrow('/url');
  });

  it('starts a core instance with its volume, its Secret and nothing else', () => {
    const { spec } = statefulSetOf(given);
    const pod = spec.template.spec;
    expect(pod.containers[0].args).toEqual([
      'core-instance',
      'start',
      '--url',
      'https://muster.example.com',
      '--name',
      'plant-7',
      '--state-directory',
      '/data',
      '--listen',
      '0.0.0.0:7410',
      '--token-file',
      '/etc/muster/token/token',
    ]);
    expect(pod.containers[0].env).toBeUndefined();
    expect(pod.volumes).toEqual([
      { name: 'token', secret: { secretName: 'join', optional: true, defaultMode: 0o440 } },
    ]);
    expect(spec.volumeClaimTemplates).toEqual([
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
      },
    ]);
    expect([spec.replicas, pod.terminationGracePeriodSeconds]).toEqual([1, 30]);
    expect(readImageSettings().MUSTER_DATA_DIR).toBe('/data');
  });

  it('starts it with flags that there are', async () => {
    const argsOf = (values: ValueTree) => statefulSetOf(values).spec.template.spec.containers[0].args;
    expect(await readSiteFlags(argsOf(everything))).toEqual({
      url: 'https://muster.example.com',
      name: 'plant 7',
      stateDirectory: '/data',
      listen: '0.0.0.0:7410',
      tokenFile: '/etc/muster/token/token',
      caFile: '/etc/muster/authority/ca.crt',
      pin: pins,
      tlsCert: '/etc/muster/tls/tls.crt',
      tlsKey: '/etc/muster/tls/tls.key',
    });
    expect(Object.keys(await readSiteFlags(argsOf({ url: 'https://muster.example.com' })))).toEqual([
      'listen',
      'url',
      'name',
      'stateDirectory',
    ]);
  });

  it('needs no Secret after it has joined', () => {
    const pod = statefulSetOf({ url: 'https://muster.example.com' }).spec.template.spec;
    expect(pod.volumes).toBeUndefined();
    expect(pod.containers[0].args).not.toContain('--token-file');
  });

  it('gives the core instance its certificates and its proxy', () => {
    const [container] = statefulSetOf(everything).spec.template.spec.containers;
    expect(container.args.slice(12)).toEqual([
      '--ca-file',
      '/etc/muster/authority/ca.crt',
      ...pins.flatMap((pin) => ['--pin', pin]),
      '--tls-cert',
      '/etc/muster/tls/tls.crt',
      '--tls-key',
      '/etc/muster/tls/tls.key',
    ]);
    expect(container.args[5]).toBe('plant 7');
    expect(container.env).toEqual([
      { name: 'HTTPS_PROXY', value: 'http://proxy.example.com:3128' },
      { name: 'HTTP_PROXY', value: 'http://proxy.example.com:3128' },
      { name: 'NO_PROXY', value: '.example.com,10.0.0.5' },
      { name: 'TZ', value: 'UTC' },
    ]);
    expect(container).toMatchObject({
      startupProbe: { httpGet: { path: '/healthz', port: 'http', scheme: 'HTTPS' }, failureThreshold: 300 },
      livenessProbe: { httpGet: { path: '/healthz', port: 'http', scheme: 'HTTPS' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 'http', scheme: 'HTTPS' } },
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    });
    expect(container.volumeMounts.map((mount) => Object.values(mount)[0])).toEqual([
      'data',
      'token',
      'authority',
      'tls',
    ]);
  });

  it('takes a proxy with a password from a Secret, and exceptions from a proxy of the cluster', () => {
    const valueFrom = { secretKeyRef: { name: 'proxy', key: 'url' } };
    const extraEnv = [{ name: 'HTTPS_PROXY', valueFrom }];
    const envOf = (values: ValueTree) =>
      statefulSetOf({ ...given, ...values }).spec.template.spec.containers[0].env;
    expect(envOf({ extraEnv })).toEqual(extraEnv);
    expect(envOf({ noProxy: 'muster.example.com' })).toEqual([
      { name: 'NO_PROXY', value: 'muster.example.com' },
    ]);
    // The core instance would refuse it when it starts.
    expect(() => render({ ...given, proxy: 'https://proxy.example.com' })).toThrow('/proxy');
  });

  it('lets it speak to the service alone, if a policy is wanted', () => {
    expect(objectOf('network-policy.yaml', given)).toBeUndefined();
    expect(objectOf('network-policy.yaml', everything)).toMatchObject({
      spec: {
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          { ports: [{ port: 'http' }], from: [{ podSelector: { matchLabels: { app: 'fluent-bit' } } }] },
        ],
        egress: [{ ports: [{ port: 53 }, { port: 53 }] }, { ports: [{ port: 443 }] }],
      },
    });
  });

  it('says where agents report to, and what to delete', () => {
    const notes = render(everything, 'plant-7').get('NOTES.txt');
    expect(notes).toContain('muster core-instance get "plant 7"');
    expect(notes).toContain('https://plant-7.telemetry.svc:7410');
    expect(notes).toContain('kubectl -n telemetry delete secret join');
  });

  it('uses every value, and explains each', () => {
    const templates = filesBelow(`${folder}/templates`, ['.yaml', '.tpl', '.txt']).map(readSource).join('\n');
    const unused = leavesOf(defaultValues).filter(
      (path) => !templates.includes(`.Values.${path}`) && !/^resources\./.test(path),
    );
    expect(unused).toEqual([]);
    const lines = readSource(`${folder}/values.yaml`).split('\n');
    const unexplained = lines.filter((line, at) => /^\w+:/.test(line) && !lines[at - 1]?.startsWith('# '));
    expect(unexplained).toEqual([]);
  });
});
