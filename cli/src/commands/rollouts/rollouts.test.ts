import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeRows } from '../../../../server/src/testing/rows/change-rows.ts';
import { RolloutScene } from '../../../../server/src/testing/stages/rollout-scene.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let scene: RolloutScene;

beforeAll(async () => {
  cli = await startCliTest();
  scene = await new RolloutScene(cli.app).start(3);
});
afterAll(() => cli.close());

const run = (...args: string[]) =>
  cli.runAsAdmin(['rollout', ...args], { env: { MUSTER_PROJECT: scene.project.id } });

const start = async (...args: string[]): Promise<string> => {
  const { stdout } = await run('start', 'edge', '--reason', 'a new output', '--quiet', ...args);
  return stdout.trim();
};

describe('muster rollout start', () => {
  it('shows who gets it when, and does nothing, in a dry run', async () => {
    expect(await run('start', 'edge', '--reason', 'to see', '--dry-run')).toMatchObject({
      exitCode: 0,
      stdout:
        'stage 1  1 agent; for 10 min; web-02\nstage 2  1 agent; for 10 min; web-02\nstage 3  1 agent; for 10 min; web-02\n',
      stderr: 'Nothing was done.\n',
    });
    expect((await run('list')).stdout).toBe('');
  });

  it('takes the times that its help shows', async () => {
    const help = (await run('start', '--help')).stdout.replaceAll(/\s+/g, ' ');
    const shown = /For how long each stage has to run it: (.*); at least (\S+)\./.exec(help) ?? [];
    const times = [...(shown[1]?.split(', ') ?? []), shown[2] ?? ''];
    expect(times).toEqual(['2min', '10min', '2h', '2min']);
    for (const time of times)
      expect((await run('start', 'edge', '--reason', 'x', '--dry-run', '--soak', time)).exitCode).toBe(0);
  });

  it('says what it does not understand', async () => {
    expect(await run('start', 'edge', '--reason', 'x', '--stage', 'half')).toMatchObject({
      exitCode: 2,
      stderr: "muster: 'half' is no stage.\n  Give a number, a share such as 10%, tag:TAG or site:NAME.\n",
    });
    expect(await run('start', 'edge', '9', '--reason', 'x')).toMatchObject({
      exitCode: 5,
      stderr:
        'muster: The fleet has no version 9.\n  To list the existing ones, run: muster fleet versions NAME\n',
    });
    const { exitCode, stderr } = await run('start', 'edge', '--reason', 'x', '--soak', '10s');
    expect([exitCode, stderr.includes('2 min or more')]).toEqual([2, true]);
  });
});

describe('muster rollout freeze', () => {
  it('sets, lists and removes windows, and says that one holds', async () => {
    expect((await run('freeze')).stderr).toBe('Rollouts start at any time.\n');
    const hours = ['--from', '18:00', '--to', '08:00', '--zone', 'Europe/Berlin'];
    expect(
      await run('freeze', '--set', 'nights', '--weekday', 'fri', '--weekday', 'sat', ...hours),
    ).toMatchObject({
      stdout: 'NAME    FROM   TO     ON        ZONE\nnights  18:00  08:00  fri, sat  Europe/Berlin\n',
      stderr:
        "The next freeze, 'nights', begins at 2026-03-06T17:00:00.000Z and ends at 2026-03-07T07:00:00.000Z.\n",
    });
    const launch = ['--from', '2020-01-01T00:00:00Z', '--to', '2099-01-01T00:00:00Z'];
    expect((await run('freeze', '--set', 'launch', ...launch)).stderr).toBe(
      "Rollouts are frozen by 'launch' until 2099-01-01T00:00:00.000Z.\nThe one after it, 'nights', begins at 2099-01-02T17:00:00.000Z and ends at 2099-01-03T07:00:00.000Z.\n",
    );
    expect(await run('start', 'edge', '--reason', 'x')).toMatchObject({ exitCode: 1 });
    expect((await run('freeze', '--remove', 'nights', '--quiet')).stdout).toBe('launch\n');
    expect((await run('freeze', '--remove', 'nights')).exitCode).toBe(5);
    expect((await run('freeze', '--remove', 'launch', '--quiet')).stdout).toBe('');
    expect((await run('freeze', '--set', 'launch')).exitCode).toBe(2);
  });
});

