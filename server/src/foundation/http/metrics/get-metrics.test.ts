import { allRoutes } from '@muster/contract';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp, type TestProject } from '../../../testing/start-test-app.ts';
import { Secret } from '../../secret.ts';
import { routerPath } from '../mount-route.ts';
import { collectFleetMetrics } from './fleet-metrics.ts';
import { ReportCounts } from './report-counts.ts';

let test: TestApp;
let project: TestProject;
beforeAll(async () => {
  test = await startTestApp();
  project = await test.createProject();
});
afterAll(() => test.close());

describe('GET /metrics', () => {
  it('200: returns the Prometheus format without a credential', async () => {
    const { status, headers } = await test.request('GET', '/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('includes size, limit, hits and misses of each cache', async () => {
    const { token } = await test.createToken(project.id, ['read:project']);
    const figures = async (cache: string) => {
      const lines = (await readMetrics()).split('\n');
      return ['size', 'limit', 'hits_total', 'misses_total'].map((name) => {
        const series = `muster_cache_${name}{cache="${cache}"} `;
        return Number(lines.find((line) => line.startsWith(series))?.slice(series.length));
      });
    };
    const [size = 0, limit = 0, hits = 0, misses = 0] = await figures('project_credentials');
    for (let count = 0; count < 3; count += 1) {
      await test.request('GET', '/v1/me', { as: { project: token } });
    }
    expect(await figures('project_credentials')).toEqual([size + 1, limit, hits + 2, misses + 1]);

    const caches = (await readMetrics()).matchAll(/^muster_cache_size\{cache="(\w+)"\}/gm);
    const engineOnly = process.env.MUSTER_TEST_ENGINE === 'sqlite' ? ['known_open_errors'] : [];
    expect([...caches].map(([, name]) => name).sort()).toEqual(
      [
        ...['access', 'project', 'agent', 'core_instance'].flatMap((kind) => [
          `${kind}_credentials`,
          `refused_${kind}_credentials`,
        ]),
        'addresses',
        'agent_counts',
        'leak_reporters',
        'machines',
        'reached_limits',
        'refused_sessions',
        'sessions',
        ...engineOnly,
      ].sort(),
    );
  });

  it('lists each metric once, with the prefix, its help and its type', async () => {
    const lines = (await readMetrics()).split('\n');
    const helps = lines.filter((line) => line.startsWith('# HELP ')).map((line) => line.split(' ')[2]);
    const types = lines.filter((line) => line.startsWith('# TYPE ')).map((line) => line.split(' ')[2]);
    expect(new Set(helps).size).toBe(helps.length);
    expect(types).toEqual(helps);
    expect(helps.filter((name) => !/^muster_[a-z0-9_]+$/.test(name ?? ''))).toEqual([]);
    expect(helps).toEqual(
      expect.arrayContaining([
        'muster_http_request_duration_seconds',
        'muster_agent_error_reports_total',
        'muster_agent_error_reports_waiting',
        'muster_counts_age_seconds',
        'muster_uncounted_changes',
        'muster_process_resident_memory_bytes',
        'muster_nodejs_eventloop_lag_seconds',
      ]),
    );
  });

  it('has a declared metric for every value, and only numbers', async () => {
    const text = await readMetrics();
    const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
    const values = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const strange = values.filter((line) => {
      const [, name = '', value = ''] = /^(\w+)(?:\{.*\})? (\S+)$/.exec(line) ?? [];
      const isNamed = names.includes(name.replace(/_(bucket|sum|count)$/, '')) || names.includes(name);
      // NaN, in upper or lower case, if nothing was measured yet.
      return !isNamed || !(/^nan$/i.test(value) || Number.isFinite(Number(value)));
    });
    expect(strange).toEqual([]);
  });

  it('measures durations by the pattern of the route', async () => {
    const before = await countOf('muster_http_request_duration_seconds_count', getProject);
    await test.request('GET', `/v1/projects/${project.id}`, { as: { access: test.admin } });
    await test.request('GET', `/v1/projects/${project.id}`, { as: { access: test.admin } });
    expect(await countOf('muster_http_request_duration_seconds_count', getProject)).toBe(before + 2);
  });

  it('has no label that a caller can choose', async () => {
    const agent = await test.registerAgent(project, 'machine-with-a-telling-name');
    const as = { access: test.admin };
    await test.request('GET', '/v1/telling-path', { as });
    await test.request('GET', '/telling-path?telling=query');
    await test.request('PROPFIND', '/v1/telling-path');
    await test.request('GET', `/v1/agents/${agent.id}?telling=query`, { as });
    await test.request('GET', '/v1/agents/telling-id', { as });
    await test.request('POST', '/v1/machines/machine-with-a-telling-name/errors', {
      as: { project: project.token },
      body: { error: 'telling text' },
      headers: { 'user-agent': 'telling agent', 'x-request-id': 'telling-request' },
    });
    const text = await readMetrics();
    expect(text).not.toContain('telling');
    expect(text).not.toContain(agent.id);
    expect(text).not.toContain(project.id);
    const known = ['none', '/docs', ...allRoutes.map(({ path }) => routerPath(path))];
    const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route]) => route));
    expect([...routes].filter((route) => !known.includes(route ?? ''))).toEqual([]);
    expect([...routes]).toContain('none');
  });

  it('counts every report by its outcome', async () => {
    const agent = await test.registerAgent(project);
    const created = await reportsThat('created');
    const ignored = await reportsThat('ignored');
    const report = (body: unknown) =>
      test.request('POST', `/v1/agents/${agent.id}/errors`, { as: { project: project.token }, body });
    await report({ error: 'a' });
    await report({ error: 'a' });
    await report([{ error: 'a' }, { error: 'b' }, { error: 'c' }, { error: 'c' }]);
    await report({ error: '' });
    expect(await reportsThat('created')).toBe(created + 3);
    expect(await reportsThat('ignored')).toBe(ignored + 3);
    expect(await countOf('muster_agent_error_reports_waiting', '')).toBe(0);
  });

  it('has both counters of reports from the start, so that a rate includes the first report', async () => {
    const fresh = await startTestApp();
    const { text } = await fresh.request('GET', '/metrics');
    expect(text).toContain('muster_agent_error_reports_total{outcome="created"} 0\n');
    expect(text).toContain('muster_agent_error_reports_total{outcome="ignored"} 0\n');
    await fresh.close();
  });
});

