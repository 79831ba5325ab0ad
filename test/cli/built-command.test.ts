import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MusterProcess, runMusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';

const muster = new URL('../../cli/dist/muster.mjs', import.meta.url).pathname;

let folder = '';
let server: MusterProcess;
let env: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-built-'));
  server = await startMuster({ env: { MUSTER_DATA_DIR: join(folder, 'data') } });
  env = { PATH: process.env.PATH ?? '', HOME: folder, MUSTER_URL: server.url };
  expect((await run(['login'])).stderr).toContain("as 'administrator' (access token)");
});
afterAll(async () => {
  await server.end('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const run = (args: readonly string[]) => runMusterProcess(args, { cwd: folder, env });

/** Runs a shell line in which `muster` is the built command. */
function shell(line: string) {
  const script = `set -o pipefail; muster() { '${process.execPath}' '${muster}' "$@"; }; ${line}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Maximum size of the modules that help loads: less than half of their size with the service. */
const maxHelpBytes = 815_000;

/** The files of all modules that the command loads, according to V8. */
function loadedFiles(args: readonly string[]): string[] {
  const coverage = mkdtempSync(join(folder, 'coverage-'));
  spawnSync(process.execPath, [muster, ...args], { env: { ...env, NODE_V8_COVERAGE: coverage } });
  const scripts = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage; // as V8 writes it
    return result.map(({ url }) => url);
  });
  return [...new Set(scripts)].filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
}

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

describe('the built command', () => {
  it('serves the dashboard', async () => {
    const token = readFileSync(join(folder, 'data/admin-token'), 'utf8').trim();
    const signedIn = await fetch(`${server.url}/sign_in`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
      headers: { origin: server.url },
      redirect: 'manual',
    });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    const page = await fetch(`${server.url}/`, { headers: { cookie, accept: 'text/html' } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script type="module"')]);
  });

  it('signs in with the token that the first start wrote', async () => {
    const { code, stdout } = await run(['status']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^server +http.*\nservice +up, version/)]);
  });

  it('prints a token that a shell variable can take', () => {
    const line =
      'TOKEN=$(muster token create ci --preset operator --quiet) && MUSTER_TOKEN=$TOKEN muster whoami';
    expect(shell(line)).toEqual({
      status: 0,
      stdout: expect.stringContaining("as           'ci' (project token)\n"),
      stderr: '',
    });
  });

  it.each([
    ['muster project get', 0],
    ['muster nothing', 2],
    ['HOME=/nowhere XDG_CONFIG_HOME= muster project list', 3],
    ['muster project get nothing', 5],
  ])('%s exits with %i', (line, status) => {
    expect(shell(line).status).toBe(status);
  });

  it.each([
    'muster project list --all --json',
    'muster project list',
    'muster completion bash',
    'muster --help',
  ])('ends quietly if its reader has closed the pipe: %s', (line) => {
    expect(shell(`${line} | true`)).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('completes its work even if its output is not read', () => {
    expect(shell('muster project create unread 2>/dev/null | true').status).toBe(0);
    expect(shell('muster project get unread --quiet').status).toBe(0);
    expect(shell('muster project delete unread --yes').status).toBe(0);
  });

  it('exits a watch with 0 on Ctrl-C', async () => {
    const watching = new MusterProcess(['error', 'watch', '--project', 'default'], { cwd: folder, env });
    await new Promise((resolve) => watching.child.stderr?.once('data', resolve));
    expect(await watching.end('SIGINT')).toEqual({ code: 0, signal: null });
  });

  it.each(['--version', '--help'])('loads little for %s, so that it starts at once', (flag) => {
    const bytes = loadedFiles([flag]).map((path) => statSync(path).size);
    expect(bytes.length).toBeGreaterThan(0);
    expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(maxHelpBytes);
  });
});

describe('muster completion', () => {
  it('contacts no server', () => {
    const { status, stderr } = shell(
      'MUSTER_URL=http://127.0.0.1:9 HOME=/nowhere muster completion zsh >/dev/null',
    );
    expect([status, stderr]).toEqual([0, '']);
  });
});