describe('what all agents of a fleet would get at once', () => {
  const of = (...args: string[]) => cli.runAsAdmin(args, { env: { MUSTER_PROJECT: scene.project.id } });

  it('is asked for, also if it is another --reporting', async () => {
    expect(await of('fleet', 'update', 'edge', '--reporting', 'on')).toMatchObject({
      exitCode: 2,
      stderr:
        'muster: 3 agents would get it at once.\n  To give it to all of them at once, add --all-at-once.\n',
    });
    expect((await of('fleet', 'update', 'edge', '--reporting', 'off')).exitCode).toBe(0);
    expect(
      (await of('fleet', 'update', 'edge', '--reporting', 'off', '--serve-version', '2')).stderr,
    ).toContain('muster rollout start edge --config FILE');
  });
});

describe('muster agent move', () => {
  it('moves agents to another fleet, and says how many', async () => {
    const of = (...args: string[]) => cli.runAsAdmin(args, { env: { MUSTER_PROJECT: scene.project.id } });
    await of('fleet', 'create', 'canary');
    const id = scene.agents[2]?.agent?.id ?? '';
    expect(await of('agent', 'move', id, '--fleet', 'canary')).toMatchObject({
      exitCode: 0,
      stderr: "Moved 1 agent to the fleet 'canary'.\n",
    });
    expect((await of('agent', 'list', '--fleet', 'canary', '--quiet')).stdout).toBe(`${id}\n`);
    expect((await of('agent', 'move', id, '--fleet', 'edge')).exitCode).toBe(0);
    expect((await of('agent', 'list', '--fleet', 'canary')).stderr).toContain('--fleet canary');
  });
});

describe('--fleet', () => {
  it('takes the name of a fleet wherever it selects agents or their errors', async () => {
    const of = async (...args: string[]) => {
      const options = { env: { MUSTER_PROJECT: scene.project.id } };
      const { exitCode, stdout, stderr } = await cli.runAsAdmin(args, options);
      return exitCode === 0 ? `${stdout}${stderr}` : stderr;
    };
    const [one] = scene.agents;
    const error = 'a fault of one fleet';
    const path = `/v1/agents/${one?.agent?.id}/errors`;
    const reported = await cli.app.request('POST', path, {
      as: { project: scene.project.token },
      body: { error },
    });
    expect(reported.status, reported.text).toBe(201);
    const [inFleet, elsewhere] = [
      ['--fleet', 'edge'],
      ['--fleet', 'canary'],
    ] as const;
    const dismissal = ['error', 'dismiss', '--dry-run'] as const;
    expect(await of('error', 'list', ...inFleet)).toContain(error);
    expect(await of('error', 'list', ...elsewhere)).not.toContain(error);
    expect(await of('error', 'groups', ...inFleet)).toContain(error);
    expect(await of('error', 'groups', ...elsewhere)).not.toContain(error);
    expect(await of(...dismissal, ...inFleet)).toContain('1 error');
    expect(await of(...dismissal, ...elsewhere)).not.toContain('1 error');
    expect(await of('agent', 'delete', '--dry-run', ...inFleet)).toBe('3 agents would be deleted.\n');
    expect(await of('agent', 'delete', '--dry-run', ...elsewhere)).toBe('No agent matches.\n');
  });
});

