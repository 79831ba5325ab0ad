import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Agent, AgentError, Project } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readErrorTexts, readFaults, workingConfig } from '../demo/src/faults.ts';
import { readOptions } from '../demo/src/options.ts';
import { startTestApp, type TestApp } from '../server/src/testing/start-test-app.ts';

let app: TestApp;
let url: string;

beforeAll(async () => {
  app = await startTestApp();
  url = await listen(app);
});

afterAll(() => app.close());

async function listen({ app: { http } }: TestApp): Promise<string> {
  await http.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`; // it listens on TCP
}

interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const repository = fileURLToPath(new URL('..', import.meta.url));

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Sends SIGINT as soon as this was printed. */
  readonly interruptAfter?: string;
}

/** Runs the demo as `npm run demo -- …` does, its output not on a terminal. */
function runDemo(args: readonly string[], { env = {}, interruptAfter }: RunOptions = {}): Promise<Outcome> {
  const { MUSTER_URL: _url, MUSTER_TOKEN: _token, MUSTER_DATA_DIR: _directory, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', 'demo/src/main.ts', ...args], {
    cwd: repository,
    env: { ...inherited, MUSTER_DATA_DIR: app.dataDirectory, ...env },
  });
  let stdout = '';
  let stderr = '';
  let isInterrupted = false;
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
    // Only once: a second SIGINT ends it at once.
    if (isInterrupted || interruptAfter === undefined || !stdout.includes(interruptAfter)) return;
    isInterrupted = true;
    child.kill('SIGINT');
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}

/** The number before these words. */
function figure(stdout: string, words: string): number {
  const match = new RegExp(`([\\d,]+) ${words}`).exec(stdout);
  if (match?.[1] === undefined) throw new Error(`'${words}' is not in the summary:\n${stdout}`);
  return Number(match[1].replaceAll(',', ''));
}

async function get<Body>(path: string): Promise<Body> {
  return (await app.request<Body>('GET', path, { as: { access: app.admin } })).body;
}

async function findDemoProject(stdout: string): Promise<Project> {
  const name = /project '(Demo [^']+)'/.exec(stdout)?.[1] ?? '';
  const [project] = await get<Project[]>(`/v1/projects?name=${encodeURIComponent(name)}`);
  if (project === undefined) throw new Error(`there is no project '${name}'`);
  return project;
}

describe('npm run demo', () => {
  describe('with an access token', () => {
    let outcome: Outcome;
    let path: string;
    let agents: Agent[];
    let errors: AgentError[];

    beforeAll(async () => {
      const args = ['--url', url, '--agents', '20', '--duration', '1.5', '--token', app.admin];
      outcome = await runDemo(args);
      expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
      path = `/v1/projects/${(await findDemoProject(outcome.stdout)).id}`;
      agents = await get(`${path}/agents`);
      errors = await get(`${path}/agent_errors?last=1000`);
    });

    it('prints a summary that matches the server', () => {
      const { stdout } = outcome;
      expect(agents).toHaveLength(20);
      expect(figure(stdout, 'registered')).toBe(20);
      expect(figure(stdout, 'new errors')).toBe(errors.length);
      expect(figure(stdout, 'errors; 10 agents unhealthy')).toBe(errors.length);
      expect(figure(stdout, 'sent')).toBe(figure(stdout, 'new errors') + figure(stdout, 'repeats'));
      expect(stdout).toMatch(/ {2}refused {4}0\n/);
      expect(stdout).toMatch(/Latency {6}p50 \d+\.\d ms, p99 \d+\.\d ms, with up to 256 reports at once\n/);
    });

    it('counts the same reports as the server', async () => {
      const reports = figure(outcome.stdout, 'sent');
      // Counts in the list may be seconds old; those in the list of one agent are current.
      const counts = agents.map(async ({ id }) => {
        const ofAgent = await get<AgentError[]>(`/v1/agents/${id}/errors`);
        return ofAgent.reduce((sum, { occurrences }) => sum + occurrences, 0);
      });
      expect((await Promise.all(counts)).reduce((sum, count) => sum + count, 0)).toBe(reports);
    });

    it('has fixed half of the agents by a new configuration', async () => {
      expect(figure(outcome.stdout, 'fixed by a new configuration')).toBe(10);
      const healthy = agents.filter(({ status }) => status === 'healthy');
      expect(healthy).toHaveLength(10);
      for (const { id } of healthy) {
        expect((await get<{ rawConfig: string }>(`/v1/agents/${id}`)).rawConfig).toBe(workingConfig);
        expect(await get<unknown[]>(`/v1/agents/${id}/config_history`)).toHaveLength(2);
      }
    });

    it('has reported genuine messages', () => {
      const genuine = readFaults().flatMap(({ texts }) => texts);
      expect(genuine).toEqual(expect.arrayContaining(errors.map(({ error }) => error)));
      expect(new Set(errors.map(({ error }) => error)).size).toBeGreaterThan(10);
    });

    it('gives commands that can be pasted', async () => {
      const { stdout } = outcome;
      expect(stdout).toContain('  export MUSTER_TOKEN=…   # the token that you gave with --token\n');
      const commands = stdout.split('\n').filter((line) => line.startsWith('  curl '));
      expect(commands).toHaveLength(6);
      for (const command of commands) {
        const [, method = 'GET'] =
          / -X (\w+) /.exec(command) ?? (command.includes(" -d '") ? ['', 'POST'] : []);
        const [, body] = / -d '([^']+)'/.exec(command) ?? [];
        const [, target = ''] = new RegExp(` '${url}([^']+)'$`).exec(command) ?? [];
        expect(command).toContain('-H "Authorization: Bearer $MUSTER_TOKEN"');
        const { status } = await app.request(method, target, { as: { access: app.admin }, body });
        expect([command, Math.floor(status / 100)]).toEqual([command, 2]);
      }
    });

    it('prints plain text outside a terminal, and no secret', () => {
      expect(outcome.stdout).not.toContain('\u001b');
      expect(outcome.stdout).not.toContain('\r');
      expect(outcome.stdout).not.toContain(app.admin);
    });
  });

  it.concurrent("works with a project token in that token's project, though it may not read what it reports", async () => {
    const project = await app.createProject();
    const args = ['--url', url, '--agents', '3', '--duration', '1', '--fixed', '0'];
    const { exitCode, stdout } = await runDemo(args, { env: { MUSTER_TOKEN: project.token } });
    expect(exitCode).toBe(0);
    expect(await get<Agent[]>(`/v1/projects/${project.id}/agents`)).toHaveLength(3);
    expect(stdout).toMatch(
      /Open now {5}unknown: GET .+ was refused with 403: This needs the permission 'read:agent_error'/,
    );
    expect(stdout).not.toContain(project.token);
  });

  it.concurrent('stops when it is interrupted, and sums up what was', async () => {
    const { token } = await app.createProject();
    const args = ['--url', url, '--agents', '5', '--duration', '600', '--token', token];
    const { exitCode, stdout } = await runDemo(args, { interruptAfter: 'Registered' });
    expect(exitCode).toBe(130);
    expect(stdout).toContain('Stopping once the current requests are answered.');
    expect(figure(stdout, 'registered')).toBe(5);
  });

  it.concurrent('counts what is refused, and waits as it is told', async () => {
    const limited = await startTestApp({ config: { maxOpenErrorsPerAgent: 1 } });
    try {
      const { exitCode, stdout } = await runDemo([
        ...['--url', await listen(limited), '--agents', '4', '--duration', '1', '--fixed', '0'],
        ...['--token', limited.admin],
      ]);
      expect(exitCode).toBe(0);
      expect(figure(stdout, 'new errors')).toBe(4);
      // One request each: the answer has a Retry-After of a minute.
      expect(stdout).toContain('refused    4: 4 with 429 Too Many Requests\n');
      expect(figure(stdout, 'sent')).toBe(8);
    } finally {
      await limited.close();
    }
  });

  it.concurrent('says how to start a server where none answers', async () => {
    const { exitCode, stdout, stderr } = await runDemo(['--url', 'http://127.0.0.1:9', '--token', app.admin]);
    expect([exitCode, stdout.trim()]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^No server answers at http:\/\/127\.0\.0\.1:9 \(.+\)\.\nStart one in another terminal with `npm start`, or name another with --url\.\n$/,
    );
  });

  it.concurrent('says what it needs where it finds no token', async () => {
    const { exitCode, stderr } = await runDemo(['--url', url]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `The demo needs a token, and there is no file ${app.dataDirectory}/admin-token from a server started here.\nGive an access token or a project token with --token or in MUSTER_TOKEN.\n`,
    );
  });

  it.concurrent('says what it does not understand', async () => {
    const { exitCode, stderr } = await runDemo(['--agents', '0']);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      "--agents is '0', but takes a whole number from 1 to 100000.\nSee: npm run demo -- --help\n",
    );
  });
});

