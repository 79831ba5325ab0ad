import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MusterProcess, startMuster } from '../../server/src/testing/muster-process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'cli/bin/muster.mjs');
/** Without npm and muster, as in a newly opened terminal. */
const shellPath = `${dirname(process.execPath)}:/usr/bin:/bin`;
const adminToken = 'chosen-by-the-operator-of-this-server';

let folder = '';
/** Has `muster`, as an installation does. */
let installedPath = '';
const servers: MusterProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-first-sign-in-'));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(program, join(folder, 'bin/muster'));
  installedPath = `${join(folder, 'bin')}:${shellPath}`;
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.end('SIGKILL')));
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a server for the first time; returns the printed line for signing in, and the address. */
async function startServer(env: Readonly<Record<string, string>>): Promise<{ url: string; line: string }> {
  const server = await startMuster({ env });
  servers.push(server);
  const line = server.stdout.text.match(/^ {2}(.* login --url .*)$/m)?.[1] ?? server.stdout.text;
  return { url: server.url, line };
}

/** Runs a line in a terminal in another folder, as another user would. */
function paste(line: string, env: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(folder, 'home-'));
  const options = { cwd: home, env: { PATH: shellPath, HOME: home, ...env }, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync('sh', ['-c', line], options);
  const profile = join(home, '.config/muster');
  return { status, stderr: stderr.replace(profile, 'the profiles') };
}

describe('the sign-in command that the first start prints', () => {
  it('works in any folder if muster is installed', async () => {
    const dataDirectory = join(folder, "o'brien's data");
    const { url, line } = await startServer({ PATH: installedPath, MUSTER_DATA_DIR: dataDirectory });
    expect(line).toMatch(/^muster login /);
    expect(paste(line, { PATH: installedPath })).toEqual({
      status: 0,
      stderr: `Signed in to ${url} as 'administrator' (access token), with the token from standard input.\nStored as the profile 'default' in the profiles.\n`,
    });
  });

  it('works in another folder if the server runs from a checkout, where only npm knows muster', async () => {
    const path = `${join(root, 'node_modules/.bin')}:${shellPath}`;
    const { line } = await startServer({
      PATH: path,
      INIT_CWD: folder,
      MUSTER_DATA_DIR: join(folder, 'data'),
    });
    expect(line).toMatch(/^node \S+\/cli\/bin\/muster\.mjs login --url /);
    expect(paste(line)).toMatchObject({ status: 0, stderr: expect.stringContaining("as 'administrator'") });
  });

  it('is short for who is in the folder of the checkout', async () => {
    const { line } = await startServer({
      PATH: shellPath,
      INIT_CWD: join(root, 'docs'),
      MUSTER_DATA_DIR: join(folder, 'of-checkout'),
    });
    expect(line).toMatch(/^npx muster login --url /);
  });

  it('takes a token chosen by the operator from the environment, and contains no secret', async () => {
    const { line } = await startServer({ PATH: installedPath, MUSTER_ADMIN_TOKEN: adminToken });
    expect(line).not.toContain(adminToken);
    expect(paste(line, { PATH: installedPath, MUSTER_ADMIN_TOKEN: adminToken })).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("as 'administrator'"),
    });
  });
});
