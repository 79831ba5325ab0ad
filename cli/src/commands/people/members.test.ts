import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let ada: { userID: string; token: string };

beforeAll(async () => {
  cli = await startCliTest();
  const { body } = await cli.app.request<typeof ada>('POST', '/v1/invitations/sign_up', {
    body: { code: (await invite('viewer')).slice(-55), name: 'ada' },
  });
  ada = body;
});
afterAll(() => cli.close());

async function invite(role: string): Promise<string> {
  const { stdout, stderr } = await cli.runAsAdmin(['invite', '--role', role, '--quiet']);
  expect(stderr).toContain(
    'The link is shown once. Whoever opens it joins the project; somebody with an account can also run: muster invitation accept LINK',
  );
  const link = stdout.trim();
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/invitation\/mst_i_\w{49}$/);
  return link;
}

const asAda = (args: readonly string[]) =>
  cli.run(args, { env: { MUSTER_URL: cli.url, MUSTER_TOKEN: ada.token } });

describe('muster member', () => {
  it('lists, changes and removes members by their names', async () => {
    expect((await cli.runAsAdmin(['member', 'list'])).stdout).toMatch(/ada\s+viewer\s+read:\*/);
    const updated = await cli.runAsAdmin(['member', 'update', 'ada', '--role', 'operator', '--json']);
    expect(JSON.parse(updated.stdout)).toMatchObject({ userID: ada.userID, role: 'operator' });
    expect((await asAda(['token', 'create', 'fleet', '--permission', 'read:agent'])).exitCode).toBe(0);
    const removed = await cli.runAsAdmin(['member', 'remove', 'ada', '--yes']);
    expect(removed.stderr).toBe(
      "Removed the member 'ada'.\nStill valid: 1 token that they have created or rotated, and know. To replace them, run: muster token list, and muster token rotate NAME\n",
    );
    expect((await asAda(['token', 'list'])).exitCode).not.toBe(0);
    expect((await asAda(['whoami'])).stderr).toContain('You have access to no project yet.');
    const users = await cli.runAsAdmin(['user', 'list']);
    expect(users.stdout).toMatch(/ada\s+none\s+0/);
    await cli.runAsAdmin(['member', 'add', 'ada', '--permission', 'read:agent,read:project']);
    expect((await asAda(['agent', 'list'])).exitCode).toBe(0);
    expect((await asAda(['whoami'])).stdout).toMatch(/projects\s+default/);
    const ended = await cli.runAsAdmin(['member', 'remove', 'ada', '--revoke-tokens', '--yes']);
    expect(ended.stderr).toBe("Removed the member 'ada'.\nRevoked: 1 token.\n");
  });

  it('needs a role or permissions', async () => {
    for (const flags of [[], ['--role', 'viewer', '--permission', 'read:agent']]) {
      const { exitCode, stderr } = await cli.runAsAdmin(['member', 'add', 'ada', ...flags]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('Give either --role or --permission.')]);
    }
  });
});

describe('muster invitation', () => {
  it('is listed, accepted by somebody who is signed in, and revoked', async () => {
    const link = await invite('viewer');
    const { stdout } = await cli.runAsAdmin(['invitation', 'list', '--quiet']);
    expect(stdout.trim()).toMatch(/^[0-9a-f-]{36}$/);
    expect((await asAda(['invitation', 'accept', link])).stdout).toContain('viewer');
    expect((await asAda(['project', 'list', '--quiet'])).stdout.trim()).toMatch(/^[0-9a-f-]{36}$/);
    const next = await invite('operator');
    await cli.runAsAdmin(['member', 'remove', 'ada', '--yes']);
    expect((await asAda(['invitation', 'accept', next.slice(-55)])).stdout).toContain('operator');
    const last = await invite('owner');
    const elsewhere = { MUSTER_URL: 'http://127.0.0.1:9', MUSTER_TOKEN: cli.app.admin };
    expect(await cli.run(['invitation', 'accept', last], { env: elsewhere })).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: `muster: You are not signed in to ${cli.url}.
  Without an account there, open the link in a browser: that makes one.
  With an account, sign in first. Run: muster login --url ${cli.url}
`,
    });
    const { stdout: left } = await cli.runAsAdmin(['invitation', 'list', '--quiet']);
    expect((await cli.runAsAdmin(['invitation', 'revoke', left.trim(), '--yes'])).exitCode).toBe(0);
    expect((await cli.runAsAdmin(['invitation', 'list', '--quiet'])).stdout).toBe('');
  });
});