describe('GET /metrics with MUSTER_METRICS_TOKEN', () => {
  const metricsToken = 'the-token-of-the-metrics-of-this-test';
  let closed: TestApp;
  beforeAll(async () => {
    closed = await startTestApp({ config: { metricsToken: new Secret(metricsToken) } });
  });
  afterAll(() => closed.close());

  it.each([`Bearer ${metricsToken}`, `bearer ${metricsToken}`, `Bearer  ${metricsToken} `])(
    '200: %s',
    async (authorization) => {
      const { status, text } = await closed.request('GET', '/metrics', { headers: { authorization } });
      expect(status).toBe(200);
      expect(text).toContain('# TYPE muster_agents gauge\n');
    },
  );

  it.each([
    [undefined, 'missing_credential'],
    ['', 'invalid_credential'],
    ['Bearer', 'invalid_credential'],
    ['Bearer another-token-that-is-as-long-as-it-', 'invalid_credential'],
    [`Bearer ${metricsToken}x`, 'invalid_credential'],
    [`Basic ${metricsToken}`, 'invalid_credential'],
    [metricsToken, 'invalid_credential'],
  ])('401, with a challenge and without a metric: Authorization is %j', async (authorization, code) => {
    const { status, headers, body, text } = await closed.request<{ code: string }>('GET', '/metrics', {
      headers: authorization === undefined ? {} : { authorization },
    });
    expect([status, body.code, headers['www-authenticate']]).toEqual([401, code, 'Bearer realm="muster"']);
    expect(text).not.toContain('muster_agents');
    expect(text).not.toContain(metricsToken);
  });

  it('401 with the token of the administrator: who may read metrics may not do more, and the reverse', async () => {
    const as = { access: closed.admin };
    expect((await closed.request('GET', '/metrics', { as })).status).toBe(401);
    expect((await closed.request('GET', '/v1/projects', { as: { access: metricsToken } })).status).toBe(401);
  });
});

const getProject = '{method="GET",route="/v1/projects/:projectID",status="200"}';

async function readMetrics(): Promise<string> {
  return (await test.request('GET', '/metrics')).text;
}

async function countOf(name: string, labels: string): Promise<number> {
  const line = (await readMetrics()).split('\n').find((one) => one.startsWith(`${name}${labels} `));
  return Number(line?.split(' ').at(-1) ?? 0);
}

function reportsThat(outcome: 'created' | 'ignored'): Promise<number> {
  return countOf('muster_agent_error_reports_total', `{outcome="${outcome}"}`);
}

describe('muster_database_up', () => {
  it.each([
    ['1: it can be read and written', {}, '1'],
    ['0: its disk is full, and reads still work', { checkDatabase: () => Promise.reject(new Error()) }, '0'],
    ['0: it cannot be read', { read: () => Promise.reject(new Error()) }, '0'],
  ])('%s', async (_, fault, value) => {
    const registry = new Registry();
    collectFleetMetrics({
      registry,
      reports: new ReportCounts(),
      read: async () => [],
      checkDatabase: async () => undefined,
      showsProjects: false,
      ...fault,
    });
    expect(await registry.getSingleMetricAsString('muster_database_up')).toMatch(
      new RegExp(`^muster_database_up ${value}$`, 'm'),
    );
  });
});
