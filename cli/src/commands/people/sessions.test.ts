import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestBrowser } from '../../../../server/src/testing/receivers/test-browser.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let browser: TestBrowser;

beforeAll(async () => {
  cli = await startCliTest();
});
afterAll(() => cli.close());

beforeEach(async () => {
  browser = new TestBrowser(cli.app);
});

describe('muster login --web', () => {
  it('prints a link that signs a browser in, and changes no profile', async () => {
    const { exitCode, stdout, stderr } = await cli.runAsAdmin(['login', '--web']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign_in\/link\/mst_l_\w{49}\n$/);
    expect(stderr).toBe(
      'Open the link in a browser and confirm. It works once, within 10 minutes, and is not shown again.\n',
    );
    await browser.open(new URL(stdout.trim()).pathname);
    await browser.open('/sign_in/link');
    expect((await browser.submit('/sign_in/link')).status).toBe(303);
    expect((await cli.run(['whoami'])).exitCode).toBe(3);
  });

  it('signs the command line in first, if it is not', async () => {
    const { exitCode, stdout, stderr } = await cli.run(['login', '--web', '--url', cli.url, '--with-token'], {
      stdin: cli.app.admin,
    });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("Stored as the profile 'default'");
    expect(stdout).toContain('/sign_in/link/mst_l_');
    expect((await cli.run(['login', '--web'])).stdout).toContain('/sign_in/link/mst_l_');
  });
});

describe('muster session', () => {
  it('lists browsers, and revokes one by the end of its id', async () => {
    await browser.signIn(cli.app.admin);
    const { stdout } = await cli.runAsAdmin(['session', 'list']);
    expect(stdout).toMatch(/lightMyRequest\s+127\.0\.0\.1\s+access token/);
    const ids = (await cli.runAsAdmin(['session', 'list', '--quiet'])).stdout.trim().split('\n');
    const [newest = ''] = ids;
    const revoked = await cli.runAsAdmin(['session', 'revoke', newest.slice(-8), '--yes']);
    expect(revoked).toMatchObject({ exitCode: 0, stderr: 'Revoked the session.\n' });
    expect((await browser.call('GET', '/v1/me')).status).toBe(401);
    expect((await cli.runAsAdmin(['session', 'list', '--quiet'])).stdout).not.toContain(newest);
  });

  it('shows administrators the browsers of another user', async () => {
    const { body: ada } = await cli.app.request<{ token: string; userID: string }>(
      'POST',
      '/v1/invitations/sign_up',
      {
        body: {
          code: (await cli.runAsAdmin(['invite', '--role', 'viewer', '--quiet'])).stdout.trim().slice(-55),
          name: 'ada',
        },
      },
    );
    await browser.signIn(ada.token);
    const { stdout } = await cli.runAsAdmin(['session', 'list', '--user', 'ada', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { userID: ada.userID, method: 'access_token', current: false },
    ]);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: ada.token };
    const refused = await cli.run(['session', 'revoke', 'ffffffff', '--yes'], { env });
    expect(refused.exitCode).not.toBe(0);
  });
});
