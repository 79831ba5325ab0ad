import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatInvitationCode, formatProjectToken, formatToken } from '@muster/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../../server/src/testing/eventually.ts';
import { type CliTest, type RunOptions, runIn, startCliTest } from '../../testing/start-cli-test.ts';

const projectID = '0192f0a0-0000-7000-8000-000000000001';
const tokenID = '0192f0a0-0000-7000-8000-000000000002';
const project = formatProjectToken({ projectID, tokenID }, new Uint8Array(32).fill(2));
const access = formatToken('access', new Uint8Array(32).fill(1));
const agent = formatToken('agent', new Uint8Array(32).fill(3));
const invitation = formatInvitationCode(new Uint8Array(32).fill(4));
const masked = (value: string) => `…${value.slice(-4)}`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-scan-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function scan(args: readonly string[], options: RunOptions = {}) {
  return runIn(folder, ['token', 'scan', ...args], options);
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), content);
}

const advice = 'Revoke each: whoever could read the file may have the value. Run: muster token revoke ID';

describe('muster token scan', () => {
  it('prints the place of each credential with its value masked, and exits with 1', async () => {
    write('deploy/agent.yaml', `kind: Secret\ntoken: ${project}\n`);
    write('deploy/bin/core', Buffer.concat([Buffer.from([0, 1, 2, 10]), Buffer.from(agent), Buffer.of(0)]));
    write('notes.txt', `${access} ${invitation}`);
    const { exitCode, stdout, stderr } = await scan(['.']);
    expect(stdout.split('\n')).toEqual([
      `deploy/agent.yaml:2:8: project token mst_p_${masked(project)} (id ${tokenID})`,
      `deploy/bin/core:2:1: agent token mst_a_${masked(agent)}`,
      `notes.txt:1:1: access token mst_u_${masked(access)}`,
      `notes.txt:1:57: invitation mst_i_${masked(invitation)}`,
      '',
    ]);
    expect([exitCode, stderr]).toEqual([1, `muster: Found 4 credentials.\n  ${advice}\n`]);
  });

  it('prints nothing and exits with 0 if there is none', async () => {
    write('a.txt', `${access.slice(0, -1)}x\nmst_p_…wXyZ\n${project.slice(5)}`);
    expect(await scan(['a.txt', '-'], { stdin: 'nothing' })).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(await scan(['--json', '.'])).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' });
  });

  it('prints JSON, and places alone', async () => {
    write('a', `\n ${project}`);
    const { stdout } = await scan(['--json', 'a', '-'], { stdin: access });
    expect(JSON.parse(stdout)).toEqual([
      {
        ...{ file: 'a', line: 2, column: 2, kind: 'project', token: `mst_p_${masked(project)}` },
        ...{ projectID, tokenID },
      },
      {
        ...{ file: '-', line: 1, column: 1, kind: 'access', token: `mst_u_${masked(access)}` },
        ...{ projectID: null, tokenID: null },
      },
    ]);
    expect((await scan(['-q', 'a'])).stdout).toBe('a:2:2\n');
  });

  it('follows no links in directories, so that loops do not matter', async () => {
    write('a/file', access);
    symlinkSync('..', join(folder, 'a', 'loop'));
    symlinkSync('file', join(folder, 'a', 'link'));
    expect((await scan(['-q', 'a'])).stdout).toBe('a/file:1:1\n');
    expect((await scan(['-q', 'a/link'])).stdout).toBe('a/link:1:1\n');
  });

  it('leaves out what is excluded', async () => {
    write('a/one', access);
    write('a/two/three', access);
    const { stdout, exitCode } = await scan(['-q', '.', '--exclude', 'a/two', '--exclude', './a/one']);
    expect([exitCode, stdout]).toEqual([0, '']);
  });

  it('tells what it could not read, and exits with 2 if nothing was found', async () => {
    const missing = await scan(['missing']);
    expect(missing).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'missing could not be read: it does not exist.\nmuster: 1 path could not be read.\n',
    });
    write('a', access);
    const both = await scan(['-q', 'missing', 'a']);
    expect(both).toEqual({
      exitCode: 1,
      stdout: 'a:1:1\n',
      stderr: `missing could not be read: it does not exist.\nmuster: Found 1 credential.\n  ${advice}\n`,
    });
  });

  it('goes on after a file that fails while it is read', async () => {
    write('a', access);
    const { exitCode, stdout, stderr } = await scan(['-q', '/proc/self/mem', 'a']);
    expect([exitCode, stdout]).toEqual([1, 'a:1:1\n']);
    expect(stderr).toMatch(/^\/proc\/self\/mem could not be read: E\w+\.\n/);
  });

  it('opens no device and no named pipe, because reading one may never end', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const refused = (path: string, kind: string) =>
      `${path} could not be read: it is a ${kind}, which may have no end. To scan what it sends, pass that to standard input: 'muster token scan -'.\n`;
    expect(await scan(['/dev/zero', 'pipe'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `${refused('/dev/zero', 'device')}${refused('pipe', 'named pipe')}muster: 2 paths could not be read.\n`,
    });
  });

  it('leaves out the pipes and sockets of a directory, and says so', async () => {
    write('run/a', access);
    for (const name of ['one', 'two']) execFileSync('mkfifo', [join(folder, 'run', name)]);
    const server = createServer().listen(join(folder, 'run', 'socket'));
    await once(server, 'listening');
    const outcome = await scan(['-q', '.']);
    server.close();
    expect(outcome).toEqual({
      exitCode: 1,
      stdout: 'run/a:1:1\n',
      stderr: `run: left out 2 named pipes, 1 socket.\nmuster: Found 1 credential.\n  ${advice}\n`,
    });
  });

  it('leaves out the files that the kernel makes', async () => {
    expect(await scan(['/proc/self'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '/proc/self: left out, because its files are made by the kernel, and some have no end.\n',
    });
  });
});

