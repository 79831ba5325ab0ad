import type { Agent, Dismissal } from '@muster/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;

beforeAll(async () => {
  cli = await startCliTest();
  for (const name of ['web-01', 'web-02']) {
    await cli.runAsAdmin(['agent', 'register', name, '--fleet', name === 'web-01' ? 'eu' : 'us']);
  }
});
afterAll(() => cli.close());

/** Each agent has `no host` and `no disk`. */
beforeEach(async () => {
  const { stdout } = await cli.runAsAdmin(['token', 'create', 'agents', '--quiet']);
  const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: stdout.trim() };
  for (const machine of ['web-01', 'web-02']) {
    for (const text of ['no host', 'no disk'])
      await cli.run(['error', 'create', text, '--machine', machine], { env });
  }
});

const dismiss = (...flags: string[]) => cli.runAsAdmin(['error', 'dismiss', '--reason', 'seen', ...flags]);

async function countOpen(): Promise<number> {
  const { stdout } = await cli.runAsAdmin(['error', 'list', '--quiet']);
  return stdout.split('\n').length - 1;
}

const id = '[0-9a-f-]{36}';

describe('muster error dismiss --match', () => {
  it('counts, asks, dismisses, and says how to undo it', async () => {
    const { exitCode, stderr, stdout } = await cli.runAsAdmin(
      ['error', 'dismiss', '--match', 'HOST', '--reason', 'seen'],
      { columns: 100, answer: { to: /Dismiss 2 errors of 2 agents\?/, keys: 'y' } },
    );
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr).toContain('Dismissed: 2 errors of 2 agents.\n');
    expect(stderr).toMatch(new RegExp(`To reopen them, run: muster dismissal undo ${id}\n`));
    expect(await countOpen()).toBe(2);
  });

  it('does nothing after a no, and needs --yes without a terminal', async () => {
    const refused = await cli.runAsAdmin(['error', 'dismiss', '--match', 'host', '--reason', 'seen'], {
      columns: 100,
      answer: { to: /Dismiss 2 errors/, keys: 'n' },
    });
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Nothing was done.') });
    const ended = await cli.runAsAdmin(['error', 'dismiss', '--match', 'host', '--reason', 'seen'], {
      columns: 100,
      answer: { to: /Dismiss 2 errors/, keys: '\x04' },
    });
    expect(ended).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('The input has ended without an answer. Nothing was done.'),
    });
    let wait = () => {};
    const late = await cli.runAsAdmin(['error', 'dismiss', '--match', 'host', '--reason', 'seen'], {
      columns: 100,
      answer: { to: /Dismiss 2 errors/, keys: ' ' },
      every: (milliseconds, work) => {
        if (milliseconds === 600_000) wait = work;
        return () => {};
      },
      onNote: (text) => {
        if (/Dismiss 2 errors/.test(text)) setImmediate(() => wait());
      },
    });
    expect(late).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Nobody has answered for 10 minutes. Nothing was done.'),
    });
    expect(await dismiss('--match', 'host')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Add --yes to answer it.'),
    });
    expect(await countOpen()).toBe(4);
  });

  it('only counts with --dry-run', async () => {
    expect(await dismiss('--match', 'disk', '--dry-run')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Would dismiss 2 errors of 2 agents.\n',
    });
    const { stdout } = await dismiss('--match', 'disk', '--dry-run', '--json');
    expect(JSON.parse(stdout)).toEqual({ dryRun: true, errorsCount: 2, agentsCount: 2, note: null });
    expect(await countOpen()).toBe(4);
  });

  it('needs no reason to count', async () => {
    const args = ['error', 'dismiss', '--match', 'disk'];
    expect((await cli.runAsAdmin([...args, '--dry-run'])).stderr).toBe(
      'Would dismiss 2 errors of 2 agents.\n',
    );
    expect(await cli.runAsAdmin([...args, '--yes'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'muster: The reason is missing.\n  Add --reason TEXT.\n',
    });
  });

  it('shows the cause of a group before it asks', async () => {
    const { stdout } = await cli.runAsAdmin(['error', 'groups', '--match', 'host', '--quiet']);
    const group = stdout.trim().slice(-8);
    expect(await dismiss('--group', group, '--dry-run')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Cause: no host\nWould dismiss 2 errors of 2 agents.\n',
    });
    const done = await dismiss('--group', group, '--yes');
    expect(done.stderr).toMatch(
      new RegExp(
        `^Cause: no host\nIt is still reported, so that it comes back with the next report\\. To mute it instead, run: muster error mute ${group} --until-next-config --reason TEXT\nDismissed: 2 errors of 2 agents\\.\nTo reopen them, run: `,
      ),
    );
    expect(JSON.parse((await dismiss('--group', group, '--yes', '--json')).stdout)).toMatchObject({
      errorsCount: 0,
    });
  });

  it('says that a group is still reported only in the minute after its last report', async () => {
    const { stdout } = await cli.runAsAdmin(['error', 'groups', '--match', 'host', '--quiet']);
    cli.app.clock.advance(60_000);
    const { stderr } = await dismiss('--group', stdout.trim().slice(-8), '--yes');
    expect(stderr).toMatch(/^Cause: no host\nDismissed: 2 errors of 2 agents\.\n/);
  });

  it('says how many errors of a group are superseded, which lists do not show', async () => {
    const { stdout } = await cli.runAsAdmin(['error', 'groups', '--match', 'host', '--quiet']);
    const { stdout: found } = await cli.runAsAdmin(['agent', 'get', 'web-02', '--json']);
    const { id: agentID } = JSON.parse(found) as Agent;
    const { status } = await cli.app.request('PATCH', `/v1/agents/${agentID}`, {
      as: { access: cli.app.admin },
      body: { rawConfig: '[SERVICE]\n    flush 2' },
    });
    expect(status).toBe(204);
    await expect
      .poll(async () => (await dismiss('--group', stdout.trim().slice(-8), '--dry-run')).stderr)
      .toBe('Cause: no host\nWould dismiss 2 errors of 2 agents, 1 of them superseded.\n');
    await dismiss('--all', '--yes');
  });

  it('does not say that a group is still reported if its agents have another configuration since', async () => {
    const other = await startCliTest();
    try {
      const project = await other.app.createProject('fixed');
      const { id: agentID, token } = await other.app.registerAgent(project);
      const as = { agent: token };
      const configure = (rawConfig: string) =>
        other.app.request('PATCH', `/v1/agents/${agentID}`, { as, body: { rawConfig } });
      await configure('# release 42\n');
      await other.app.request('POST', `/v1/agents/${agentID}/errors`, { as, body: { error: 'no valve' } });
      await configure('# release 43\n');
      const groups = ['error', 'groups', '--status', 'superseded', '--project', 'fixed', '--quiet'];
      const group = (await other.runAsAdmin(groups)).stdout.trim().slice(-8);
      const { stderr } = await other.runAsAdmin([
        ...['error', 'dismiss', '--reason', 'fixed', '--group', group, '--project', 'fixed', '--yes'],
      ]);
      expect(stderr).toMatch(/^Cause: no valve\nDismissed: 1 error of 1 agent/);
    } finally {
      await other.close();
    }
  });

  it('says so if nothing matches', async () => {
    expect(await dismiss('--match', 'absent', '--yes')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No open error matches.\n',
    });
  });

  it('selects by agents, by fleet, or all', async () => {
    const count = async (...flags: string[]) => {
      const { stdout } = await dismiss(...flags, '--dry-run', '--json');
      return (JSON.parse(stdout) as Dismissal).errorsCount;
    };
    expect(await count('--agent', 'web-01')).toBe(2);
    expect(await count('--agent', 'web-01', '--agent', 'web-02')).toBe(4);
    expect(await count('--fleet', 'eu', '--match', 'disk')).toBe(1);
    expect(await count('--all')).toBe(4);
  });

  it('takes ids or flags that select, not both, and one of them', async () => {
    const none = await dismiss();
    expect([none.exitCode, none.stderr]).toEqual([
      2,
      'muster: No errors are selected.\n  Give ids, or --group, --match, --agent, --fleet or --all.\n',
    ]);
    const both = await dismiss('0192f0a0-0000-7000-8000-000000000000', '--all');
    expect([both.exitCode, both.stderr]).toEqual([
      2,
      'muster: Give ids, or flags that select errors, not both.\n',
    ]);
    const group = await dismiss('--group', 'web');
    expect([group.exitCode, group.stderr]).toEqual([
      2,
      "muster: 'web' is not the id of a group of errors.\n  'muster error groups' shows the ids.\n",
    ]);
    expect((await dismiss('--group', '0192f0a0-0000-8000-8000-000000000000')).exitCode).toBe(5);
  });
});

