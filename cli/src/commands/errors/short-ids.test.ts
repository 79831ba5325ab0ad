import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wordOf } from '../../../../server/src/testing/word-of.ts';
import { FleetWithCauses } from '../../testing/fleet-with-causes.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let fleet: FleetWithCauses;

beforeAll(async () => {
  cli = await startCliTest();
  fleet = await FleetWithCauses.create(cli);
});
afterAll(() => cli.close());

const run = (...args: string[]) => cli.runAsAdmin(args);
const runIn = (...args: string[]) => run(...args, '--project', 'edge');
const short = (id: string) => id.slice(-8);

async function ids(...args: string[]): Promise<string[]> {
  return (await runIn(...args, '--quiet')).stdout.trimEnd().split('\n');
}

describe('a short id', () => {
  it('is taken for a project, a token, an agent and an access token', async () => {
    const [project = ''] = (await run('project', 'list', '--quiet')).stdout.split('\n');
    expect((await run('project', 'get', short(project), '--quiet')).stdout).toBe(`${project}\n`);
    expect((await run('token', 'list', '--project', short(project), '--json')).exitCode).toBe(0);
    const [token = ''] = await ids('token', 'list');
    expect((await runIn('token', 'get', short(token), '--quiet')).stdout).toBe(`${token}\n`);
    const [agent = ''] = await ids('agent', 'list');
    expect((await runIn('agent', 'get', short(agent), '--quiet')).stdout).toBe(`${agent}\n`);
    expect(await ids('error', 'list', '--agent', short(agent))).toHaveLength(1);
    const made = JSON.parse((await run('access-token', 'create', 'ci', '--json')).stdout) as { id: string };
    expect(await run('access-token', 'revoke', short(made.id), '--yes')).toMatchObject({ exitCode: 0 });
  });

  it('is taken for the configurations that are compared', async () => {
    await cli.runAsAdmin(['agent', 'update', 'edge-1', '--config', '-', '--project', 'edge'], {
      stdin: '# new\n',
    });
    const [to = '', from = ''] = await ids('agent', 'history', 'edge-1');
    const { stdout } = await runIn('agent', 'diff', 'edge-1', '--from', short(from), '--to', short(to));
    expect(stdout).toMatch(new RegExp(`^--- ${from}\\t.*\n\\+\\+\\+ ${to}\\t`));
    expect(await runIn('agent', 'diff', 'edge-1', '--to', 'ffffffff')).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: "muster: There is no configuration 'ffffffff'.\n  'muster agent history NAME' shows the ids.\n",
    });
    expect((await runIn('agent', 'diff', 'edge-1', '--from', 'newest')).exitCode).toBe(2);
  });

  it('is taken for errors, several at once, also from standard input', async () => {
    const errors = await fleet.errorIDs('connect');
    const args = ['error', 'dismiss', ...errors.slice(0, 2).map(short), '--reason', 'x', '--project', 'edge'];
    expect(await cli.runAsAdmin([...args, '--quiet'])).toEqual({
      exitCode: 0,
      stdout: errors
        .slice(0, 2)
        .map((id) => `${id}\n`)
        .join(''),
      stderr: '',
    });
    const reopened = await cli.runAsAdmin(['error', 'reopen', '-', '--project', 'edge', '--quiet'], {
      stdin: errors.slice(0, 2).map(short).join('\n'),
    });
    expect(reopened.stdout).toBe(
      errors
        .slice(0, 2)
        .map((id) => `${id}\n`)
        .join(''),
    );
  });

  it('of an error may be the beginning with the whole time, however old the error is', async () => {
    const errors = await fleet.errorIDs('connect');
    const oldest = errors.at(-1) ?? '';
    const { stdout } = await runIn('error', 'get', oldest.slice(0, 28), '--quiet');
    expect([stdout, (await runIn('error', 'get', short(oldest), '--quiet')).stdout]).toEqual([
      `${oldest}\n`,
      `${oldest}\n`,
    ]);
  });

  it('is taken for a dismissal', async () => {
    const made = await runIn('error', 'dismiss', '--match', 'dumy', '--reason', 'x', '--yes', '--quiet');
    const id = made.stdout.trim();
    expect((await runIn('dismissal', 'get', short(id), '--quiet')).stdout).toBe(made.stdout);
    expect((await runIn('dismissal', 'undo', short(id))).stderr).toBe('Reopened: 2 errors.\n');
    expect(await runIn('dismissal', 'undo', 'ffffffff')).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: "muster: There is no dismissal 'ffffffff'.\n  'muster dismissal list' shows the ids.\n",
    });
  });

  it('that is ambiguous changes nothing, and lists what it may mean', async () => {
    const [one = '', other = ''] = await fleet.errorIDs('dumy');
    const beginning = one.slice(
      0,
      [...one].findIndex((character, index) => character !== other[index]),
    );
    const refused = await runIn('error', 'dismiss', beginning, '--reason', 'x');
    expect([refused.exitCode, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain(
      `begin or end with '${beginning}'. Give more characters of one of them:\n`,
    );
    expect(refused.stderr).toContain(`  ${one}  [2026/03/02`);
    expect(refused.stderr).toContain(`  ${other}  [2026/03/02`);
    const agents = await ids('agent', 'list');
    const time = agents[0]?.slice(0, 6) ?? '';
    expect((await runIn('agent', 'delete', time, '--yes')).stderr).toContain(
      `The ids of 5 agents begin or end with '${time}'.`,
    );
    expect(await ids('agent', 'list')).toEqual(agents);
  });

  it('is not read as one if something has it as its name', async () => {
    const [agent = ''] = await ids('agent', 'list');
    await runIn('agent', 'register', short(agent), '--machine', 'other');
    const [named = ''] = await ids('agent', 'list');
    expect((await runIn('agent', 'get', short(agent), '--quiet')).stdout).toBe(`${named}\n`);
    expect(named).not.toBe(agent);
    await runIn('agent', 'delete', named, '--yes');
  });

  it('of a group in place of an error says what takes groups', async () => {
    const group = await fleet.groupID('connect');
    for (const given of [group, short(group)]) {
      expect(await runIn('error', 'dismiss', given, '--reason', 'x')).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: `muster: '${given}' is a group of errors, and not an error.\n  For all of its errors, run: muster error dismiss --reason TEXT --group ${given}\n`,
      });
    }
    expect((await runIn('error', 'reopen', group)).stderr).toContain(
      'muster error list --status dismissed --group',
    );
  });

  it('that nothing has is refused', async () => {
    const notFound = (noun: string) => expect.stringContaining(`There is no ${noun} 'ffffffff'`);
    for (const [noun, ...args] of [
      ['error', 'error', 'dismiss', 'ffffffff', '--reason', 'x'],
      ['error and no group', 'error', 'get', 'ffffffff'],
      ['group', 'error', 'dismiss', '--group', 'ffffffff', '--reason', 'x'],
      ['agent', 'agent', 'get', 'ffffffff'],
      ['token', 'token', 'get', 'ffffffff'],
    ] as const) {
      expect(await runIn(...args)).toEqual({ exitCode: 5, stdout: '', stderr: notFound(noun) });
    }
  });

  it('of an error that is not among the newest 10,000 needs the whole time', async () => {
    const oldest = (await fleet.errorIDs('connect')).at(-1) ?? '';
    const texts = Array.from({ length: 1_000 }, (_, index) => `fault ${wordOf(index)}`);
    for (let machine = 0; machine < 10; machine += 1) {
      cli.app.clock.advance(60_000);
      await fleet.report(`many-${machine}`, ...texts);
    }
    expect(await runIn('error', 'get', short(oldest))).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: `muster: There is no error and no group '${short(oldest)}' in the project ${fleet.project.id}.\n  Short ids are looked up among the newest 10,000. To see whole ids, add --wide to the list.\n`,
    });
    expect((await runIn('error', 'get', oldest.slice(0, 28), '--quiet')).stdout).toBe(`${oldest}\n`);
    expect((await runIn('error', 'get', oldest, '--quiet')).stdout).toBe(`${oldest}\n`);
  });
});
