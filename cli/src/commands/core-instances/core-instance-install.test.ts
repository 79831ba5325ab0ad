import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let folder: string;

beforeAll(async () => {
  cli = await startCliTest();
  folder = mkdtempSync(join(tmpdir(), 'muster-install-'));
  for (const [name, text] of Object.entries({
    access: cli.app.admin,
    empty: '',
    project: (await cli.app.createProject('plants')).token,
  }))
    writeFileSync(join(folder, name), text);
  chmodSync(folder, 0o700);
});
afterAll(async () => {
  await cli.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => void vi.spyOn(process, 'getuid').mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

/** With no systemctl on its path, so that nothing is installed. */
const install = (args: readonly string[], env: Record<string, string> = {}) =>
  cli.run(['core-instance', 'install', ...args], { env: { PATH: folder, ...env } });

const url = ['--url', 'https://muster.example.com'];

describe('muster core-instance install', () => {
  it('is for root', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(1_000);
    expect(await install([...url, '--joined'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'muster: It writes settings of the system: run it as root.\n',
    });
  });

  it.each<[string, readonly string[], string]>([
    ['no address', ['--joined'], 'It needs --url, the address of the service.'],
    ['no address of a server', ['--url', 'ftp://x', '--joined'], "--url is 'ftp://x', but it takes"],
    [
      'no place to listen',
      [...url, '--joined', '--listen', 'here'],
      "--listen is 'here', but it takes HOST:PORT",
    ],
    [
      'a port that there is not',
      [...url, '--joined', '--listen', '0.0.0.0:70000'],
      "--listen is '0.0.0.0:70000'",
    ],
    [
      'any port',
      [...url, '--joined', '--listen', '0.0.0.0:0'],
      '--listen needs a port that agents can be told',
    ],
    [
      'a pin of another form',
      [...url, '--joined', '--pin', 'sha256//short='],
      "--pin has 'sha256//short=', but it takes sha256// and the SHA-256 of a public key in Base64",
    ],
    ['no token', url, 'It needs --token-file, a file with a project token that may create a core instance'],
    [
      'a token and --joined',
      [...url, '--joined', '--token-file', 'x'],
      '--joined and --token-file exclude each other.',
    ],
  ])('is refused with %s', async (_, args, message) => {
    const { exitCode, stdout, stderr } = await install(args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`muster: ${message}`);
  });

  it.each([
    [
      'access',
      2,
      'holds no project token.\n  To make one, run where you are signed in: muster core-instance create NAME\n',
    ],
    ['empty', 2, 'holds no token.\n'],
    ['missing', 1, 'cannot be read: ENOENT'],
  ])('is refused with a token file that is: %s', async (file, code, message) => {
    const { exitCode, stderr } = await install([...url, '--token-file', join(folder, file)]);
    expect(exitCode).toBe(code);
    expect(stderr).toContain(join(folder, file));
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('muster-core-instance.service');
  });

  it('changes nothing where there is no systemd', async () => {
    const { exitCode, stderr } = await install(
      ['--name', 'plant-7', '--token-file', join(folder, 'project')],
      {
        MUSTER_URL: 'muster.example.com',
      },
    );
    expect([exitCode, stderr]).toEqual([
      1,
      'muster: This machine has no systemctl: this command installs a unit of systemd.\n  Nothing was changed. To run the core instance without systemd, let something else start it and keep it running: muster core-instance start --url https://muster.example.com --name plant-7 --listen 0.0.0.0:7410 --state-directory FOLDER --token-file FILE\n',
    ]);
  });
});
