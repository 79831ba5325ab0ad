import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../testing/start-cli-test.ts';

let cli: CliTest;
let projectID = '';

beforeAll(async () => {
  cli = await startCliTest();
  projectID = (await cli.app.createProject('edge')).id;
});
afterAll(() => cli.close());

const create = async (name: string) =>
  JSON.parse((await cli.runAsAdmin(['token', 'create', name, '--project', 'edge', '--json'])).stdout) as {
    id: string;
  };
const get = (name: string) => cli.runAsAdmin(['token', 'get', name, '--project', 'edge', '--quiet']);

describe('a name', () => {
  it('can be used in place of an id', async () => {
    const { id } = await create('ci-deploy');
    expect((await get('ci-deploy')).stdout).toBe(`${id}\n`);
    expect((await get(id.toUpperCase())).stdout).toBe(`${id}\n`);
  });

  it('is taken literally, even with a * in it', async () => {
    const { id } = await create('with-*-star');
    await create('with-a-star');
    expect((await get('with-*-star')).stdout).toBe(`${id}\n`);
    expect((await get('with-*')).exitCode).toBe(5);
  });

  it('that several items have is refused with the ids of all', async () => {
    const [one, other] = [await create('twice'), await create('twice')];
    const { exitCode, stdout, stderr } = await get('twice');
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^muster: 2 tokens are named 'twice'\. Give the id of one of them:\n/);
    expect(stderr).toContain(`  ${one.id}  created 2026-03-02T`);
    expect(stderr).toContain(`  ${other.id}  created 2026-03-02T`);
  });

  it('that no item has is refused with the most similar one', async () => {
    await create('nightly-build');
    expect(await get('nighly-build')).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: `muster: There is no token 'nighly-build' in the project ${projectID}.\n  Did you mean 'nightly-build'?\n`,
    });
    expect((await get('nothing-like-that-at-all')).stderr).toContain(
      'To list the existing ones, run: muster token list\n',
    );
  });

  it('with control characters is printed escaped, also in an error', async () => {
    const { stderr } = await get('\x1b[2J\u202ename');
    expect(stderr).toContain("There is no token '\\x1b[2J\\u202ename'");
  });

  it('can also be the machine id of an agent', async () => {
    const { stdout } = await cli.runAsAdmin([
      ...['agent', 'register', 'web-01', '--machine', 'host-7', '--project', 'edge', '--json'],
    ]);
    const { id } = JSON.parse(stdout) as { id: string };
    const find = (name: string) => cli.runAsAdmin(['agent', 'get', name, '--project', 'edge', '--quiet']);
    expect((await find('web-01')).stdout).toBe(`${id}\n`);
    expect((await find('host-7')).stdout).toBe(`${id}\n`);
  });
});

describe('the project of a command', () => {
  it('can be given by name or id', async () => {
    const { id } = await cli.app.createProject('lab');
    expect((await cli.runAsAdmin(['project', 'get', 'lab', '--quiet'])).stdout).toBe(`${id}\n`);
    expect((await cli.runAsAdmin(['project', 'get', id, '--quiet'])).stdout).toBe(`${id}\n`);
    expect(await cli.runAsAdmin(['token', 'list', '--project', 'edg'])).toMatchObject({
      exitCode: 5,
      stderr: "muster: There is no project 'edg'.\n  Did you mean 'edge'?\n",
    });
  });

  it('must be given if there are several', async () => {
    const { exitCode, stderr } = await cli.runAsAdmin(['token', 'list']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /^muster: There are several projects, and none is chosen\.\n {2}Add --project NAME, or set MUSTER_PROJECT\. The projects:\n/,
    );
    expect(stderr).toContain(`  ${projectID}  edge\n`);
  });

  it('is set by MUSTER_PROJECT unless --project overrides it', async () => {
    const env = { MUSTER_PROJECT: 'edge' };
    const get = (...flags: string[]) => cli.runAsAdmin(['agent', 'list', '--quiet', ...flags], { env });
    expect((await get()).stdout).not.toBe('');
    expect((await get('--project', 'default')).stdout).toBe('');
  });

  it('is asked for once on a terminal, with the command that makes the choice permanent', async () => {
    const token = await cli.runAsAdmin(['token', 'get', 'asked', '--quiet'], {
      columns: 80,
      // The newest comes first; the last one is 'edge' or 'default'.
      answer: { to: /Which one\?/, keys: '\r' },
    });
    expect(token.exitCode).toBe(5);
    expect(token.stderr.match(/Which one\?/g)?.length).toBeGreaterThan(0);
    expect(token.stderr).toMatch(/To use it for all commands, run: export MUSTER_PROJECT=[0-9a-f-]{36}\n/);
    expect(token.stderr).toMatch(/There is no token 'asked' in the project [0-9a-f-]{36}\./);
  });

  it('is the project of the project token, whatever permissions the token has', async () => {
    const project = await cli.app.createProject('own');
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: project.token };
    const { exitCode, stderr } = await cli.run(['token', 'list'], { env });
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('read:token')]);
    const { token } = await cli.app.createToken(project.id, ['read:*']);
    const listed = await cli.run(['token', 'list', '--json'], { env: { ...env, MUSTER_TOKEN: token } });
    expect(JSON.parse(listed.stdout)).toHaveLength(2);
  });

  it('is the project of the profile after it was chosen', async () => {
    await cli.run(['login', '--url', cli.url, '--with-token'], { stdin: cli.app.admin });
    expect((await cli.run(['project', 'get'])).exitCode).toBe(2);
    expect(await cli.run(['project', 'use', 'edge'])).toMatchObject({
      exitCode: 0,
      stderr: "Commands of the profile 'default' now use the project 'edge'.\n",
    });
    expect((await cli.run(['project', 'get', '--quiet'])).stdout).toBe(`${projectID}\n`);
    expect((await cli.runAsAdmin(['project', 'use', 'edge'])).exitCode).toBe(2);
  });
});

describe('a profile that was created while there was one project', () => {
  it('keeps that project when a second one is created, and forgets it when it is deleted', async () => {
    const fresh = await startCliTest();
    try {
      await fresh.run(['login', '--url', fresh.url, '--with-token'], { stdin: fresh.app.admin });
      await fresh.run(['project', 'create', 'second']);
      expect(await fresh.run(['token', 'list', '--quiet'])).toMatchObject({ exitCode: 0, stderr: '' });
      await fresh.run(['project', 'delete', 'default', '--yes']);
      expect(await fresh.run(['project', 'get'])).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('second'),
      });
    } finally {
      await fresh.close();
    }
  });
});

describe('the only project', () => {
  it('does not have to be given', async () => {
    const fresh = await startCliTest();
    const { stdout } = await fresh.runAsAdmin(['project', 'list', '--quiet']);
    expect((await fresh.runAsAdmin(['project', 'get', '--quiet'])).stdout).toBe(stdout);
    await fresh.runAsAdmin(['project', 'delete', 'default', '--yes']);
    expect(await fresh.runAsAdmin(['token', 'list'])).toMatchObject({
      exitCode: 5,
      stderr: 'muster: There is no project yet.\n  To make one, run: muster project create NAME\n',
    });
    await fresh.close();
  });
});
