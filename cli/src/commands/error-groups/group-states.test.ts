import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetWithCauses, withoutIDs } from '../../testing/fleet-with-causes.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let fleet: FleetWithCauses;

beforeAll(async () => {
  cli = await startCliTest();
  fleet = await FleetWithCauses.create(cli);
});
afterAll(() => cli.close());

const day = 24 * 3_600_000;

/** STATE and the beginning of CAUSE of each group, as on a terminal. */
async function states(...flags: string[]): Promise<string[]> {
  const { stdout } = await cli.runAsAdmin(['error', 'groups', '--project', 'edge', '--wide', ...flags], {
    columns: 80,
  });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^.*(now|ago|SEEN) +/, ''));
}

const run = (...args: string[]) => cli.runAsAdmin([...args, '--project', 'edge']);

const connect = '[output:es:es.<number>] could not connect to <address>';
const plugin = `[<time>] [error] [config] section 'dumy' tried to instance a plugin name that doesn't exist`;

describe('the state of a group', () => {
  it('is new for a day, in yellow', async () => {
    const yellow = '\u001b[33mnew\u001b[39m';
    expect(await states()).toEqual([
      'STATE  CAUSE\u001b[22m',
      `${yellow}    ${connect}`,
      `${yellow}    ${plugin}`,
    ]);
  });

  it('is left out for all if no group has one', async () => {
    cli.app.clock.advance(day);
    expect(await states()).toEqual(['CAUSE\u001b[22m', connect, plugin]);
  });

  it('is muted, in grey', async () => {
    await run('error', 'mute', await fleet.groupID('dumy'), '--for', '1h', '--reason', 'known');
    expect(await states()).toEqual([
      'STATE  CAUSE\u001b[22m',
      connect,
      `\u001b[2mmuted\u001b[22m  ${plugin}`,
    ]);
  });

  it('is regressed, in red, after all of its errors were dismissed and it came back', async () => {
    const group = await fleet.groupID('connect');
    await run('error', 'dismiss', '--group', group, '--reason', 'repaired', '--yes');
    expect(await states()).toEqual(['STATE  CAUSE\u001b[22m', `\u001b[2mmuted\u001b[22m  ${plugin}`]);
    cli.app.clock.advance(60_000);
    await fleet.report('edge-5', '[output:es:es.0] could not connect to 10.0.0.9:9200');
    expect(await states('--match', 'connect')).toEqual([
      'STATE      CAUSE\u001b[22m',
      `\u001b[31mregressed\u001b[39m  ${connect}`,
    ]);
    const { stdout } = await cli.runAsAdmin(['error', 'get', group, '--project', 'edge'], {
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    expect(withoutIDs(stdout)).toContain(`state         regressed
agents        1, 20% of the project's agents
errors        1 open, 5 dismissed
times         6
since         1 d ago
last seen     now
regressed     now
`);
  });
});

describe('muster error groups --status', () => {
  it('asks for groups with superseded, open or dismissed errors, and for muted ones', async () => {
    for (const name of ['edge-1', 'edge-2']) {
      await cli.runAsAdmin(['agent', 'update', name, '--config', '-', '--project', 'edge'], {
        stdin: '[INPUT]\n    name dummy\n',
      });
    }
    const list = async (...flags: string[]) => (await states('--no-color', ...flags)).slice(1);
    expect(await list()).toEqual([`regressed  ${connect}`]);
    expect(await list('--status', 'superseded')).toEqual([`muted  ${plugin}`]);
    expect((await list('--status', 'open')).toSorted()).toEqual([
      `muted      ${plugin}`,
      `regressed  ${connect}`,
    ]);
    expect(await list('--status', 'dismissed')).toEqual([`regressed  ${connect}`]);
    expect(await list('--status', 'muted')).toEqual([`muted  ${plugin}`]);
    const { stdout } = await run('error', 'get', await fleet.groupID('dumy'));
    expect(stdout).toContain(
      "\nagents        0, 0% of the project's agents\nerrors        0 open, 2 superseded\n",
    );
  });

  it.each([
    [[], 'No open errors. --status superseded lists those of earlier configurations.\n'],
    [['--status', 'superseded'], 'No superseded errors.\n'],
    [['--status', 'open'], 'No open errors.\n'],
    [['--status', 'dismissed'], 'No dismissed errors.\n'],
    [['--status', 'muted'], 'No cause is muted.\n'],
  ])('%j says that there are none', async (flags, stderr) => {
    const { id } = await cli.app.createProject('empty');
    const list = await cli.runAsAdmin(['error', 'groups', '--project', id, ...flags]);
    expect(list).toEqual({ exitCode: 0, stdout: '', stderr });
  });

  it('finds a group in any state by its short id, with the counts of its whole id', async () => {
    await fleet.report('edge-4', 'a dismissed fault');
    const dismissed = await fleet.groupID('a dismissed fault');
    await run('error', 'dismiss', '--group', dismissed, '--reason', 'x', '--yes');
    for (const id of [dismissed, await fleet.groupID('dumy'), await fleet.groupID('connect')]) {
      const [byShortID, byID] = await Promise.all(
        [id.slice(-8), id].map((given) => run('error', 'get', given, '--json')),
      );
      expect(byShortID?.exitCode).toBe(0);
      expect(JSON.parse(byShortID?.stdout ?? '')).toEqual({
        ...JSON.parse(byID?.stdout ?? ''),
        countedAt: expect.any(String),
      });
    }
  });
});

describe('--no-color', () => {
  it('and NO_COLOR print what a terminal shows, without colour, anywhere on the command line', async () => {
    const list = (args: readonly string[], env = {}) =>
      cli.runAsAdmin([...args, '--project', 'edge'], { columns: 80, env });
    const plain = await list(['error', 'groups'], { NO_COLOR: '1' });
    expect(plain.stdout).not.toContain('\u001b');
    expect((await list(['error', 'groups'])).stdout).toContain('\u001b[31m');
    expect(await list(['error', 'groups', '--no-color'])).toEqual(plain);
    expect(await list(['--no-color', 'error', 'groups'])).toEqual(plain);
  });
});
