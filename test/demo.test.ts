import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  Agent,
  AgentError,
  AgentErrorGroup,
  AlertDelivery,
  Dismissal,
  Fleet,
  FleetVersionCounts,
  Project,
  Rollout,
} from '@muster/contract';
import { foldError } from '@muster/faults';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runIn } from '../cli/src/testing/start-cli-test.ts';
import { SimulatedAgent } from '../demo/src/agent.ts';
import { configurationOf, gatewayVariable, releases } from '../demo/src/configurations.ts';
import { assignRoles, rolloutFault } from '../demo/src/roles.ts';
import { MusterProcess } from '../server/src/testing/muster-process.ts';
import { startTestApp, type TestApp } from '../server/src/testing/start-test-app.ts';

let app: TestApp;
let url: string;
let home: string;

beforeAll(async () => {
  app = await startTestApp();
  url = await listen(app);
  home = mkdtempSync(join(tmpdir(), 'muster-demo-'));
});

afterAll(async () => {
  await app.close();
  rmSync(home, { recursive: true });
});

async function listen({ app: { http }, clock }: TestApp): Promise<string> {
  await http.listen({ port: 0, host: '127.0.0.1' });
  // Time passes with requests, so that what an agent does after another thing is later.
  http.server.on('request', () => clock.advance(5));
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
  readonly onRollout?: () => Promise<void>;
  /** As after `| head`: nobody reads what it prints. */
  readonly hasReaderGone?: boolean;
}

/** Runs `muster demo` in the folder of the service, its output not on a terminal. */
async function runDemo(
  args: readonly string[],
  { env = {}, interruptAfter, onRollout, hasReaderGone = false }: RunOptions = {},
): Promise<Outcome> {
  const demo = new MusterProcess(['demo', ...args], {
    cwd: home,
    env: { HOME: home, XDG_CONFIG_HOME: home, MUSTER_DATA_DIR: app.dataDirectory, ...env },
  });
  // Only once: a second SIGINT ends it at once.
  if (interruptAfter !== undefined) void demo.untilOutput(interruptAfter).then(() => demo.end('SIGINT'));
  if (onRollout !== undefined) await demo.untilOutput('Muster stops it on us-east-1').then(onRollout);
  if (hasReaderGone) demo.child.stdout?.destroy();
  const { code: exitCode } = await demo.ended;
  return { exitCode, stdout: demo.stdout.text, stderr: demo.stderr.text };
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
  const name = /project '(demo-[^']+)'/.exec(stdout)?.[1] ?? '';
  const [project] = await get<Project[]>(`/v1/projects?name=${encodeURIComponent(name)}`);
  if (project === undefined) throw new Error(`there is no project '${name}'`);
  return project;
}

/** The commands that the demo prints, without `muster`. */
function printedCommands(stdout: string): string[] {
  return [...stdout.matchAll(/^ {5}(?:node \S+\/muster\.mjs) ([a-z].+)$/gm)].map(
    ([, command = '']) => command,
  );
}