describe('a rollout', () => {
  it('is shown, paused, resumed, promoted and reverted', async () => {
    const id = await start('--stage', '1', '--stage', '100%', '--soak', '2min');
    const act = async (action: string) => (await run(action, id, '--reason', 'because')).exitCode;
    expect(await act('pause')).toBe(0);
    const { stdout } = await run('get', id.slice(-8));
    expect(stdout).toMatch(/^id +\S+\nstate +paused\nwhy +because\nversion +1 to 2\nstage +1 of 2\n/);
    expect(await run('watch', id)).toMatchObject({
      exitCode: 1,
      stdout: 'paused: stage 1 of 2; 0 agents run it; 0 of 1 watched long enough; because\n',
      stderr: `muster: The rollout is paused: because.\n  To go on, run: muster rollout resume ${id.slice(-8)} --reason TEXT\n`,
    });
    expect(await act('resume')).toBe(0);
    expect(await act('promote')).toBe(0);
    expect(await act('revert')).toBe(0);
    expect(await act('pause')).toBe(1);
    expect((await run('list', '--fleet', 'edge', '--quiet')).stdout).toBe(`${id}\n`);
    expect((await run('list', '--last', '1')).stdout).toMatch(
      /^ID +STATE +FLEET +VERSION .*\n\S+ +\S+ +edge +2 /,
    );
  });

  it('that waits for an approval says how to give it', async () => {
    const id = await start('--stage', '1', '--stage', '100%', '--approval', '--max-per-minute', '5');
    await changeRows(
      cli.app.dataDirectory,
      `update rollouts set state = 'waiting', verdict = '{"rule":"approval","stage":2}', revision = 2 where id = '${id}'`,
    );
    const { stdout } = await run('get', id);
    expect(stdout).toMatch(
      /state +waiting\nwhy +waits for approval of stage 2\n[\s\S]*pace +5 agents a minute\napproval +before each stage but the first\n/,
    );
    const watched = run('watch', id);
    expect((await run('approve', id, '--reason', 'looks well', '--quiet')).stdout).toBe(`${id}\n`);
    expect((await run('get', id)).stdout).toMatch(
      /stage +2 of 2\n[\s\S]*approved +stage 2 by .*: looks well\n/,
    );
    await run('stop', id, '--reason', 'seen enough');
    expect((await watched).exitCode).toBe(1);
  });

  it('that is held says what it waits for, until when, and what one can do', async () => {
    const id = await start('--stage', '1', '--stage', '100%', '--soak', '2min');
    await scene.poll(3);
    const [first] = scene.updated;
    if (first === undefined) throw new Error('no agent has the version');
    await scene.report(first, '[output:http:http.0] connection refused by 10.0.0.1:9');
    await cli.app.app.runRollouts();
    const { stdout } = await run('get', id);
    expect(stdout).toMatch(
      new RegExp(
        [
          'state +running, held',
          'held +something may have come with the version: nobody further gets it',
          'suspected +1 of 1 agent with the version reports a new cause, and 0 of 2 others: muster error get \\w{8}',
          'until +\\S+Z: if it is still so, the rollout stops by itself and gives version 1 back',
          `what to do +wait and see \\(muster rollout watch ${id.slice(-8)}\\), or go back now: muster rollout revert ${id.slice(-8)} --reason TEXT`,
          '',
        ].join('\n'),
      ),
    );
    expect((await run('list', '--last', '1')).stdout).toMatch(/ HELD .*\n.* running, held .* settled \S+Z /);
    expect((await run('revert', id, '--reason', 'it is the port')).exitCode).toBe(0);
  });

  it('begins no stage after another one than the one that was seen', async () => {
    const id = await start('--stage', '1', '--stage', '100%', '--soak', '2min');
    const promote = () => run('promote', id, '--in-stage', '1', '--reason', 'looks well', '--quiet');
    expect((await promote()).exitCode).toBe(0);
    const { exitCode, stderr } = await promote();
    expect([exitCode, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringContaining('is in stage 2 of 2, and not in stage 1 as when you saw it'),
    ]);
    await run('stop', id, '--reason', 'seen enough');
  });

  it('goes on by a token that may change fleets and not read them', async () => {
    const id = await start('--stage', '1', '--stage', '100%', '--soak', '2min');
    const { token } = await cli.app.createToken(scene.project.id, ['update:fleet']);
    const env = { MUSTER_TOKEN: token };
    const args = ['rollout', 'promote', id, '--reason', 'looks well', '--quiet'];
    expect(await cli.runAsAdmin(args, { env })).toEqual({ exitCode: 0, stdout: `${id}\n`, stderr: '' });
    await run('stop', id, '--reason', 'seen enough');
  });

  it('that is no longer watched has not succeeded', async () => {
    const id = await start('--stage', '1', '--stage', '100%', '--soak', '2min');
    const controller = new AbortController();
    const env = { MUSTER_PROJECT: scene.project.id };
    const watched = await cli.runAsAdmin(['rollout', 'watch', id, '--quiet'], {
      env,
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(watched).toEqual({
      exitCode: 1,
      stdout: 'running\n',
      stderr: `muster: Stopped watching before the rollout ended. It goes on.\n  To see how far it is, run: muster rollout get ${id.slice(-8)}\n`,
    });
    await run('stop', id, '--reason', 'seen enough');
  });

  it('is watched until it is complete', async () => {
    const id = await start('--stage', '100%', '--soak', '2min');
    await run('promote', id, '--reason', 'all at once');
    expect(await run('watch', id, '--quiet')).toMatchObject({ exitCode: 0, stdout: 'completed\n' });
  });
});

describe('a rollout that a cause has stopped', () => {
  it('says which line was wrong, and what its agents could not do', async () => {
    const stage = await new RolloutScene(cli.app).start(3);
    const env = { MUSTER_PROJECT: stage.project.id };
    const stdin =
      '[INPUT]\n    Name cpu\n    Tag version1\n\n[OUTPUT]\n    Name  http\n    Match *\n    Port  9\n';
    const begun = await cli.runAsAdmin(
      ['rollout', 'start', 'edge', '--config', '-', '--soak', '2min', '--reason', 'Another port', '--quiet'],
      { env, stdin },
    );
    const id = begun.stdout.trim();
    await stage.poll(3);
    const [canary] = stage.agents.filter(({ config }) => config.includes('Port  9'));
    if (canary === undefined) throw new Error('no agent has the version');
    // Somebody else had the cause before, with a port of its own.
    const elsewhere = await cli.app.registerAgent(stage.project, 'another host');
    const text = (address: string) => `[output:http:http.0] no upstream connections available to ${address}`;
    await cli.app.request('POST', `/v1/agents/${elsewhere.id}/errors`, {
      as: { agent: elsewhere.token },
      body: { error: text('10.0.0.7:24224') },
    });
    await stage.report(canary, text('10.0.0.1:9'));
    await stage.poll(7);
    const { verdict, state } = await stage.read(id);
    expect(state).toBe('reverted');
    const why = `line 8 sends to port 9, and the one updated agent could not reach its destination: muster error get ${verdict?.groupID?.slice(-8)}`;
    const get = (more: Readonly<Record<string, string>> = {}) =>
      cli.runAsAdmin(['rollout', 'get', id], { env: { ...env, ...more } });
    expect((await get()).stdout).toMatch(
      new RegExp(`^id +${id}\nstate +reverted\nwhy +${why}\nversion +1 to 3\n`),
    );
    expect((await get()).stdout).toMatch(/^stages +[^\n]+\nhad it +1 agent\non failure/m);
    const versions = await cli.runAsAdmin(['fleet', 'versions', 'edge', '--last', '2'], { env });
    expect(versions.stdout).toMatch(/^VERSION +SERVED +MARK +CREATED .*\n +3 +no +bad .*\n +2 +no +\S+T/);
    expect(await cli.runAsAdmin(['rollout', 'watch', id], { env })).toEqual({
      exitCode: 1,
      stdout: `reverted: stage 1 of 3; 0 agents run it; 0 of 1 watched long enough; ${why}\n`,
      stderr: `muster: The rollout is reverted: ${why}.\n`,
    });
    const typed = await cli.runAsAdmin(['rollout', 'watch', id], { env, ownCommand: 'npx muster' });
    expect(typed.stdout).toContain(': npx muster error get ');

    const reader = await cli.app.createToken(stage.project.id, ['read:fleet']);
    expect((await get({ MUSTER_TOKEN: reader.token })).stdout).toContain(
      `why         1 of 1 agent with the version reports a cause that the others do not: muster error get ${verdict?.groupID?.slice(-8)}\n`,
    );
  });
});

describe('another configuration of a fleet with agents', () => {
  const pass = (tag: string, ...args: string[]) =>
    cli.runAsAdmin(args, {
      env: { MUSTER_PROJECT: scene.project.id },
      stdin: `[INPUT]\n    Name cpu\n    Tag ${tag}\n\n[OUTPUT]\n    Name stdout\n    Match *\n`,
    });

  it('is a version that a rollout begins with', async () => {
    const begin = (...args: string[]) =>
      pass('new', 'rollout', 'start', 'edge', ...args, '--config', '-', '--reason', 'a new tag');
    expect((await begin()).exitCode).toBe(0);
    expect((await run('list')).stdout).toMatch(/running/);
    expect(await begin('2')).toMatchObject({
      exitCode: 2,
      stderr:
        'muster: A version and --config are given.\n  Leave one out: --config creates a version and gives that one.\n',
    });
  });

  it('is given to all at once only if that is asked for', async () => {
    const update = (...args: string[]) => pass('all', 'fleet', 'update', 'edge', '--config', '-', ...args);
    expect(await update()).toMatchObject({
      exitCode: 2,
      stderr:
        'muster: 3 agents would get it at once.\n  To give it to them stage by stage, run: muster rollout start edge --config - --reason TEXT\n  To give it to all of them at once, add --all-at-once.\n',
    });
    expect((await update('--all-at-once')).stdout).toMatch(/^version +4$/m);
  });
});
