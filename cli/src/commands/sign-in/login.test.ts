import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let other: CliTest;

beforeAll(async () => {
  cli = await startCliTest();
  other = await startCliTest();
});
afterAll(async () => {
  await cli.close();
  await other.close();
});
afterEach(() => {
  for (const name of readdirSync(cli.home)) rmSync(join(cli.home, name), { recursive: true });
});

const config = (...parts: string[]) => join(cli.home, '.config', 'muster', ...parts);
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

function login(flags: readonly string[] = [], token = cli.app.admin) {
  return cli.run(['login', '--with-token', '--url', cli.url, ...flags], { stdin: `${token}\n` });
}

describe('muster login', () => {
  it('stores a token that the server accepts, readable only by its owner', async () => {
    expect(await login()).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `Signed in to ${cli.url} as 'administrator' (access token), with the token from standard input.\nStored as the profile 'default' in ${config()}.\n`,
    });
    expect(JSON.parse(readFileSync(config('credentials', 'default.json'), 'utf8'))).toEqual({
      url: cli.url,
      token: cli.app.admin,
    });
    expect(readFileSync(config('profiles', 'default.json'), 'utf8')).not.toContain(cli.app.admin);
    expect(modeOf(config('credentials', 'default.json'))).toBe('600');
    expect([config(), config('credentials'), config('profiles')].map(modeOf)).toEqual(['700', '700', '700']);
    expect(readdirSync(config('credentials'))).toEqual(['default.json']);
    expect(await cli.run(['whoami', '--json'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('says which profile commands have used until then', async () => {
    await login();
    const second = ['login', '--url', cli.url, '--with-token', '--profile', 'second'];
    const said =
      'All commands use it from now on. To use the one before again, run: muster profile use default\n';
    expect((await cli.run(second, { stdin: cli.app.admin })).stderr).toContain(said);
    expect((await cli.run(second, { stdin: cli.app.admin })).stderr).not.toContain(said);
  });

  it('uses XDG_CONFIG_HOME', async () => {
    const env = { XDG_CONFIG_HOME: join(cli.home, 'elsewhere') };
    await cli.run(['login', '--with-token', '--url', cli.url], { env, stdin: cli.app.admin });
    expect(readdirSync(join(cli.home, 'elsewhere'))).toEqual(['muster']);
    expect((await cli.run(['whoami'], { env })).exitCode).toBe(0);
    expect((await cli.run(['whoami'])).exitCode).toBe(3);
  });

  it('gives up a standard input that is too long for a token', async () => {
    const args = ['login', '--with-token', '--url', cli.url];
    expect(await cli.run(args, { stdin: 'x'.repeat(20_000) })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'muster: Standard input cannot be read: it has more than 16384 bytes.\n',
    });
  });

  it('makes an existing directory and file private', async () => {
    mkdirSync(config('credentials'), { recursive: true, mode: 0o755 });
    writeFileSync(config('credentials', 'default.json'), '{}', { mode: 0o644 });
    expect((await login()).exitCode).toBe(0);
    expect(modeOf(config('credentials'))).toBe('700');
    expect(modeOf(config('credentials', 'default.json'))).toBe('600');
  });

  it("finds the administrator's token that a first start wrote on this machine", async () => {
    mkdirSync(join(cli.home, 'data'));
    const file = join(cli.home, 'data', 'admin-token');
    writeFileSync(file, `${cli.app.admin}\n`, { mode: 0o600 });
    expect(await cli.run(['login'], { env: { MUSTER_URL: cli.url } })).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`with the token from ${file}.\n`),
    });
  });

  it('finds that token in MUSTER_DATA_DIR too', async () => {
    const directory = join(cli.home, 'state');
    mkdirSync(directory);
    writeFileSync(join(directory, 'admin-token'), cli.app.admin, { mode: 0o600 });
    const env = { MUSTER_URL: cli.url, MUSTER_DATA_DIR: directory };
    expect((await cli.run(['login'], { env })).exitCode).toBe(0);
  });

  it('finds the server that runs in this folder, whatever its port', async () => {
    mkdirSync(join(cli.home, 'data'));
    writeFileSync(join(cli.home, 'data', 'server-url'), `${cli.url}\n`, { mode: 0o600 });
    writeFileSync(join(cli.home, 'data', 'admin-token'), cli.app.admin, { mode: 0o600 });
    expect(await cli.run(['status'])).toMatchObject({
      exitCode: 3,
      stderr: `muster: You are not signed in to ${cli.url}.\n  Run: muster login --url ${cli.url}\n`,
    });
    expect(await cli.run(['login'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(new RegExp(`^Signed in to ${cli.url} as `)),
    });
  });

  it('asks which server is meant if the profile is for another server on this machine', async () => {
    await cli.run(['login', '--url', other.url, '--with-token'], { stdin: other.app.admin });
    mkdirSync(join(cli.home, 'data'));
    writeFileSync(join(cli.home, 'data', 'server-url'), `${cli.url}\n`, { mode: 0o600 });
    expect(await cli.run(['login', '--with-token'], { stdin: cli.app.admin })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        new RegExp(
          `The profile 'default' is for ${other.url}[^]*muster login --url ${cli.url} --profile NAME`,
        ),
      ),
    });
  });

  it('ignores an address of another machine in that file', async () => {
    mkdirSync(join(cli.home, 'data'));
    writeFileSync(join(cli.home, 'data', 'server-url'), 'https://muster.invalid\n', { mode: 0o600 });
    const { stderr } = await cli.run(['login', '--with-token'], { stdin: cli.app.admin });
    expect(stderr).not.toContain('muster.invalid');
  });

  it('sends that token to no other machine', async () => {
    mkdirSync(join(cli.home, 'data'));
    writeFileSync(join(cli.home, 'data', 'admin-token'), cli.app.admin, { mode: 0o600 });
    expect(await cli.run(['login', '--url', 'https://muster.invalid'])).toMatchObject({
      exitCode: 2,
      stderr:
        'muster: There is no token for https://muster.invalid: no terminal to ask on, and no admin-token in the data directory.\n  Run: muster login --url https://muster.invalid --with-token < FILE\n',
    });
  });

  it('says how to give a token if there is none and no terminal', async () => {
    expect(await cli.run(['login', '--url', cli.url])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(`Run: muster login --url ${cli.url} --with-token < FILE\n`),
    });
  });

  it('asks for the token on a terminal, and does not show it', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['login', '--url', cli.url], {
      columns: 80,
      answer: { to: /Token for .* \(not shown\):/, keys: `${cli.app.admin}\r` },
    });
    expect([exitCode, stdout, stderr]).toEqual([
      0,
      '',
      expect.stringContaining('with the token from the prompt.'),
    ]);
    expect(stderr).not.toContain(cli.app.admin);
  });

  it('stores nothing when the user cancels the prompt', async () => {
    const answer = { to: /not shown/, keys: '\x03' };
    const { exitCode, stderr } = await cli.run(['login', '--url', cli.url], { columns: 80, answer });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('muster: Nothing was done.\n')]);
    expect(readdirSync(cli.home)).toEqual([]);
  });

  it('stores nothing when the server refuses the token', async () => {
    const revoked = 'mst_u_0000000000000000000000000000000000000000000000000';
    const refused = await cli.run(['login', '--url', cli.url, '--with-token'], { stdin: 'x'.repeat(40) });
    expect(refused).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/^muster: .*\n {2}Sign in again/),
    });
    expect(await login([], revoked)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'muster: Standard input holds a token that is mistyped or cut off: its checksum is wrong.\n  Copy the whole token again.\n',
    });
    expect(readdirSync(cli.home)).toEqual([]);
  });

  it.each([
    ['nothing', '', 'Standard input holds no token.'],
    ['a masked token', 'mst_p_…wXyZ', 'Standard input holds a masked token, as lists show it'],
    ['two words', 'two words', 'Standard input holds more than one word'],
    ['an escape sequence', '\x1b[31mtoken', 'Standard input holds more than one word'],
  ])('refuses %s before anything is sent', async (_, token, message) => {
    const { exitCode, stderr } = await login([], token);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`muster: ${message}`)]);
  });

  it('warns about a token on the command line', async () => {
    const { exitCode, stderr } = await cli.run(['login', '--url', cli.url, '--token', cli.app.admin]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('stays in the history of the shell')]);
    expect(stderr).not.toContain(cli.app.admin);
  });

  it('warns about an unencrypted address', async () => {
    const { stderr } = await cli.run(['login', '--url', 'http://muster.example.com', '--profile', 'x']);
    expect(stderr).toContain('Warning: http://muster.example.com is not encrypted');
  });

  it('does not replace the profile of another server by accident', async () => {
    await login();
    expect(await cli.run(['login', '--url', other.url, '--with-token'], { stdin: other.app.admin })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `muster: The profile 'default' is for ${cli.url}.\n  To keep both, give this one a name. Run:\n  muster login --url ${other.url} --profile NAME\n  To replace it, name it: --profile default\n`,
    });
    expect((await cli.run(['whoami', '--json'])).exitCode).toBe(0);
    const replace = ['login', '--url', other.url, '--with-token', '--profile', 'default'];
    expect((await cli.run(replace, { stdin: other.app.admin })).exitCode).toBe(0);
  });

  it('stores the project of a project token', async () => {
    const project = await cli.app.createProject('edge');
    await login([], project.token);
    expect(JSON.parse(readFileSync(config('profiles', 'default.json'), 'utf8'))).toEqual({
      url: cli.url,
      project: project.id,
    });
  });

  it.each(['nonsense://x', 'http://user:password@host', 'http://host/?token=1', 'http://'])(
    'refuses the address %s',
    async (url) => {
      expect((await cli.run(['login', '--url', url])).exitCode).toBe(2);
    },
  );

  it.each(['../../etc/passwd', '.hidden', '', 'a/b', 'x'.repeat(65)])(
    'refuses the profile name "%s"',
    async (name) => {
      expect((await login(['--profile', name])).exitCode).toBe(2);
      expect(readdirSync(cli.home)).toEqual([]);
    },
  );
});
