import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from './exit-codes.ts';
import { type CliTest, runIn, startCliTest } from './testing/start-cli-test.ts';

let cli: CliTest;

beforeAll(async () => {
  cli = await startCliTest();
});
afterAll(() => cli.close());

const missing = '0192f0a0-0000-7000-8000-000000000000';

async function runWith(token: string, args: readonly string[]) {
  return cli.run(args, { env: { MUSTER_URL: cli.url, MUSTER_TOKEN: token } });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('the exit code', () => {
  it('is named by the help as it is documented', async () => {
    const { stdout } = await cli.run(['--help']);
    const listed = stdout.slice(stdout.indexOf('Exit codes:')).matchAll(/(\d) ([a-z ]+)/g);
    expect([...listed].map(([, code, meaning]) => [Number(code), meaning])).toEqual([
      [exitCodes.ok, 'done'],
      [exitCodes.failed, 'failed'],
      [exitCodes.usage, 'wrong usage'],
      [exitCodes.notSignedIn, 'not signed in'],
      [exitCodes.forbidden, 'forbidden'],
      [exitCodes.notFound, 'not found'],
      [exitCodes.warnings, 'warnings'],
      [exitCodes.differs, 'would change'],
    ]);
  });

  it('is 0 after success', async () => {
    expect(await cli.runAsAdmin(['project', 'list'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('is 1 when the service refuses the request', async () => {
    expect(await cli.runAsAdmin(['project', 'create', 'x'.repeat(129)])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/^muster: .*128/),
    });
  });

  it('is 1 when no server listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${portOf(server)}`;
    await new Promise((resolve) => server.close(resolve));
    const env = { MUSTER_URL: url, MUSTER_TOKEN: cli.app.admin };
    const { exitCode, stdout, stderr } = await cli.run(['project', 'list', '--json'], { env });
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^muster: .*http:\/\/127\.0\.0\.1:\d+.*ECONNREFUSED.*\n {2}'muster status' shows/);
  });

  it('is 1 when another program answers', async () => {
    const server = createServer((_, response) => response.end('<html>It works!</html>')).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => server.once('listening', resolve));
    const env = { MUSTER_URL: `http://127.0.0.1:${portOf(server)}`, MUSTER_TOKEN: cli.app.admin };
    const { exitCode, stderr } = await cli.run(['whoami'], { env });
    server.close();
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^muster: .*not.*\n {2}'muster status'/is)]);
  });

  it.each([
    [['tokens'], "muster: unknown command 'tokens'\n(Did you mean token?)\n"],
    [['token', 'lst'], "muster: unknown command 'lst'\n(Did you mean list?)\n"],
    [['token', 'list', '--jsn'], "muster: unknown option '--jsn'\n(Did you mean --json?)\n"],
    [['token', 'list', '--json', '--quiet'], "'--json' cannot be used with option '-q, --quiet'"],
    [['token', 'list', '--last', '0'], "argument '0' is invalid. It takes a whole number of 1 or more."],
    [['token', 'list', '--last', '1', '--all'], "'--last <n>' cannot be used with option '--all'"],
    [['token', 'create'], "missing required argument 'name'"],
    [
      ['token', 'create', 'x', '--preset', 'admin'],
      'Allowed choices are agent, core_instance, viewer, operator.',
    ],
    [['token', 'create', 'x', '--permission', 'creat:agent'], "did you mean 'create:agent'?"],
    [['token', 'create', 'x', '--expires', 'soon'], 'It takes how long (90d, 12h, 30min, 2w)'],
    [['token', 'update', 'x'], 'muster: There is nothing to change.\n  Add --name'],
    [['error', 'dismiss', missing], 'muster: The reason is missing.\n  Add --reason TEXT.'],
    [['error', 'dismiss', 'x', '--reason', 'y'], "muster: 'x' is not the id of an error."],
    [['error', 'list', '--since', 'yesterday'], 'It takes how long ago'],
    [['agent', 'update', 'x', '--config', '/nowhere'], 'muster: /nowhere cannot be read: ENOENT'],
    [['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish.'],
    [['project', 'delete', missing], 'There is no terminal to ask on.\n  Add --yes to answer it.'],
  ])('is 2 for %j', async (args, message) => {
    const { exitCode, stdout, stderr } = await cli.runAsAdmin(args);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });

  it('is 3 when the user is not signed in', async () => {
    expect(await runIn(cli.home, ['token', 'list'], {})).toEqual({
      exitCode: 3,
      stdout: '',
      stderr:
        'muster: You are not signed in to http://127.0.0.1:7400.\n  Run: muster login --url http://127.0.0.1:7400\n',
    });
  });

  it('is 3 for an expired or revoked credential', async () => {
    const project = await cli.app.createProject();
    const made = await cli.runAsAdmin([
      ...['token', 'create', 'short', '--project', project.id],
      ...['--preset', 'viewer', '--expires', '1h', '--quiet'],
    ]);
    const token = made.stdout.trim();
    expect((await runWith(token, ['token', 'list'])).exitCode).toBe(0);
    cli.app.clock.advance(3_600_001);
    expect(await runWith(token, ['token', 'list', '--quiet'])).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringMatching(
        /^muster: Expired credential: .*\n {2}The token is the one in MUSTER_TOKEN\. Correct it, or unset MUSTER_TOKEN to use the profile that is signed in\.\n$/,
      ),
    });
    const { id } = await cli.app.createToken(project.id, ['read:*']);
    const revoked = await cli.app.createToken(project.id, ['read:*']);
    await cli.runAsAdmin(['token', 'revoke', revoked.id, '--yes']);
    expect(id).not.toBe(revoked.id);
    expect((await runWith(revoked.token, ['whoami'])).exitCode).toBe(3);
  });

  it('is 4 when the credential lacks the permission', async () => {
    const project = await cli.app.createProject();
    expect(await runWith(project.token, ['token', 'list', '--quiet'])).toEqual({
      exitCode: 4,
      stdout: '',
      stderr: expect.stringMatching(
        /^muster: .*'read:token'.*\n {2}'muster whoami' shows what this credential may do\.\n$/,
      ),
    });
    expect(await runWith(project.token, ['access-token', 'list', '--quiet'])).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining("'muster whoami' shows what kind of credential this is."),
    });
  });

  it.each([
    ['token', 'get', missing],
    ['project', 'get', missing],
    ['agent', 'get', missing],
    ['agent', 'history', missing],
    ['error', 'dismiss', missing, '--reason', 'x'],
    ['error', 'reopen', missing],
    ['token', 'revoke', missing, '--yes'],
    ['agent', 'delete', missing, '--yes'],
    ['access-token', 'revoke', missing, '--yes'],
  ])('is 5 for an unknown resource: %s %s %s %s %s', async (...args) => {
    const given = args.filter((arg) => arg !== undefined);
    expect((await cli.runAsAdmin(given)).exitCode).toBe(5);
  });

  it('is 5 for a resource of another project, as for an unknown one', async () => {
    const [own, other] = [await cli.app.createProject(), await cli.app.createProject()];
    const { token } = await cli.app.createToken(own.id, ['*']);
    const foreign = await cli.app.registerAgent(other);
    const unknown = await runWith(token, ['agent', 'get', missing]);
    const notOurs = await runWith(token, ['agent', 'get', foreign.id]);
    expect(notOurs.exitCode).toBe(5);
    expect(notOurs.stderr.replaceAll(foreign.id, missing)).toBe(unknown.stderr);
    expect((await runWith(token, ['token', 'list', '--project', other.id, '--quiet'])).exitCode).toBe(5);
  });
});
