import type { AgentErrorGroup, ProjectHistory, ReportedFleets } from '@muster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetWithCauses, withoutIDs } from '../../testing/fleet-with-causes.ts';
import { type CliTest, type RunOptions, runIn, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let fleet: FleetWithCauses;

beforeAll(async () => {
  cli = await startCliTest();
  fleet = await FleetWithCauses.create(cli);
});
afterAll(() => cli.close());

const run = (flags: readonly string[] = [], options: RunOptions = {}) =>
  cli.runAsAdmin(['error', 'groups', '--project', 'edge', ...flags], options);

async function patterns(...flags: string[]): Promise<string[]> {
  const { stdout } = await run([...flags, '--json']);
  return (JSON.parse(stdout) as AgentErrorGroup[]).map(({ pattern }) => pattern); // what the API answers
}

const refused = '[output:es:es.<number>] could not connect to <address>';
const unknown = `[<time>] [error] [config] section 'dumy' tried to instance a plugin name that doesn't exist`;

describe('muster error groups', () => {
  it('fits 80 columns: short ids, and causes without time and level', async () => {
    const { exitCode, stdout, stderr } = await run([], { columns: 80, env: { NO_COLOR: '1' } });
    expect(exitCode).toBe(0);
    expect(withoutIDs(stdout)).toBe(
      [
        'ID        SHARE  AGENTS  TIMES  SINCE  STATE  CAUSE',
        '########   100%       5      5  4 min  new    [output:es:es.<number>] could not',
        '                                              connect to <address>',
        "########    40%       2      2  4 min  new    [config] section 'dumy' tried to",
        '                                              instance a plugin name that doesn…',
        '',
      ].join('\n'),
    );
    expect(stderr).toMatch(/To see one of them, with what to do, run: muster error get ID --project edge\n$/);
  });

  it('has more columns on a wide terminal, and leaves out the less important ones on a narrow one', async () => {
    const head = async (columns: number) =>
      (await run([], { columns, env: { NO_COLOR: '1' } })).stdout.split('\n')[0];
    expect(await head(120)).toBe('ID        SHARE  AGENTS  ERRORS  TIMES  SINCE  LAST SEEN  STATE  CAUSE');
    expect(await head(70)).toBe('ID        SHARE  AGENTS  SINCE  STATE  CAUSE');
    expect(await head(60)).toBe('ID        SHARE  AGENTS  STATE  CAUSE');
  });

  it('is complete in a pipe, and with --wide', async () => {
    const [group, other] = [await fleet.groupID('connect'), await fleet.groupID('dumy')];
    expect(await run()).toEqual({
      exitCode: 0,
      stdout: [
        'ID                                    SHARE  AGENTS  ERRORS  TIMES  SINCE                     LAST SEEN                 STATE  CAUSE',
        `${group}   100%       5       5      5  2026-03-02T10:21:30.456Z  2026-03-02T10:25:30.456Z  new    ${refused}`,
        `${other}    40%       2       2      2  2026-03-02T10:21:30.456Z  2026-03-02T10:22:30.456Z  new    ${unknown}`,
        '',
      ].join('\n'),
      stderr: '',
    });
    expect((await run(['--wide'], { columns: 80, env: { NO_COLOR: '1' } })).stdout).toBe(
      [
        'ID                                    SHARE  AGENTS  ERRORS  TIMES  SINCE  LAST SEEN  STATE  CAUSE',
        `${group}   100%       5       5      5  4 min  now        new    ${refused}`,
        `${other}    40%       2       2      2  4 min  3 min ago  new    ${unknown}`,
        '',
      ].join('\n'),
    );
  });

  it('says how old the counts are if they are older than 5 s', async () => {
    const notesAfter = async (milliseconds: number, ...flags: string[]) => {
      const now = () => cli.app.clock.now() + milliseconds;
      const args = ['error', 'groups', '--project', 'edge', ...flags];
      return (await runIn(cli.home, args, { env: cli.admin }, now)).stderr;
    };
    expect(await notesAfter(5_000)).toBe('');
    expect(await notesAfter(12_000)).toBe(
      'Counts are 12 s old: Muster is still counting what was stored since then.\n',
    );
    expect(await notesAfter(12_000, '--json')).toBe('');
  });

  it("prints the API's objects with --json, and ids with --quiet", async () => {
    const { body } = await cli.app.request<AgentErrorGroup[]>(
      'GET',
      `/v1/projects/${fleet.project.id}/agent_error_groups?sort=agents`,
      { as: { access: cli.app.admin } },
    );
    expect(JSON.parse((await run(['--json'])).stdout)).toEqual(
      body.map((group) => ({ ...group, countedAt: expect.any(String) })),
    );
    expect((await run(['--quiet'])).stdout).toBe(body.map(({ id }) => `${id}\n`).join(''));
    expect(await cli.runAsAdmin(['error', 'group', '--project', 'edge', '--quiet'])).toEqual(
      await run(['--quiet']),
    );
  });

  it('has the order of --sort: most agents first by default', async () => {
    cli.app.clock.advance(1_000);
    const times = [
      '2026/03/02 10:20:31',
      '2026/03/02 10:20:32',
      '2026/03/02 10:20:33',
      '2026/03/02 10:20:34',
    ];
    await fleet.report('edge-1', ...times.map((time) => unknown.replace('<time>', time)));
    expect(await patterns()).toEqual([refused, unknown]);
    expect(await patterns('--sort', 'times')).toEqual([unknown, refused]);
    cli.app.clock.advance(1_000);
    await fleet.report('edge-2', 'a later fault');
    expect(await patterns('--sort', 'last-seen')).toEqual(['a later fault', unknown, refused]);
    expect(await patterns('--sort', 'first-seen', '--last', '1')).toEqual(['a later fault']);
  });

  it('filters by text, fleet and time', async () => {
    expect(await patterns('--match', 'CONNECT')).toEqual([refused]);
    expect(await patterns('--fleet', 'us')).toEqual([refused]);
    cli.app.clock.advance(3_600_000);
    await fleet.report('edge-3', 'a fault of now');
    expect(await patterns('--since', '10min')).toEqual(['a fault of now']);
    expect(await patterns('--until', '10min', '--match', 'a ')).toEqual([unknown, 'a later fault']);
    expect(await run(['--match', 'no such cause', '--fleet', 'eu'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr:
        "No groups match --match 'no such cause' --fleet eu. Leave out one of these filters to see more.\n",
    });
  });
});

describe('muster fleet reported', () => {
  const list = (...flags: string[]) => cli.runAsAdmin(['fleet', 'reported', ...flags]);

  it('lists the fleets with the number of their agents, as a table, as JSON and as ids', async () => {
    expect(await list('--project', 'edge')).toEqual({
      exitCode: 0,
      stdout: 'ID  AGENTS\neu       2\nus       3\n',
      stderr: '',
    });
    const { stdout } = await list('--project', 'edge', '--json');
    expect(JSON.parse(stdout)).toEqual([
      { id: 'eu', name: null, agentsCount: 2 },
      { id: 'us', name: null, agentsCount: 3 },
    ] satisfies ReportedFleets['fleets']);
    expect((await list('--project', 'edge', '--quiet')).stdout).toBe('eu\nus\n');
  });

  it('says how an agent gets into a fleet if there is none', async () => {
    expect(await list('--project', 'default')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No fleets. To put an agent into one, run: muster agent update NAME --fleet ID\n',
    });
  });
});

describe('muster error history', () => {
  const history = (flags: readonly string[], options: RunOptions = {}) =>
    cli.runAsAdmin(['error', 'history', '--project', 'edge', ...flags], options);

  it('shows new errors and causes by hour beside the configurations that agents got', async () => {
    await cli.runAsAdmin(['agent', 'update', 'edge-4', '--project', 'edge', '--config', '-'], {
      stdin: '[OUTPUT]\n    name null\n',
    });
    const shown = await history(['--since', '2h'], { columns: 100, env: { NO_COLOR: '1' } });
    expect(withoutIDs(shown.stdout)).toBe(
      [
        'STARTS      NEW ERRORS                        NEW CAUSES  CONFIG CHANGES',
        '2 h ago              0                                 0               0',
        '1 h ago             12  ████████████████████           3               0',
        '25 min ago           1  █▋                             1               1',
        '',
        'CONFIG    AGENTS  FIRST  LAST  FIRST AGENT',
        '########       1  now    now   edge-4',
        '',
      ].join('\n'),
    );
    expect(withoutIDs(shown.stderr)).toMatch(
      /To see what the first of them changed, run: muster agent diff edge-4 --to #{8} --project edge\n$/,
    );
    const narrow = await history(['--since', '2h'], { columns: 40, env: { NO_COLOR: '1' } });
    expect(narrow.stdout.split('\n')[0]).toBe('STARTS      NEW ERRORS  CONFIG CHANGES');
  });

  it('has whole times and no bars in a pipe', async () => {
    expect(withoutIDs((await history(['--since', '2h'])).stdout)).toBe(
      [
        'STARTS                    NEW ERRORS  NEW CAUSES  CONFIG CHANGES',
        '2026-03-02T09:00:00.000Z           0           0               0',
        '2026-03-02T10:00:00.000Z          12           3               0',
        '2026-03-02T11:00:00.000Z           1           1               1',
        '',
        'CONFIG                                AGENTS  FIRST                     LAST                      FIRST AGENT',
        '####################################       1  2026-03-02T11:25:32.456Z  2026-03-02T11:25:32.456Z  edge-4',
        '',
      ].join('\n'),
    );
  });

  it("prints the API's object with --json", async () => {
    const flags = ['--bucket', 'day', '--since', '2026-03-01', '--until', '2026-03-03', '--json'];
    const printed: ProjectHistory = JSON.parse((await history(flags)).stdout);
    const [configuration] = printed.configurations;
    expect(printed).toEqual({
      bucket: 'day',
      buckets: [
        { startsAt: '2026-03-01T00:00:00.000Z', errorsCount: 0, newGroupsCount: 0, configChangesCount: 0 },
        { startsAt: '2026-03-02T00:00:00.000Z', errorsCount: 13, newGroupsCount: 4, configChangesCount: 1 },
      ],
      configurations: [
        {
          ...configuration,
          agentName: 'edge-4',
          agentsCount: 1,
          firstChangedAt: '2026-03-02T11:25:32.456Z',
          lastChangedAt: '2026-03-02T11:25:32.456Z',
        },
      ],
      configurationsCount: 1,
    });
  });

  it('says that nothing happened, and refuses times that exceed the maximum number of rows', async () => {
    expect(await history(['--since', '7d', '--until', '3d'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No errors were created in this time, and no agent got another configuration.\n',
    });
    expect(await history(['--bucket', 'minute', '--since', '7d'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'muster: `since` gives 10081 buckets, but a history has at most 1000: choose a later time or a longer `bucket`.\n',
    });
  });
});