/** Splits as a shell does: words in single quotes stay together. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word);
}

const exitCodeOfNotFound = 5;

describe('muster demo', () => {
  /** Asks again at each request of the agents. */
  const untilAsked = async (isSo: () => Promise<boolean>) => {
    while (!(await isSo())) await once(app.app.http.server, 'request');
  };

  describe('beside a running service', () => {
    let outcome: Outcome;
    let path: string;
    let agents: Agent[];
    let errors: AgentError[];

    beforeAll(async () => {
      writeFileSync(join(app.dataDirectory, 'server-url'), `${url}\n`, { mode: 0o600 });
      writeFileSync(join(app.dataDirectory, 'admin-token'), `${app.admin}\n`, { mode: 0o600 });
      outcome = await runDemo(['--agents', '40', '--duration', '1s'], { onRollout: letRolloutStop });
      rmSync(join(app.dataDirectory, 'server-url'));
      expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
      path = `/v1/projects/${(await findDemoProject(outcome.stdout)).id}`;
      agents = await get(`${path}/agents`);
      errors = await get(`${path}/agent_errors?last=1000`);
    });

    /** A minute after the agents have reported, it stops. It is over when they say that they are back. */
    const letRolloutStop = async () => {
      await untilAsked(async () => (await newestRollout())?.isHeld === true);
      app.clock.advance(60_000);
      await untilAsked(async () => (await newestRollout())?.state === 'reverted');
      await app.app.runAlerts();
    };
    const newestRollout = async () => {
      await app.app.runRollouts();
      const projects = await get<Project[]>('/v1/projects?last=1');
      const [rollout] = await get<Rollout[]>(`/v1/projects/${projects[0]?.id}/rollouts`);
      return rollout;
    };
    const withStatus = (status: Agent['status']) => agents.filter((agent) => agent.status === status);
    const rolloutGroup = async () => {
      const groups = await get<AgentErrorGroup[]>(`${path}/agent_error_groups?q=available%20to`);
      expect(groups).toHaveLength(1);
      return groups[0];
    };

    it('prints a summary that matches the server', () => {
      const { stdout } = outcome;
      expect(agents).toHaveLength(40);
      expect(figure(stdout, 'registered')).toBe(40);
      expect(figure(stdout, 'new errors')).toBe(errors.length);
      expect(figure(stdout, 'sent')).toBe(
        figure(stdout, 'new errors') + figure(stdout, 'repeats of an open error'),
      );
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

    it('gives the errors of the bad rollout different texts, which are one group with an explanation', async () => {
      const group = await rolloutGroup();
      const texts = errors.filter(({ groupID }) => groupID === group?.id).map(({ error }) => error);
      expect(new Set(texts).size).toBe(10);
      expect(group).toMatchObject({
        pattern: '[output:http:http.<number>] no upstream connections available to <address>',
        explanation: { id: 'fluent-bit/no-upstream' },
      });
    });

    it('ends with a regression: what was superseded is dismissed, and one agent has the mistake again', async () => {
      expect(await rolloutGroup()).toMatchObject({
        agentsCount: 1,
        errorsByState: { current: 1, superseded: 0, dismissed: 10 },
        dismissedAt: null,
        regressedAt: expect.any(String),
      });
      expect(outcome.stdout).toContain(
        '   10 errors were still open, so the demo dismissed them, as that command does.\n',
      );
    });

    it('has several other causes', async () => {
      const groups = await get<AgentErrorGroup[]>(`${path}/agent_error_groups`);
      expect(groups.map(({ explanation }) => explanation?.id).sort()).toEqual([
        'fluent-bit/bind-address',
        'fluent-bit/chunk-dropped',
        'fluent-bit/no-upstream',
        'fluent-bit/no-upstream',
        'fluent-bit/tail-permission',
        'fluent-bit/tls-ca-file',
        'fluent-bit/unknown-plugin',
      ]);
    });

    it('has a fleet whose agents got the same release from Muster in stages, and are back on the one before', async () => {
      const [fleet, ...others] = await get<Fleet[]>(`${path}/fleets`);
      expect(others).toEqual([]);
      expect(fleet).toMatchObject({ name: 'us-east-1', currentVersion: { number: 41 } });
      const [rollout] = await get<Rollout[]>(`${path}/rollouts`);
      expect(rollout).toMatchObject({
        from: { number: 41 },
        to: { number: 42 },
        state: 'reverted',
        stage: 1,
        verdict: { rule: 'new_cause', agents: 1, of: 1, groupID: (await rolloutGroup())?.id },
      });
      const { counts } = await get<FleetVersionCounts>(`${path}/fleets/version_counts`);
      expect(counts).toEqual([
        expect.objectContaining({ fleetID: fleet?.id, number: 41, agentsCount: 13, rejectedCount: 0 }),
      ]);
    });

    it('has an alert that tells of the stop, which stays in the list of messages', async () => {
      const title =
        "Version 42 of fleet 'us-east-1' stopped: agents that have it report an error that the others do not";
      expect(await get<AlertDelivery[]>(`${path}/alert_deliveries`)).toMatchObject([
        { title: expect.stringContaining(title), state: 'delivered' },
      ]);
      expect(outcome.stdout).toContain(`   The alert has come: ${title}`);
    });

    it('has given the agents of the rollout a new configuration and another one, and one of them a third', async () => {
      const lengths = agents.map(
        async ({ id }) => (await get<unknown[]>(`/v1/agents/${id}/config_history`)).length,
      );
      const counts = (await Promise.all(lengths)).sort();
      expect(counts).toEqual([...Array(30).fill(1), ...Array(9).fill(3), 4]);
    });

    it('has agents that have stopped, were killed or crash again and again', () => {
      expect(withStatus('stopped').map(({ statusReason }) => statusReason)).toEqual([
        'Stopped with exit code 0.',
      ]);
      const reasons = withStatus('unhealthy').map(({ statusReason }) => statusReason);
      expect(reasons).toContain('Stopped by SIGKILL.');
      expect(reasons.filter((reason) => reason?.includes('exit code 1'))).toHaveLength(1);
    });

    it('has one agent that is offline 90 s later, and all others as they were', async () => {
      expect(withStatus('offline')).toEqual([]);
      app.clock.advance(91_000);
      const later = await get<Agent[]>(`${path}/agents`);
      const changed = later.filter(({ status }, index) => status !== agents[index]?.status);
      expect(changed.map(({ status }) => status)).toEqual(['offline']);
    });

    it('prints commands that can be pasted', async () => {
      const { stdout } = outcome;
      const [, project = ''] = /project '(demo-[^']+)'/.exec(stdout) ?? [];
      const env = { MUSTER_URL: url, MUSTER_DATA_DIR: app.dataDirectory };
      const commands = printedCommands(stdout);
      expect(commands.slice(0, 3)).toEqual(['login', `project use ${project}`, 'status']);
      expect(stdout).not.toMatch(/export MUSTER|[0-9a-f]{8}-[0-9a-f]{4}-/);
      expect(commands.length).toBeGreaterThan(10);
      const [dismissal] = await get<Dismissal[]>(`${path}/dismissals`);
      const release = join(home, 'own.conf');
      writeFileSync(release, configurationOf(43, gatewayVariable));
      // The last one deletes the project.
      for (const command of commands) {
        const given: Readonly<Record<string, string | undefined>> = { ID: dismissal?.id, FILE: release };
        const words = wordsOf(command).map((word) => given[word] ?? word);
        const confirmed = /dismiss --group|delete/.test(command) ? [...words, '--yes'] : words;
        const { exitCode, stderr } = await runIn(app.dataDirectory, confirmed, { env }, app.clock.now);
        expect([command, exitCode, exitCode === 0 ? '' : stderr]).toEqual([command, 0, '']);
      }
      const afterwards = await runIn(app.dataDirectory, ['project', 'get', project], { env }, app.clock.now);
      expect(afterwards.exitCode).toBe(exitCodeOfNotFound);
      await runIn(app.dataDirectory, ['logout'], { env });
    });

    it('prints plain text outside a terminal, and no secret', () => {
      expect(outcome.stdout).not.toContain('\u001b');
      expect(outcome.stdout).not.toContain('\r');
      expect(outcome.stdout).not.toContain(app.admin);
    });
  });

  it.concurrent("works with a project token in that token's project, though it may not read what it reports", async () => {
    const project = await app.createProject();
    const env = { MUSTER_URL: url, MUSTER_TOKEN: project.token };
    const { exitCode, stdout } = await runDemo(['--agents', '3', '--duration', '1s'], { env });
    expect(exitCode).toBe(0);
    expect(await get<Agent[]>(`/v1/projects/${project.id}/agents`)).toHaveLength(3);
    expect(stdout).toMatch(
      /The groups of errors cannot be read: This needs the permission 'read:agent_error'/,
    );
    expect(stdout).not.toContain(project.token);
    expect(stdout).toContain(
      `     export MUSTER_URL=${url} MUSTER_PROJECT=${project.id} MUSTER_TOKEN=…   # the token in MUSTER_TOKEN of this terminal\n`,
    );
  });

  it.concurrent('says only which project to use where the person is signed in', async () => {
    const own = mkdtempSync(join(home, 'signed-in-'));
    const signedIn = await runIn(own, ['login', '--url', url, '--with-token'], { stdin: app.admin });
    expect(signedIn.exitCode).toBe(0);
    const { exitCode, stdout } = await runDemo(['--agents', '3', '--duration', '600s'], {
      interruptAfter: 'error groups',
      env: { HOME: own, XDG_CONFIG_HOME: '', MUSTER_DATA_DIR: join(own, 'none') },
    });
    expect(exitCode).toBe(130);
    const [, name] = /project '(demo-[^']+)'/.exec(stdout) ?? [];
    expect(printedCommands(stdout).slice(0, 2)).toEqual([`project use ${name}`, 'status']);
    expect(stdout).not.toContain('export ');
  });

  it.concurrent('stops when it is interrupted, and sums up what was', async () => {
    const { token } = await app.createProject();
    const env = { MUSTER_URL: url, MUSTER_TOKEN: token };
    const args = ['--agents', '5', '--duration', '600s'];
    const { exitCode, stdout } = await runDemo(args, { env, interruptAfter: 'Registered' });
    expect(exitCode).toBe(130);
    expect(stdout).toContain('Stopping once the current requests are answered.');
    expect(figure(stdout, 'registered')).toBe(5);
  });

  it.concurrent('goes on to its end when nobody reads what it prints', async () => {
    const { id, token } = await app.createProject();
    const { exitCode, stderr } = await runDemo(['--agents', '3', '--duration', '1s'], {
      env: { MUSTER_URL: url, MUSTER_TOKEN: token },
      hasReaderGone: true,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(await get<Agent[]>(`/v1/projects/${id}/agents`)).toHaveLength(3);
  });

  it.concurrent('counts what is refused, and waits as it is told', async () => {
    const limited = await startTestApp({ config: { newErrorsPerProjectPerSecond: 1 } });
    try {
      const { exitCode, stdout } = await runDemo(['--agents', '6', '--duration', '1s'], {
        env: { MUSTER_URL: await listen(limited), MUSTER_TOKEN: (await limited.createProject()).token },
      });
      expect(exitCode).toBe(0);
      // The clock of the server stands still.
      expect(figure(stdout, 'new errors')).toBe(1);
      expect(stdout).toMatch(/refused {4}(\d+): \1 with 429 Too Many Requests\n/);
    } finally {
      await limited.close();
    }
  });

  it.concurrent('says how to start a server where none answers', async () => {
    const env = { MUSTER_URL: 'http://127.0.0.1:9', MUSTER_TOKEN: app.admin };
    const { exitCode, stdout, stderr } = await runDemo([], { env });
    expect([exitCode, stdout.trim()]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^muster: No server answers at http:\/\/127\.0\.0\.1:9 \(.+\)\.\n {2}Start it in another terminal, or name another one in MUSTER_URL\.\n$/,
    );
  });

  it.concurrent('says what to do where no server runs and nobody is signed in', async () => {
    const { exitCode, stderr } = await runDemo([], { env: { MUSTER_DATA_DIR: join(home, 'none') } });
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringMatching(
        /^muster: No server runs in this folder, and you are not signed in to one\.\n {2}Start one with `node \S+\/muster\.mjs serve`/,
      ),
    ]);
  });

  it.concurrent.each([
    [['--agents', '0'], 'It takes a whole number of 1 or more'],
    [['--agents', '100001'], 'muster: --agents takes at most 100000.'],
    [['--duration', 'long'], 'It takes a time'],
    [['--duration', '2h'], 'muster: --duration takes at most 1h.'],
  ])('%j is refused with a sentence', async (args, sentence) => {
    const { exitCode, stderr } = await runDemo(args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(sentence);
  });
});

