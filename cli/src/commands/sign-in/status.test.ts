import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ProblemCode, problems } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestProject } from '../../../../server/src/testing/start-test-app.ts';
import { withoutIDs } from '../../testing/fleet-with-causes.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let project: TestProject;

beforeAll(async () => {
  cli = await startCliTest();
  project = await cli.app.createProject('fleet');
  await cli.app.createProject('other');
});
afterAll(() => cli.close());

const asToken = () => ({ MUSTER_URL: cli.url, MUSTER_TOKEN: project.token });

const register = (machine: string, ...flags: string[]) =>
  cli.run(['agent', 'register', machine, ...flags], { env: asToken() });
const report = (machine: string, text: string) =>
  cli.run(['error', 'create', text, '--machine', machine], { env: asToken() });

async function status(): Promise<string> {
  const { exitCode, stdout, stderr } = await cli.runAsAdmin(['status', '--project', 'fleet']);
  expect([exitCode, stderr]).toEqual([0, stdout.includes('\ncauses ') ? whatToDo : '']);
  return withoutIDs(stdout);
}

const whatToDo = expect.stringMatching(
  /^To see what to do, run: muster error get [0-9a-f]{8} --project fleet\n$/,
);

const head = () =>
  [
    `server       ${cli.url}`,
    'service      up, version 0.0.0-test, on sqlite',
    "as           'administrator' (access token)",
    `project      fleet (${'#'.repeat(36)})`,
  ].join('\n');

