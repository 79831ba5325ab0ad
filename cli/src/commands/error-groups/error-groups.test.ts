import type { AgentErrorGroup } from '@muster/client';
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
    expect(stderr).toBe('To see one of them, with what to do, run: muster error get ID --project edge\n');
  });

  it('has more columns on a wide terminal, and leaves out the less important ones on a narrow one', async () => {
    const head = async (columns: number) =>
      (await run([], { columns, env: { NO_COLOR: '1' } })).stdout.split('\n')[0];
    expect(await head(120)).toBe('ID        SHARE  AGENTS  TIMES  SINCE  LAST SEEN  STATE  CAUSE');
    expect(await head(70)).toBe('ID        SHARE  AGENTS  SINCE  STATE  CAUSE');
    expect(await head(60)).toBe('ID        SHARE  AGENTS  STATE  CAUSE');
  });

  it('is complete in a pipe, and with --wide', async () => {
    const [group, other] = [await fleet.groupID('connect'), await fleet.groupID('dumy')];
    expect(await run()).toEqual({
      exitCode: 0,
      stdout: [
        'ID                                    SHARE  AGENTS  TIMES  SINCE                     LAST SEEN                 STATE  CAUSE',
        `${group}   100%       5      5  2026-03-02T10:21:30.456Z  2026-03-02T10:25:30.456Z  new    ${refused}`,
        `${other}    40%       2      2  2026-03-02T10:21:30.456Z  2026-03-02T10:22:30.456Z  new    ${unknown}`,
        '',
      ].join('\n'),
      stderr: '',
    });
    expect((await run(['--wide'], { columns: 80, env: { NO_COLOR: '1' } })).stdout).toBe(
      [
        'ID                                    SHARE  AGENTS  TIMES  SINCE  LAST SEEN  STATE  CAUSE',
        `${group}   100%       5      5  4 min  now        new    ${refused}`,
        `${other}    40%       2      2  4 min  3 min ago  new    ${unknown}`,
        '',
      ].join('\n'),
    );
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