describe('the fleet of the demo', () => {
  const count = 5000;
  const fleet = assignRoles(count).map((role, index) => new SimulatedAgent(index, count, role));

  it('is the same in each run', () => {
    const again = assignRoles(count).map((role, index) => new SimulatedAgent(index, count, role));
    expect(again.map((agent) => agent.describe())).toEqual(fleet.map((agent) => agent.describe()));
  });

  it('has 1,155 agents that get the bad configuration, each with a text of its own, and all with one pattern', () => {
    const broken = fleet.filter(({ role }) => role.name === 'rollout');
    expect(broken).toHaveLength(1155);
    for (const agent of broken) agent.release = releases.broken;
    const texts = broken.map((agent) => (agent.fault ? agent.nextText(agent.fault) : ''));
    expect(new Set(texts).size).toBeGreaterThan(1100);
    expect(new Set(texts.map(foldError)).size).toBe(1);
    expect(new Set(broken.map(({ place }) => place))).toEqual(new Set(['eu-central-1']));
  });

  it('adds up: 1,211 unhealthy, 9 offline, 20 stopped and 3,760 healthy agents', () => {
    const count = (...names: string[]) => fleet.filter(({ role }) => names.includes(role.name)).length;
    expect({
      unhealthy: count('rollout', 'faulty', 'killed', 'crashing'),
      offline: count('silent'),
      stopped: count('stopped'),
      healthy: count('healthy'),
    }).toEqual({ unhealthy: 1_211, offline: 9, stopped: 20, healthy: 3_760 });
  });

  it.each([
    [443, undefined],
    [8443, expect.stringMatching(/ no upstream connections available to 10\.22\.\d+\.\d+:8443$/)],
  ])('cannot send to port %s of what a person deploys', (port, text) => {
    const [agent] = fleet.filter(({ place, role }) => place === 'us-east-1' && role.name === 'healthy');
    if (agent === undefined) throw new Error('there is none');
    const config = configurationOf(43, gatewayVariable).replace('443', String(port));
    agent.seat = { id: 'one', version: 1, config };
    const { fault } = agent;
    expect(fault && agent.nextText(fault)).toEqual(text);
    agent.seat = undefined;
  });

  it('reports what a real Fluent Bit prints, but for numbers and addresses', () => {
    const faults = fleet.flatMap(({ role }) => role.fault ?? []);
    const texts = [...new Set([rolloutFault, ...faults].map(({ text }) => text))];
    expect(texts).toHaveLength(7);
    const samples = join(repository, 'samples/fluent-bit');
    const printed = readdirSync(samples)
      .filter((file) => file.endsWith('.log'))
      .map((file) => readFileSync(join(samples, file), 'utf8'))
      .join('\n');
    expect(texts.filter((text) => !printed.includes(`] [error] ${text}\n`))).toEqual([]);
    for (const agent of fleet) {
      if (agent.fault === undefined) continue;
      const text = agent.nextText(agent.fault);
      expect(foldError(text)).toBe(foldError(agent.fault.text));
      expect([...text].length).toBeLessThanOrEqual(1024);
    }
  });

  it('has no more errors of one agent than the service takes of one cause, however long it runs', () => {
    const agent = fleet.find(({ role }) => role.fault?.isNewEachTime);
    const fault = agent?.fault;
    if (agent === undefined || fault === undefined) throw new Error('there is none');
    const texts = new Set(Array.from({ length: 1_000 }, () => agent.nextText(fault)));
    expect(texts.size).toBeGreaterThan(100);
    expect(texts.size).toBeLessThan(250);
  });

  it('is healthy where it is small, but for one agent of each role', () => {
    const roles = assignRoles(12).map(({ name }) => name);
    expect(roles.filter((name) => name === 'rollout')).toHaveLength(3);
    expect(new Set(roles)).toEqual(new Set(['rollout', 'faulty', 'silent', 'stopped', 'killed', 'crashing']));
  });
});
