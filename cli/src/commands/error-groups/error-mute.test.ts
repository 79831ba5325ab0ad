import type { AgentErrorGroup } from '@muster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetWithCauses, withoutIDs } from '../../testing/fleet-with-causes.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let fleet: FleetWithCauses;
let group = '';

beforeAll(async () => {
  cli = await startCliTest();
  fleet = await FleetWithCauses.create(cli);
  group = await fleet.groupID('dumy');
});
afterAll(() => cli.close());

const run = (verb: string, ...flags: string[]) =>
  cli.runAsAdmin(['error', verb, group, '--project', 'edge', ...flags]);

async function read(): Promise<AgentErrorGroup> {
  return JSON.parse((await run('get', '--json')).stdout) as AgentErrorGroup; // what the API answers
}

const pattern = `[<time>] [error] [config] section 'dumy' tried to instance a plugin name that doesn't exist`;

describe('muster error mute', () => {
  it('mutes a group for a time, and says how to dismiss what is open', async () => {
    const { exitCode, stdout, stderr } = await run('mute', '--for', '12h', '--reason', 'known');
    expect([exitCode, stdout, withoutIDs(stderr)]).toEqual([
      0,
      '',
      `Muted until 2026-03-02T22:25:30.456Z: ${pattern}
Its open errors stay open. To dismiss them, run: muster error dismiss --group ######## --reason TEXT --project edge
`,
    ]);
    expect(await read()).toMatchObject({ mutedUntil: '2026-03-02T22:25:30.456Z', muteReason: 'known' });
  });

  it('stores further errors as dismissed, which the group shows', async () => {
    await fleet.report(
      'edge-3',
      "[2026/03/02 11:00:00] [error] [config] section 'dumy' tried to instance a plugin name that doesn't exist",
    );
    const { stdout } = await cli.runAsAdmin(['error', 'get', group, '--project', 'edge'], {
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    expect(stdout).toContain('\nstate         muted, new\n');
    expect(stdout).toContain('\nerrors        2 open, 1 dismissed\n');
    expect(stdout).toContain('\nmuted         until 2026-03-02T22:25:30.456Z (in 12 h): known\n');
    expect((await run('get')).stdout).toContain('\nmuted         until 2026-03-02T22:25:30.456Z: known\n');
  });

  it('ends with the next configuration or with more agents, whichever comes first', async () => {
    const { exitCode, stderr } = await run(
      'mute',
      '--until-next-config',
      '--more-agents',
      '5',
      '--reason',
      'known',
    );
    expect([exitCode, withoutIDs(stderr).split('\n')[0]]).toEqual([
      0,
      `Muted until 2026-05-31T10:25:30.456Z, or until the next configuration, or until it was on 8 agents: ${pattern}`,
    ]);
    expect((await run('get')).stdout).toContain(
      '\nmuted         until 2026-05-31T10:25:30.456Z, or until the next configuration, or until it was on 8 agents: known\n',
    );
  });

  it('takes the time of the end, and replaces the mute before', async () => {
    expect(await run('mute', '--until', '2026-03-31', '--reason', 'maintenance', '--quiet')).toEqual({
      exitCode: 0,
      stdout: `${group}\n`,
      stderr: '',
    });
    expect(await read()).toMatchObject({ mutedUntil: '2026-03-31T00:00:00.000Z', muteReason: 'maintenance' });
  });

  it('takes the short id of a group', async () => {
    const json = await cli.runAsAdmin([
      ...[
        'error',
        'mute',
        group.slice(-8),
        '--for',
        '2w',
        '--reason',
        'short',
        '--project',
        'edge',
        '--json',
      ],
    ]);
    expect(JSON.parse(json.stdout)).toMatchObject({ id: group, muteReason: 'short' });
  });

  it('needs an end and a reason', async () => {
    expect(await run('mute', '--reason', 'x')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'muster: The end of the mute is missing.\n  Add --for DURATION, --until TIME, --until-next-config or --more-agents NUMBER.\n',
    });
    expect((await run('mute', '--for', '1h')).stderr).toContain("required option '--reason <text>'");
    expect((await run('mute', '--for', '1h', '--until', '2026-03-31', '--reason', 'x')).exitCode).toBe(2);
    for (const text of ['1', '0h', 'never', '2026-03-31']) {
      expect((await run('mute', '--for', text, '--reason', 'x')).stderr).toContain(
        'It takes how long: 30min, 12h, 7d, 2w.',
      );
    }
    for (const text of ['12h', 'never', '2026-02-31']) {
      expect((await run('mute', '--until', text, '--reason', 'x')).stderr).toContain(
        'It takes a day (2027-03-31) or a time with its zone',
      );
    }
    expect((await run('mute', '--until', '2026-01-01', '--reason', 'x')).exitCode).toBe(1);
    expect(await read()).toMatchObject({ muteReason: 'short' });
  });
});

describe('muster error unmute', () => {
  it('ends a mute, and does not fail for a group that is not muted', async () => {
    for (let time = 0; time < 2; time += 1) {
      expect(await run('unmute')).toEqual({ exitCode: 0, stdout: '', stderr: `Not muted: ${pattern}\n` });
      expect(await read()).toMatchObject({ mutedUntil: null, muteReason: null });
    }
  });

  it.each(['mute', 'unmute'])('%s refuses an error, and what is no id', async (verb) => {
    const flags = verb === 'mute' ? ['--for', '1h', '--reason', 'x'] : [];
    const [id = ''] = await fleet.errorIDs('connect');
    expect((await cli.runAsAdmin(['error', verb, id, ...flags])).exitCode).toBe(5);
    expect(await cli.runAsAdmin(['error', verb, 'dumy', ...flags])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: "muster: 'dumy' is not the id of a group of errors.\n  'muster error groups' shows the ids.\n",
    });
  });
});