describe('muster dismissal', () => {
  it('lists, shows and undoes', async () => {
    const { stdout } = await dismiss('--match', 'host', '--yes', '--quiet');
    const made = stdout.trim();
    const list = await cli.runAsAdmin(['dismissal', 'list', '--last', '1', '--quiet']);
    expect(list.stdout).toBe(stdout);
    const table = await cli.runAsAdmin(['dismissal', 'list', '--last', '1']);
    expect(table.stdout).toMatch(new RegExp(`^ID .*\n${made} +done +2 +2 .* seen\n$`));
    const shown = await cli.runAsAdmin(['dismissal', 'get', made]);
    expect(shown.stdout).toContain('filter     {"q":"host"}\n');
    expect(await cli.runAsAdmin(['dismissal', 'undo', made])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Reopened: 2 errors.\n',
    });
    expect(await countOpen()).toBe(4);
    expect((await cli.runAsAdmin(['dismissal', 'undo', made])).stderr).toMatch(
      /^It was undone already: \S+Z, by administrator\. Nothing was done now\.\n$/,
    );
  });

  it('undoes the newest one of a group by the id of the group, unless it has dismissed others too', async () => {
    const { stdout: token } = await cli.runAsAdmin(['token', 'create', 'one', '--quiet']);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token.trim() };
    await cli.run(['error', 'create', 'certificate expired', '--machine', 'web-01'], { env });
    const groupOf = async (text: string) =>
      (await cli.runAsAdmin(['error', 'groups', '--match', text, '--quiet'])).stdout.trim();
    const [group, other] = [await groupOf('expired'), await groupOf('no host')];
    expect(await cli.runAsAdmin(['dismissal', 'undo', group])).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('run: muster dismissal list'),
    });
    await dismiss('--group', group, '--yes');
    expect(await countOpen()).toBe(4);
    const { exitCode, stderr } = await cli.runAsAdmin(['dismissal', 'undo', group.slice(-8)]);
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/^Undoing the dismissal \w{8}: seen\nReopened: 1 error\.\n$/),
    ]);
    const { stdout: projectID } = await cli.runAsAdmin(['project', 'list', '--quiet']);
    await cli.app.request('POST', `/v1/projects/${projectID.trim()}/dismissals`, {
      as: { access: cli.app.admin },
      body: { reason: 'both', filter: { groupIDs: [group, other] } },
    });
    expect(await cli.runAsAdmin(['dismissal', 'undo', group])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /1 other group too\.\n {2}To undo it for all of them, run: muster dismissal undo \S{36}\n$/,
      ),
    });
  });

  it('says what an undo did not reopen', async () => {
    const { stdout } = await dismiss('--agent', 'web-01', '--match', 'disk', '--yes', '--json');
    const { id: made } = JSON.parse(stdout) as Dismissal;
    const token = await cli.runAsAdmin(['token', 'create', 'agents', '--quiet']);
    await cli.run(['error', 'create', 'no disk', '--machine', 'web-01'], {
      env: { MUSTER_URL: cli.url, MUSTER_TOKEN: token.stdout.trim() },
    });
    expect((await cli.runAsAdmin(['dismissal', 'undo', made])).stderr).toBe(
      'Reopened: 0 errors.\nNot reopened: 1 error, because an open error with the same text and configuration exists.\n',
    );
  });

  it('takes ids alone', async () => {
    for (const verb of ['get', 'undo']) {
      expect(await cli.runAsAdmin(['dismissal', verb, 'last'])).toMatchObject({
        exitCode: 2,
        stderr: "muster: 'last' is not the id of a dismissal.\n  'muster dismissal list' shows the ids.\n",
      });
    }
  });
});
