import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settings } from '@muster/server/config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSite } from './run-site.ts';
import { runIn } from './testing/start-cli-test.ts';

const manifest = new URL('../package.json', import.meta.url);
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-cli-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command with only these environment variables. */
async function muster(args: readonly string[], env: Record<string, string> = {}) {
  const { exitCode: status, stdout, stderr } = await runIn(folder, args, { env });
  return { status, stdout, stderr };
}

describe('muster', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
    expect(await muster(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('prints its help and every command', async () => {
    const { status, stdout } = await muster(['--help']);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /serve .*Run the service\.\n.*demo .*Show Muster[^.]*\.\n.*migrate .*Bring the database up to date\./,
    );
  });

  it('prints its help to stderr if no command is given', async () => {
    expect(await muster([])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('Usage: muster'),
    });
  });

  it('suggests the command that was meant', async () => {
    expect(await muster(['serv'])).toEqual({
      status: 2,
      stdout: '',
      stderr:
        "muster: unknown command 'serv'\n(Did you mean serve?)\nRun it with --help for its flags and arguments.\n",
    });
  });
});

describe('the help of a command', () => {
  it.each([40, 80, 120])('is wrapped at words in a terminal of %i columns', async (columns) => {
    for (const command of ['serve', 'core-instance start', 'token create']) {
      const { stdout } = await runIn(folder, [...command.split(' '), '--help'], {
        columns,
        env: { NO_COLOR: '1' },
      });
      const [text = ''] = stdout.split('\nExamples:');
      const tooLong = text
        .split('\n')
        .filter((line) => line.length > columns && /^ +[^\s-]\S* +\S/.test(line));
      expect([command, tooLong]).toEqual([command, []]);
      expect(text).toMatch(/\n {2}--\S+.*\n/);
    }
  });

  it('of the doctor leaves the settings to that of serve, and takes them', async () => {
    const { stdout } = await muster(['doctor', '--help']);
    expect(stdout.match(/^ {2}-.*?(?= {2})/gm)).toEqual(['  --json', '  --bundle <file>', '  -h, --help']);
    expect(stdout).toContain('muster serve');
    expect(await muster(['doctor', '--port', 'x'])).toMatchObject({
      status: 1,
      stdout:
        "FAILURE settings: --port is 'x', but it takes a whole number from 0 to 65535.\n        Correct the setting.\n",
    });
  });
});

describe('muster core-instance start', () => {
  it.each([
    ['--help'],
    ['--urls', 'x'],
    [],
    ['--url', 'https://muster.example.com'],
    ['--url', 'x', '--state-directory', 's', '--tls-cert', 'c'],
    ['more'],
  ])('says the same without the other commands: %s', async (...flags) => {
    const args = ['core-instance', 'start', ...flags];
    const result = await runIn(folder, args, { program: runSite });
    expect(result).toEqual(await runIn(folder, args, {}));
    expect(result.stdout + result.stderr).not.toBe('');
  });
});

describe('muster serve', () => {
  it('has every setting as a flag, with its variable', async () => {
    const { stdout } = await muster(['serve', '--help']);
    for (const { flag, variable } of Object.values(settings)) {
      expect(stdout).toContain(`${flag} <`);
      expect(stdout).toContain(`(${variable}`);
    }
  });

  it('suggests the flag that was meant', async () => {
    expect(await muster(['serve', '--prot', '1'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('(Did you mean --port?)'),
    });
  });

  it('lists every wrong setting on its own line before it starts', async () => {
    const dataDirectory = join(folder, 'never-made');
    const args = ['serve', '--port', 'x', '--data-dir', dataDirectory];
    expect(await muster(args, { MUSTER_RETENTION_DAYS: '-1' })).toEqual({
      status: 2,
      stdout: '',
      stderr: [
        "muster: --port is 'x', but it takes a whole number from 0 to 65535.",
        "muster: MUSTER_RETENTION_DAYS is '-1', but it takes a whole number from 1 to 36500.",
        '',
      ].join('\n'),
    });
  });
});

describe('muster migrate', () => {
  it('lists pending migrations, runs them, and then has none', async () => {
    const flags = ['--data-dir', join(folder, 'data')];
    expect(await muster(['migrate', '--check', ...flags])).toMatchObject({
      status: 1,
      stdout: "Pending, run 'muster migrate' for them:\n  0001-initial\n",
    });
    expect(await muster(['migrate', ...flags])).toMatchObject({
      status: 0,
      stdout: 'Done, the database is up to date:\n  0001-initial\n',
    });
    expect(await muster(['migrate', '--check', ...flags])).toEqual({
      status: 0,
      stdout: 'The database is up to date.\n',
      stderr: '',
    });
  });
});
