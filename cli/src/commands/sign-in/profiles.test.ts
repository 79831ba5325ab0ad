import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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

function login(flags: readonly string[] = [], token = cli.app.admin) {
  return cli.run(['login', '--with-token', '--url', cli.url, ...flags], { stdin: `${token}\n` });
}

describe('a profile', () => {
  const signInToBoth = async () => {
    await login();
    const flags = ['login', '--url', other.url, '--profile', 'staging', '--with-token'];
    await cli.run(flags, { stdin: other.app.admin });
  };

  it('is listed, selected and deleted', async () => {
    await signInToBoth();
    expect(JSON.parse((await cli.run(['profile', 'list', '--json'])).stdout)).toEqual([
      { name: 'default', url: cli.url, project: expect.any(String), isInUse: false, isSignedIn: true },
      { name: 'staging', url: other.url, project: expect.any(String), isInUse: true, isSignedIn: true },
    ]);
    expect(await cli.run(['profile', 'use', 'default'])).toMatchObject({ exitCode: 0 });
    expect((await cli.run(['whoami'])).stdout).toContain(cli.url);
    expect(await cli.run(['profile', 'delete', 'staging'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Add --yes to answer it.'),
    });
    expect((await cli.run(['profile', 'delete', 'staging', '--yes'])).exitCode).toBe(0);
    expect((await cli.run(['profile', 'list', '--quiet'])).stdout).toBe('default\n');
    expect(readdirSync(config('credentials'))).toEqual(['default.json']);
  });

  it('is selected by MUSTER_PROFILE, and by --profile with precedence over the environment', async () => {
    await signInToBoth();
    const urlWith = async (args: string[], env: Record<string, string> = {}) =>
      /server +(\S+)/.exec((await cli.run(['whoami', ...args], { env })).stdout)?.[1];
    expect(await urlWith([])).toBe(other.url);
    expect(await urlWith([], { MUSTER_PROFILE: 'default' })).toBe(cli.url);
    expect(await urlWith([], { MUSTER_URL: cli.url })).toBe(cli.url);
    expect(await urlWith(['--profile', 'staging'], { ...cli.admin, MUSTER_PROFILE: 'default' })).toBe(
      other.url,
    );
    expect(await urlWith([], { ...cli.admin, MUSTER_PROFILE: 'nowhere' })).toBe(cli.url);
  });

  it('that does not exist is refused with a list of the existing ones', async () => {
    await signInToBoth();
    expect(await cli.run(['whoami', '--profile', 'prod'])).toMatchObject({
      exitCode: 5,
      stderr:
        "muster: There is no profile 'prod'. There are: default, staging.\n  To make it, run: muster login --profile prod --url URL\n",
    });
  });

  it('sends its token only to its own server', async () => {
    await login();
    expect(await cli.run(['whoami'], { env: { MUSTER_URL: other.url } })).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: `muster: You are not signed in to ${other.url}.\n  Run: muster login --url ${other.url}\n`,
    });
    writeFileSync(config('profiles', 'default.json'), JSON.stringify({ url: other.url }));
    expect((await cli.run(['whoami'])).exitCode).toBe(3);
  });

  it('is not used while others can read its token', async () => {
    await login();
    const file = config('credentials', 'default.json');
    chmodSync(file, 0o644);
    expect(await cli.run(['whoami'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `muster: ${file} holds a secret, but other users of this machine can open it (mode 0644), so it is not used.\n  Run: chmod 600 ${file}\n  If others may have read it, revoke that token and sign in with a new one.\n`,
    });
    chmodSync(file, 0o600);
    expect((await cli.run(['whoami'])).exitCode).toBe(0);
  });

  it('with a damaged file is refused with the name of the file', async () => {
    await login();
    const file = config('profiles', 'default.json');
    writeFileSync(file, '{"url":');
    expect(await cli.run(['whoami'])).toMatchObject({
      exitCode: 1,
      stderr: `muster: ${file} is not valid JSON.\n  Correct it, or remove it and sign in again: rm ${file}\n`,
    });
  });

  it('is not lost when many are created at once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
    await Promise.all(names.map((name) => login(['--profile', name])));
    expect((await cli.run(['profile', 'list', '--quiet'])).stdout.trim().split('\n')).toEqual(names);
    expect(readdirSync(config('credentials')).filter((file) => !file.endsWith('.json'))).toEqual([]);
  });
});

describe('muster logout', () => {
  it('removes the token and keeps the address', async () => {
    await login();
    expect(await cli.run(['logout'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: "Signed out: the token of 'default' is removed.\n",
    });
    expect(await cli.run(['whoami'])).toMatchObject({
      exitCode: 3,
      stderr: `muster: You are not signed in to ${cli.url}.\n  Run: muster login --url ${cli.url} --profile default\n`,
    });
    expect(await cli.run(['logout'])).toMatchObject({
      exitCode: 0,
      stderr: "There was no token of 'default'.\n",
    });
  });
});