describe('the options of the demo', () => {
  it('have defaults', () => {
    expect(readOptions([], {})).toEqual({
      agents: 200,
      url: new URL('http://127.0.0.1:7400'),
      token: undefined,
      durationSeconds: 20,
      fixed: 0.5,
    });
  });

  it('are flags, which override the variables of the command-line client', () => {
    const env = { MUSTER_URL: 'https://muster.example.com', MUSTER_TOKEN: 'variable' };
    expect(readOptions([], env)).toMatchObject({
      url: new URL('https://muster.example.com'),
      token: { value: 'variable', source: 'variable' },
    });
    const flags = [
      '--url=http://[::1]:1',
      '--token=flag',
      '--agents=100000',
      '--fixed=1',
      '--duration=0.5e3',
    ];
    expect(() => readOptions(flags, env)).toThrow("--duration is '0.5e3'");
    expect(readOptions(flags.slice(0, -1), env)).toMatchObject({
      agents: 100_000,
      url: new URL('http://[::1]:1'),
      token: { value: 'flag', source: 'flag' },
      fixed: 1,
    });
  });

  it.each([
    [['--agents', '1.5'], "--agents is '1.5', but takes a whole number from 1 to 100000."],
    [['--agents', '100001'], "--agents is '100001', but takes a whole number from 1 to 100000."],
    [['--fixed', '2'], "--fixed is '2', but takes a number from 0 to 1."],
    [['--duration', 'long'], "--duration is 'long', but takes a number from 1 to 3600."],
    [
      ['--url', 'localhost:7400'],
      "--url is 'localhost:7400', but takes an address such as http://127.0.0.1:7400.",
    ],
    [['--agent', '5'], '--agent'],
  ])('%j are refused with a sentence', (args, sentence) => {
    expect(() => readOptions(args, {})).toThrow(sentence);
  });
});

describe('the messages of the demo', () => {
  it('are the distinct error lines of a log, without times and without lines that name a chunk', () => {
    const log = [
      '[2026/11/21 00:29:05.793] [ info] [fluent bit] version=5.1.1',
      '[2026/11/21 00:29:05.793] [error] [engine] input initialization failed',
      "[2026/11/21 00:29:06.793] [error] [engine] chunk '1-2.3.flb' cannot be retried: task_id=9",
      '[2026/11/21 00:29:07.793] [error] [engine] input initialization failed',
      '[2026/11/21 00:29:08] [engine] caught signal (SIGTERM)',
      '',
    ].join('\n');
    expect(readErrorTexts(log)).toEqual(['[engine] input initialization failed']);
  });

  it('are few for each fault, and no longer than an error may be', () => {
    const faults = readFaults();
    expect(faults.length).toBeGreaterThan(10);
    for (const { file, rawConfig, texts } of faults) {
      expect([file, texts.length >= 1 && texts.length <= 3]).toEqual([file, true]);
      expect(rawConfig).not.toBe('');
      for (const text of texts) expect([...text].length).toBeLessThanOrEqual(1024);
    }
  });
});