describe('muster status', () => {
  it('describes the service, the caller and an empty fleet', async () => {
    expect(await status()).toBe(`${head()}\nagents       0 healthy, 0 unhealthy\nopen errors  0\n`);
  });

  it('counts agents by status and version, and errors by groups', async () => {
    await register('web-01', '--type', 'fluentbit', '--agent-version', '5.1.1');
    await register('web-02', '--type', 'fluentbit', '--agent-version', '5.1.1');
    await register('web-03', '--type', 'fluentbit', '--agent-version', '5.0.2');
    await register('web-04');
    await report('web-01', 'no host 10.0.0.1');
    await report('web-02', 'no host 10.0.0.2');
    expect(await status()).toBe(
      [
        head(),
        'agents       2 healthy, 2 unhealthy',
        'versions     fluentbit 5.1.1: 2, fluentbit 5.0.2: 1, others: 1',
        'open errors  2 in 1 group, 1 new in the last hour',
        `causes       2 agents (50%), first seen 2026-03-02T10:20:30.456Z: no host <address> (${'#'.repeat(36)})`,
        '',
      ].join('\n'),
    );
    cli.app.clock.advance(2 * 3_600_000);
    expect(await status()).toContain('open errors  2 in 1 group, 1 new in the last 24 hours\n');
    cli.app.clock.advance(24 * 3_600_000);
    expect(await status()).toContain('open errors  2 in 1 group\n');
  });

  it('says when a cause came back that was dismissed', async () => {
    const [group = ''] = (
      await cli.runAsAdmin(['error', 'groups', '--project', 'fleet', '--quiet'])
    ).stdout.split('\n');
    const dismiss = ['error', 'dismiss', '--group', group, '--reason', 'fixed', '--yes'];
    expect((await cli.runAsAdmin([...dismiss, '--project', 'fleet'])).exitCode).toBe(0);
    cli.app.clock.advance(60_000);
    const at = new Date(cli.app.clock.now()).toISOString();
    for (const [agent, text] of [
      ['web-01', 'no host 10.0.0.1'],
      ['web-02', 'no host 10.0.0.2'],
    ] as const)
      await report(agent, text);
    expect(await status()).toContain(`\ncauses       2 agents (50%), came back ${at}: no host <address> (`);
  });

  it('says with what a cause came back, whether its agents still have that or got another one', async () => {
    const project = await cli.app.createProject('came-back');
    const { id, token } = await cli.app.registerAgent(project);
    const as = { agent: token };
    const configure = (release: number) =>
      cli.app.request('PATCH', `/v1/agents/${id}`, { as, body: { rawConfig: `# release ${release}\n` } });
    for (const release of [41, 42]) await configure(release);
    const fail = () =>
      cli.app.request('POST', `/v1/agents/${id}/errors`, { as, body: { error: 'no valve' } });
    const causes = async () => {
      const { stdout } = await cli.runAsAdmin(['status', '--project', 'came-back']);
      return stdout.match(/^causes +(.*) \(/m)?.[1];
    };
    await fail();
    expect(await causes()).toMatch(/^1 agent \(100%\), first seen \S+ with release 42 \S+: no valve$/);
    const dismiss = ['error', 'dismiss', '--agent', id, '--reason', 'fixed', '--yes'];
    expect((await cli.runAsAdmin([...dismiss, '--project', 'came-back'])).exitCode).toBe(0);
    cli.app.clock.advance(1_000);
    await fail();
    expect(await causes()).toMatch(/^1 agent \(100%\), came back \S+ with release 42 \S+: no valve$/);
    await configure(43);
    expect((await cli.runAsAdmin([...dismiss, '--project', 'came-back'])).exitCode).toBe(0);
    cli.app.clock.advance(1_000);
    await configure(44);
    await fail();
    expect(await causes()).toMatch(/^1 agent \(100%\), came back \S+ with release 44 \S+: no valve$/);
  });

  it('counts errors of earlier configurations on their own line', async () => {
    await cli.runAsAdmin(['agent', 'update', 'web-01', '--config', '-', '--project', 'fleet'], {
      stdin: '[INPUT]\n    name dummy\n',
    });
    const text = await status();
    expect(text).toContain(
      'open errors  1 in 1 group\nsuperseded   1 open error of earlier configurations\n',
    );
  });

  it('colours what needs attention', async () => {
    const { stdout } = await cli.runAsAdmin(['status', '--project', 'fleet'], { columns: 80 });
    expect(stdout).toContain('service      \u001b[32mup, version 0.0.0-test, on sqlite\u001b[39m\n');
    expect(stdout).toContain('agents       \u001b[31m3 healthy, 1 unhealthy\u001b[39m\n');
    expect(stdout).toContain('open errors  \u001b[31m1 in 1 group\u001b[39m\n');
  });

  it("has the API's summary with --json, and null for what the credential may not read", async () => {
    const { body } = await cli.app.request<object>('GET', `/v1/projects/${project.id}/summary`, {
      as: { access: cli.app.admin },
    });
    const json = await cli.runAsAdmin(['status', '--project', 'fleet', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({
      url: cli.url,
      version: '0.0.0-test',
      isReady: true,
      database: 'sqlite',
      me: expect.objectContaining({ kind: 'access' }),
      projectID: project.id,
      projectName: 'fleet',
      summary: { ...body, countedAt: expect.any(String) },
      causes: [expect.objectContaining({ pattern: 'no host <address>', agentsCount: 1 })],
      sites: [],
    });
    const limited = await cli.run(['status', '--json'], { env: asToken() });
    expect(JSON.parse(limited.stdout)).toMatchObject({
      me: { kind: 'project', name: 'default' },
      projectID: project.id,
      summary: null,
      causes: null,
      sites: null,
    });
    expect((await cli.run(['status'], { env: asToken() })).stdout).toContain(
      'agents       not known: the credential may not read them\n',
    );
  });

  it('says that the project is missing if there are several', async () => {
    const unclear = await cli.runAsAdmin(['status']);
    expect([unclear.exitCode, unclear.stdout]).toEqual([
      0,
      expect.stringContaining('agents       not known: name the project with --project\n'),
    ]);
  });

  /** A service that is alive and not ready. */
  async function statusOf(code: ProblemCode, env: Readonly<Record<string, string>> = cli.admin) {
    const { status, title } = problems[code];
    return statusBehind(
      status,
      { type: 'about:blank', title, status, code, detail: title, requestID: 'r1' },
      env,
    );
  }

  async function statusBehind(status: number, readiness: object, env: Readonly<Record<string, string>>) {
    const server = createServer((request, response) => {
      const isAlive = request.url === '/healthz';
      const type = isAlive || status === 200 ? 'application/json' : 'application/problem+json';
      response.writeHead(isAlive ? 200 : status, { 'content-type': type });
      response.end(JSON.stringify(isAlive ? { status: 'ok', version: '1.2.3' } : readiness));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
    const result = await cli.run(['status'], { env: { ...env, MUSTER_URL: url } });
    server.closeAllConnections();
    server.close();
    return { ...result, url };
  }

  it('suggests what helps if nobody answers, and not itself', async () => {
    const env = { MUSTER_URL: 'http://127.0.0.1:9', MUSTER_TOKEN: project.token };
    const { exitCode, stderr } = await cli.run(['status'], { env });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^muster: No answer came from http:\/\/127\.0\.0\.1:9: .+\n {2}If it should run on this machine, start it as before: with 'PORT=9 muster serve', in a checkout with 'PORT=9 npm start',/,
    );
    expect(stderr).not.toContain('muster status');
  });

  it('says that the service cannot reach its database, and does not call a user signed out', async () => {
    const { url, ...result } = await statusOf('database_unavailable');
    expect(result).toEqual({
      exitCode: 1,
      stdout: [
        `server   ${url}`,
        'service  not ready: it cannot reach its database; version 1.2.3',
        'as       not known until the service is ready',
        '',
      ].join('\n'),
      stderr: `muster: ${url} is alive but not ready: it cannot reach its database.\n  On the machine of the service, 'muster doctor' says why.\n`,
    });
    const stopping = await statusOf('shutting_down', {});
    expect(stopping.stdout).toContain(
      'service  not ready: it is shutting down; version 1.2.3\nas       nobody: not signed in\n',
    );
    expect(stopping.stderr).toBe(`muster: ${stopping.url} is alive but not ready: it is shutting down.\n`);
  });

  it('says that the address is that of a core instance', async () => {
    const { exitCode, stdout, stderr, url } = await statusBehind(200, { status: 'ready' }, {});
    expect([exitCode, stdout, stderr]).toEqual([
      1,
      `server   ${url}\nservice  not ready: it is a core instance, to which only agents talk; version 1.2.3\nas       nobody: not signed in\n`,
      `muster: ${url} is alive but not ready: it is a core instance, to which only agents talk.\n  Name the address of Muster itself, with --url or MUSTER_URL.\n`,
    ]);
  });

  it('exits with 3 if the user is not signed in, and still describes the service', async () => {
    const { exitCode, stdout } = await cli.run(['status'], { env: { MUSTER_URL: cli.url } });
    expect([exitCode, stdout]).toEqual([
      3,
      expect.stringMatching(/service +up, .*\nas +nobody: not signed in\n$/),
    ]);
    expect(await cli.runAsAdmin(['status', '--quiet'])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('names sites that lag or are unreachable', async () => {
    const { id, token } = await cli.app.createProject('plants');
    const joining = await cli.app.createToken(id, ['create:core_instance']);
    const site = async (name: string, waitedSeconds: number) => {
      const { body } = await cli.app.request('POST', '/v1/core_instances', {
        as: { project: joining.token },
        body: { name },
      });
      const now = cli.app.clock.now();
      const status = {
        version: '0.1.0',
        startedAt: now,
        spooledCount: waitedSeconds === 0 ? 0 : 1,
        spooledBytes: 0,
        oldestSpooledAt: waitedSeconds === 0 ? null : now - waitedSeconds * 1_000,
        lostCount: 0,
        lastLossAt: null,
        sentAt: now,
      };
      const answer = await cli.app.request('POST', '/v1/core_instances/self/batches', {
        as: { core_instance: (body as { token: string }).token }, // a core instance has one
        body: { protocol: 1, sequence: 1, id: '0192f0a0-0000-7000-8000-000000000001', status, items: [] },
      });
      expect(answer.status).toBe(200);
    };
    await site('plant-1', 0);
    cli.app.clock.advance(3 * 3_600_000);
    await site('plant-2', 300);
    await site('plant-3', 60);
    await cli.app.request('POST', '/v1/core_instances', {
      as: { project: joining.token },
      body: { name: 'plant-4' },
    });
    const { stdout } = await cli.runAsAdmin(['status', '--project', 'plants']);
    expect(stdout.split('\n').slice(-4)).toEqual([
      'sites        2 running, 1 unreachable, 1 waiting for a first contact',
      'unreachable  plant-1 (3 h)',
      'lagging      plant-2 (5 min)',
      '',
    ]);
    const json = await cli.runAsAdmin(['status', '--project', 'plants', '--json']);
    expect(JSON.parse(json.stdout).sites).toMatchObject([{ name: 'plant-2' }, { name: 'plant-1' }]);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token };
    expect((await cli.run(['status'], { env })).stdout).not.toContain('sites');
  });
});

describe('muster status with causes that a configuration brought', () => {
  it('names the configuration by what it says of itself, if it does', async () => {
    const own = await cli.app.createProject('releases');
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: own.token };
    const config = (release: string) => `${release}[OUTPUT]\n    name es\n`;
    for (const [name, release] of [
      ['edge-1', '# release 42\n'],
      ['edge-2', ''],
    ] as const) {
      await cli.run(['agent', 'register', name, '--config', '-'], { env, stdin: config('# release 41\n') });
      cli.app.clock.advance(60_000);
      await cli.runAsAdmin(['agent', 'update', name, '--config', '-', '--project', 'releases'], {
        stdin: config(release),
      });
      await cli.run(['error', 'create', `no host for ${name.at(-1)}x`, '--machine', name], { env });
    }
    const { stdout } = await cli.runAsAdmin(['status', '--project', 'releases']);
    expect(stdout).toMatch(/first seen \S+ with release 42 \S+: no host for /);
    expect(stdout).toMatch(/first seen \S+ with configuration \S+: no host for /);
  });
});
