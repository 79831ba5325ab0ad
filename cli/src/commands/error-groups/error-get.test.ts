import type { AgentError, AgentErrorGroup } from '@muster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetWithCauses, withoutIDs } from '../../testing/fleet-with-causes.ts';
import { type CliTest, type RunOptions, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let fleet: FleetWithCauses;

beforeAll(async () => {
  cli = await startCliTest();
  fleet = await FleetWithCauses.create(cli);
});
afterAll(() => cli.close());

const get = (id: string, flags: readonly string[] = [], options: RunOptions = {}) =>
  cli.runAsAdmin(['error', 'get', id, '--project', 'edge', ...flags], options);

const plain = { columns: 80, env: { NO_COLOR: '1' } };

describe('muster error get with a group', () => {
  it('shows the cause, the share of the agents, the first configuration, what to do, and the agents', async () => {
    const id = await fleet.groupID('dumy');
    const { exitCode, stdout, stderr } = await get(id, [], plain);
    expect(exitCode).toBe(0);
    expect(
      withoutIDs(stdout),
    ).toBe(`cause         [<time>] [error] [config] section 'dumy' tried to instance a plugin name that doesn't exist
example       [2026/03/02 10:20:30] [error] [config] section 'dumy' tried to instance a plugin name that doesn't exist
id            ####################################
state         new
agents        2, 40% of the project's agents
errors        2 open
times         2
since         4 min ago
last seen     3 min ago
first config  ########, first on edge-1
history       |                         ██   | last 30 min, up to 1 a minute

Unknown plugin (fluent-bit/unknown-plugin)

The configuration names a plugin that this Fluent Bit does not have, so it does
not start.
Did you mean 'dummy'?

Why:
  - The name has a typing error.
  - The plugin is not part of this build, or it belongs to another kind: an
    output is named as an input.

What to do:
  1. Run \`fluent-bit --help\` to list the plugins of this build.
  2. Correct the \`name\` of the section.

More: https://docs.fluentbit.io/manual/administration/configuring-fluent-bit

ID        AGENT   VERSION  FLEET  ERRORS
########  edge-2  5.1.1    eu          1
########  edge-1  5.1.1    eu          1
`);
    expect(
      withoutIDs(stderr),
    ).toBe(`To see what its first configuration changed, run: muster agent diff edge-1 --to ######## --project edge
To dismiss its errors, run: muster error dismiss --group ######## --reason TEXT --project edge
`);
  });

  it.each([
    [31, 'last hour, up to 2 in 2 min'],
    [61, 'last 24 h, up to 2 an hour'],
    [25 * 60, 'last 30 d, up to 2 a day'],
  ])('has a history that begins about when it was first seen: %i minutes ago', async (minutes, text) => {
    const test = await startCliTest();
    try {
      const groupID = await (await FleetWithCauses.create(test)).groupID('dumy');
      test.app.clock.advance((minutes - 4) * 60_000);
      const { stdout } = await test.runAsAdmin(['error', 'get', groupID], plain);
      expect(stdout.split('\n').find((line) => line.startsWith('history'))).toMatch(
        new RegExp(`\\| ${text}$`),
      );
    } finally {
      await test.close();
    }
  });

  it('suggests commands that work', async () => {
    const { stderr } = await get(await fleet.groupID('dumy'));
    const suggested = stderr.match(/muster (.*) --project edge/)?.[1] ?? '';
    expect(await cli.runAsAdmin([...suggested.split(' '), '--project', 'edge'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('+    name es\n'),
    });
  });

  it('has no lines for what is not known', async () => {
    await fleet.report('edge-1', 'something odd');
    const { stdout } = await get(await fleet.groupID('odd'), [], plain);
    expect(withoutIDs(stdout)).toBe(`cause         something odd
id            ####################################
state         new
agents        1, 20% of the project's agents
errors        1 open
times         1
since         now
last seen     now
first config  ########, first on edge-1
history       |                             █| last 30 min, up to 1 a minute

ID        AGENT   VERSION  FLEET  ERRORS
########  edge-1  5.1.1    eu          1
`);
  });

  it("prints the API's object with --json, and the id with --quiet", async () => {
    const id = await fleet.groupID('connect');
    const { body } = await cli.app.request<AgentErrorGroup>('GET', `/v1/agent_error_groups/${id}`, {
      as: { access: cli.app.admin },
    });
    const json = await get(id, ['--json']);
    expect([JSON.parse(json.stdout), json.stderr]).toEqual([body, '']);
    expect(await get(id, ['--quiet'])).toEqual({ exitCode: 0, stdout: `${id}\n`, stderr: '' });
  });

  it('needs no project for a whole id', async () => {
    const id = await fleet.groupID('dumy');
    await cli.app.createProject('another');
    const unclear = await cli.runAsAdmin(['error', 'get', id]);
    expect(withoutIDs(unclear.stdout)).toContain(
      '\nfirst config  ####################################, first on edge-1\nhistory',
    );
    expect(withoutIDs(unclear.stderr)).toBe(
      `To see what its first configuration changed, run: muster agent diff edge-1 --to ########
To dismiss its errors, run: muster error dismiss --group ######## --reason TEXT
`,
    );
  });

  it('shows an agent token nothing, as the service does', async () => {
    const { stdout } = await cli.runAsAdmin([
      ...[
        'token',
        'create',
        'reporter',
        '--permission',
        'create:agent_error',
        '--project',
        'edge',
        '--quiet',
      ],
    ]);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: stdout.trim() };
    const id = await fleet.groupID('connect');
    expect(await cli.run(['error', 'get', id], { env })).toMatchObject({ exitCode: 4, stdout: '' });
  });

  it('names the fleets of agents, and shows what agents made up themselves as it is', async () => {
    const { body: edge } = await cli.app.request<{ id: string }>(
      'POST',
      `/v1/projects/${fleet.project.id}/fleets`,
      { as: { access: cli.app.admin }, body: { name: 'plant-north' } },
    );
    const unknown = '019b76da-a800-7000-8000-000000000001';
    for (const [name, fleetID] of [
      ['in-fleet', edge.id],
      ['elsewhere', unknown],
    ]) {
      await cli.app.request('POST', '/v1/agents', {
        as: { project: fleet.project.token },
        body: { name, machineID: name, fleetID },
      });
      await fleet.report(String(name), 'the disk is full');
    }
    const { stdout } = await get(await fleet.groupID('the disk is full'), [], { ...plain, columns: 120 });
    expect(stdout).toMatch(new RegExp(`^\\S+ +elsewhere +${unknown} +1$`, 'm'));
    expect(stdout).toMatch(/^\S+ +in-fleet +plant-north +1$/m);
  });

  it('shows ten agents, and says how to see the errors of all', async () => {
    for (let index = 10; index <= 21; index += 1) await fleet.report(`host-${index}`, 'everywhere');
    const group = await fleet.groupID('everywhere');
    const { stdout, stderr } = await get(group, [], plain);
    expect(stdout.match(/ {2}host-\d+ /g)).toHaveLength(10);
    expect(stderr).toContain(
      `These are 10 of 12 agents. To see all errors, run: muster error list --group ${group.slice(-8)} --all --project edge\n`,
    );
    const all = await cli.runAsAdmin([
      ...['error', 'list', '--group', group.slice(-8), '--all', '--project', 'edge', '--json'],
    ]);
    expect(JSON.parse(all.stdout)).toHaveLength(12);
  });
});

describe('muster error get with an error', () => {
  it('shows the error, what is known about it, and where the others with its cause are', async () => {
    const [id = ''] = await fleet.errorIDs('dumy');
    const { exitCode, stdout, stderr } = await get(id, [], plain);
    expect(exitCode).toBe(0);
    expect(withoutIDs(stdout)).toContain(`id          ####################################
agent       edge-2
error       [2026/03/02 10:20:30] [error] [config] section 'dumy' tried to instance a plugin name that doesn't exist
state       open
times       1
first seen  3 min ago
last seen   3 min ago

Unknown plugin (fluent-bit/unknown-plugin)
`);
    expect(withoutIDs(stderr)).toBe(
      'To see all errors with this cause, run: muster error get ######## --project edge\n',
    );
  });

  it("prints the API's object with --json", async () => {
    const [id = ''] = await fleet.errorIDs('connect');
    const { body } = await cli.app.request<AgentError[]>(
      'GET',
      `/v1/projects/${fleet.project.id}/agent_errors`,
      { as: { access: cli.app.admin } },
    );
    const json = await get(id, ['--json']);
    expect([JSON.parse(json.stdout), json.stderr]).toEqual([body.find((one) => one.id === id), '']);
  });

  it('fails with 5 for an id that no error and no group has, and with 2 for what is no id', async () => {
    const missing = '0192f0a0-0000-7000-8000-000000000000';
    expect(await get(missing)).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: `muster: There is no error and no group '${missing}' in the project ${fleet.project.id}.\n  To look in another project, add --project NAME.\n`,
    });
    expect((await get('0192f0a0-0000-8000-8000-000000000000')).exitCode).toBe(5);
    expect((await get('7787')).stderr).toBe(
      "muster: '7787' is not the id of an error or a group.\n  'muster error groups' and 'muster error list' show the ids. Give at least 6 characters of the end of an id, which lists show, or of its beginning.\n",
    );
    expect(await get('connect')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        "muster: 'connect' is not the id of an error or a group.\n  'muster error groups' and 'muster error list' show the ids.\n",
    });
  });
});