describe('muster token scan --git', () => {
  const git = (...args: readonly string[]) =>
    execFileSync(
      'git',
      [
        '-C',
        folder,
        '-c',
        'user.name=Ada',
        '-c',
        'user.email=ada@example.com',
        '-c',
        'init.defaultBranch=main',
        ...args,
      ],
      { stdio: 'pipe' },
    ).toString();

  it('finds what was removed since, in files, messages and stashes, each version once', async () => {
    git('init');
    write('conf/a b.yml', `token: ${project}\n`);
    git('add', '.');
    git('commit', '-m', 'Begin');
    const blob = git('rev-parse', 'HEAD:conf/a b.yml').slice(0, 12);
    rmSync(join(folder, 'conf'), { recursive: true });
    write('other', 'nothing');
    git('add', '-A');
    git('commit', '-m', `Forget ${access}`);
    write('other', agent);
    git('stash');
    const stashed = git('rev-parse', 'stash:other').slice(0, 12);
    const { exitCode, stdout, stderr } = await scan(['--git', '.']);
    const places = stdout
      .trim()
      .replaceAll(/^commit \w{12}:\d+:\d+/gm, 'commit')
      .split('\n')
      .sort();
    // The two commits of the stash repeat the message of the commit before.
    const inMessage = `commit: access token mst_u_${masked(access)}`;
    expect(places).toEqual(
      [
        ...[inMessage, inMessage, inMessage],
        `${blob}:conf/a b.yml:1:8: project token mst_p_${masked(project)} (id ${tokenID})`,
        `${stashed}:other:1:1: agent token mst_a_${masked(agent)}`,
      ].sort(),
    );
    expect([exitCode, stderr]).toEqual([
      1,
      `muster: Found 5 credentials.\n  ${advice} To see the commits of a version: git log --all --find-object=ID\n`,
    ]);
  });

  it('tells of a directory that is no repository, and exits with 2', async () => {
    const { exitCode, stderr } = await scan(['--git', '.'], { env: { GIT_CEILING_DIRECTORIES: folder } });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      / could not be read: fatal: not a git repository.*\nmuster: 1 path could not be read\.\n$/,
    );
  });

  it('takes no standard input', async () => {
    expect(await scan(['--git', '-'])).toMatchObject({
      exitCode: 2,
      stderr: 'muster: --git takes directories of repositories, and no --exclude.\n',
    });
  });
});

describe('muster token scan --report', () => {
  let cli: CliTest;

  beforeAll(async () => {
    cli = await startCliTest();
  });
  afterAll(() => cli.close());

  it('sends each value once, without a credential, and says so', async () => {
    const { id, token } = await cli.app.createToken((await cli.app.createProject()).id, []);
    writeFileSync(join(cli.home, 'agent.yaml'), `\n${token}\n${token}`);
    const env = { MUSTER_URL: cli.url };
    const { exitCode, stdout, stderr } = await cli.run(['token', 'scan', '-q', '--report', 'agent.yaml'], {
      env,
    });
    expect([exitCode, stdout]).toEqual([1, 'agent.yaml:2:1\nagent.yaml:3:1\n']);
    expect(stderr).toBe(
      `Reported 1 credential to ${cli.url}. It does not say which are valid.\nmuster: Found 2 credentials.\n  ${advice}\n`,
    );
    await eventually(async () => {
      const { body } = await cli.app.request('GET', `/v1/project_tokens/${id}`, {
        as: { access: cli.app.admin },
      });
      expect(body).toMatchObject({ status: 'revoked', leakSource: 'agent.yaml:2' });
    });
  });

  it('sends nothing if nothing was found, and needs no server for that', async () => {
    const env = { MUSTER_URL: 'http://127.0.0.1:9' };
    const outcome = await cli.run(['token', 'scan', '--report', '-'], { env, stdin: 'nothing' });
    expect(outcome).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('takes --found-at only with --report', async () => {
    expect(await scan(['--found-at', 'https://git.example', '-'])).toMatchObject({
      exitCode: 2,
      stderr: 'muster: --found-at and --profile need --report.\n',
    });
  });
});
