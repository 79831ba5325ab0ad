import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;

beforeAll(async () => {
  cli = await startCliTest();
});
afterAll(() => cli.close());

/** Runs the command in the only project and reads its JSON. */
async function readJson<Value>(args: readonly string[]): Promise<Value> {
  const { stdout } = await cli.runAsAdmin([...args, '--json']);
  return JSON.parse(stdout) as Value; // the test says what it expects
}

describe('muster token create', () => {
  it.each([
    [['t', '--expires', '2020-01-01'], '--expires must be in the future.'],
    [
      ['t', '--network', '10.0.0.300/8'],
      '--network must be a network such as 10.0.0.0/8 or 2001:db8::/32, or an address.',
    ],
    [['x'.repeat(129)], 'NAME must have at most 128 characters.'],
  ])('names a refused flag or argument as it was typed: %j', async (args, message) => {
    const result = await cli.runAsAdmin(['token', 'create', ...args]);
    expect(result).toEqual({ exitCode: 1, stdout: '', stderr: `muster: ${message}\n` });
  });

  it('prints only the token with --quiet, and the token works', async () => {
    const { exitCode, stdout, stderr } = await cli.runAsAdmin(['token', 'create', 'ci', '--quiet']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\S+\.mst_p_\w+\n$/);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: stdout.trim() };
    expect((await cli.run(['whoami'], { env })).stdout).toContain("'ci' (project token)");
  });

  it("prints the API's answer with --json", async () => {
    const token = await readJson<object>([
      'token',
      'create',
      'json',
      '--preset',
      'viewer',
      '--expires',
      '90d',
    ]);
    expect(token).toEqual({
      id: expect.any(String),
      token: expect.stringMatching(/\.mst_p_/),
      name: 'json',
      permissions: ['read:*'],
      createdAt: '2026-03-02T10:20:30.456Z',
      expiresAt: '2026-05-31T10:20:30.456Z',
      lastUsedAt: null,
      status: 'active',
      allowedNetworks: null,
      reportsPerSecond: null,
      rotatedAt: null,
      earlierValues: [],
      createdBy: { kind: 'user', id: expect.any(String), name: 'administrator' },
      parentID: null,
      revokedAt: null,
      revokedBy: null,
      revokeReason: null,
      leakedAt: null,
      leakSource: null,
      agentsCount: 0,
    });
  });

  it('grants the permissions of agents by default', async () => {
    expect(await readJson(['token', 'create', 'plain'])).toMatchObject({
      permissions: ['create:agent', 'create:agent_error', 'update:agent', 'read:fleet'],
      expiresAt: null,
    });
    const flags = [
      '--preset',
      'viewer',
      '--permission',
      'create:agent,read:*',
      '--permission',
      'update:agent',
    ];
    expect(await readJson(['token', 'create', 'mixed', ...flags])).toMatchObject({
      permissions: ['read:*', 'create:agent', 'update:agent'],
    });
  });
});

describe('muster token update', () => {
  it('limits a token to networks and a rate, and ends these limits', async () => {
    const limits = ['--network', '10.0.0.0/8,2001:db8::/32', '--reports-per-second', '5'];
    expect(await readJson(['token', 'create', 'limited', ...limits])).toMatchObject({
      allowedNetworks: ['10.0.0.0/8', '2001:db8::/32'],
      reportsPerSecond: 5,
    });
    const ended = ['--network', 'any', '--reports-per-second', 'unlimited'];
    expect(await readJson(['token', 'update', 'limited', ...ended])).toMatchObject({
      allowedNetworks: null,
      reportsPerSecond: null,
    });
  });

  it('changes only the given properties', async () => {
    const before = await readJson<object>(['token', 'create', 'old-name', '--expires', '1h']);
    const after = await readJson<object>([
      'token',
      'update',
      'old-name',
      '--name',
      'new-name',
      '--expires',
      'never',
    ]);
    expect(after).toEqual({
      ...before,
      token: expect.stringMatching(/^mst_p_…/),
      name: 'new-name',
      expiresAt: null,
      status: 'active',
    });
  });
});

describe('muster token rotate', () => {
  it('prints only the new value with --quiet, and says how long the old one is accepted', async () => {
    const { stdout: old } = await cli.runAsAdmin(['token', 'create', 'turned', '--quiet']);
    const rotated = await cli.runAsAdmin(['token', 'rotate', 'turned', '--grace', '24h', '--quiet']);
    expect(rotated).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^\S+\.mst_p_\w+\n$/),
      stderr: 'The old value ends 2026-03-03T10:20:30.456Z.\n',
    });
    for (const token of [old, rotated.stdout]) {
      const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token.trim() };
      expect((await cli.run(['whoami'], { env })).exitCode).toBe(0);
    }
    const { stdout } = await cli.runAsAdmin(['token', 'list', '--status', 'expiring', '--quiet']);
    const { id } = await readJson<{ id: string }>(['token', 'get', 'turned']);
    expect(stdout.trim().split('\n')).toContain(id);
    const shown = (await cli.runAsAdmin(['token', 'get', 'turned'])).stdout;
    expect(shown).toMatch(
      /^status +rotated\nearlier value +mst_p_…\w{4}, ends 2026-03-03T10:20:30.456Z, .*\npermissions .*\nexpires +never, with the value that it has now$/m,
    );
    expect((await cli.runAsAdmin(['token', 'list'])).stdout).toMatch(/ turned +rotated /);
  });

  it('rotates the token that it uses with --self, which keeps the old value until then', async () => {
    const { stdout: old } = await cli.runAsAdmin([
      ...['token', 'create', 'own', '--permission', 'update:own_token', '--quiet'],
    ]);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: old.trim() };
    const { stdout, stderr } = await cli.run(['token', 'rotate', '--self', '--quiet'], { env });
    expect(stderr).toContain('The old value ends when the new one is used.\n');
    expect((await cli.run(['whoami'], { env })).exitCode).toBe(0);
    const newer = { MUSTER_URL: cli.url, MUSTER_TOKEN: stdout.trim() };
    expect((await cli.run(['whoami'], { env: newer })).exitCode).toBe(0);
    expect((await cli.run(['whoami'], { env })).exitCode).toBe(3);
  });

  it('wants a token or --self, and a time that it can read', async () => {
    for (const args of [[], ['turned', '--self'], ['turned', '--grace', '1 day']]) {
      expect((await cli.runAsAdmin(['token', 'rotate', ...args])).exitCode).toBe(2);
    }
  });
});

describe('muster token usage', () => {
  it('shows requests, addresses, programs and agents', async () => {
    const { stdout: token } = await cli.runAsAdmin(['token', 'create', 'used', '--quiet']);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token.trim() };
    await cli.run(['error', 'create', 'disk full', '--machine', 'edge-7'], { env });
    const { stdout } = await cli.runAsAdmin(['token', 'usage', 'used']);
    expect(stdout).toMatch(/^2026-03-02 +1 request$/m);
    expect(stdout).toMatch(/^address +127\.0\.0\.1, /m);
    expect(stdout).toMatch(
      /^agents +1 agent registered or reports with it; if it is revoked, it stops\nlast used /,
    );
    expect(stdout).toMatch(/\nstops +edge-7, last seen \S+\n$/);
  });

  it('counts those that stop first, and lists at most ten of each kind', async () => {
    const { stdout: made } = await cli.runAsAdmin(['token', 'create', 'many', '--quiet']);
    const token = made.trim();
    const unused = await cli.runAsAdmin(['token', 'usage', 'many']);
    expect(unused.stdout).toMatch(/^agents +none registered with it or reports with it\n/);
    for (let agent = 1; agent <= 11; agent += 1) {
      const path = `/v1/machines/stopping-${agent}/errors`;
      await cli.app.request('POST', path, { as: { project: token }, body: { error: 'disk full' } });
      const body = { name: 'web-01', machineID: `lasting-${agent}` };
      await cli.app.request('POST', '/v1/agents', { as: { project: token }, body });
    }
    const { stdout } = await cli.runAsAdmin(['token', 'usage', 'many']);
    expect(stdout).toMatch(
      /^agents +22 agents registered or report with it; if it is revoked, 11 of them stop\n/,
    );
    const listed = stdout.split('\n').filter((line) => /^(stops|goes on) /.test(line));
    const others = Array.from({ length: 10 }, () =>
      expect.stringMatching(/^goes on +web-01, last seen \S+, has a token of its own$/),
    );
    expect(listed).toEqual([
      ...Array.from({ length: 10 }, (_, place) =>
        expect.stringMatching(new RegExp(`^stops +stopping-${11 - place}, last seen \\S+$`)),
      ),
      expect.stringMatching(/^stops +and 1 more$/),
      ...others,
      expect.stringMatching(/^goes on +and 1 more$/),
    ]);
  });

  it('says that an agent with a token of its own goes on, though it reports by machine id too', async () => {
    const { stdout: token } = await cli.runAsAdmin(['token', 'create', 'both', '--quiet']);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token.trim() };
    await cli.run(['error', 'create', 'disk full', '--machine', 'edge-8'], { env });
    await cli.run(['agent', 'register', 'edge-8'], { env });
    const { stdout } = await cli.runAsAdmin(['token', 'usage', 'both']);
    expect(stdout).toMatch(
      /\ngoes on +edge-8, last seen \S+, has a token of its own; only its reports by machine id stop\n$/,
    );
    expect(stdout).toMatch(/^agents +1 agent registered or reports with it; if it is revoked, it goes on\n/);
  });
});

describe('muster token usage of a rotated token', () => {
  it('shows who still uses the earlier value, and until when it is valid', async () => {
    const { stdout: token } = await cli.runAsAdmin(['token', 'create', 'replaced', '--quiet']);
    const rotate = ['token', 'rotate', 'replaced', '--grace', '24h', '--quiet'];
    expect((await cli.runAsAdmin(rotate)).exitCode).toBe(0);
    const before = await cli.runAsAdmin(['token', 'usage', 'replaced']);
    expect(before.stdout).toMatch(
      /^earlier value +mst_p_…\w{4}, ends 2026-03-03T\S+, not used since the rotation$/m,
    );
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token.trim() };
    await cli.run(['error', 'create', 'disk full', '--machine', 'edge-9'], { env });
    const { stdout } = await cli.runAsAdmin(['token', 'usage', 'replaced']);
    expect(stdout).toMatch(
      /^earlier value +mst_p_…\w{4}, ends 2026-03-03T\S+, last used 2026-03-02T\S+\n {2}address +127\.0\.0\.1, 2026-03-02T\S+\n {2}user agent +muster\S+, 2026-03-02T\S+$/m,
    );
  });
});

describe('muster token revoke', () => {
  it('revokes the token at once', async () => {
    const { stdout: token } = await cli.runAsAdmin(['token', 'create', 'doomed', '--quiet']);
    expect(await cli.runAsAdmin(['token', 'revoke', 'doomed', '--yes'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: "Revoked the token 'doomed'.\n",
    });
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token.trim() };
    expect((await cli.run(['whoami'], { env })).exitCode).toBe(3);
    expect((await cli.runAsAdmin(['token', 'delete', 'doomed', '--yes'])).exitCode).toBe(5);
    const revoked = await readJson<{ name: string }[]>(['token', 'list', '--status', 'revoked']);
    expect(revoked.map(({ name }) => name)).toEqual(['doomed']);
  });

  it('shows who revoked it and why', async () => {
    const { id } = await readJson<{ id: string }>(['token', 'create', 'explained']);
    const flags = ['--yes', '--reason', 'left the company', '--revoke-agents'];
    expect(await cli.runAsAdmin(['token', 'revoke', id, ...flags])).toMatchObject({
      exitCode: 0,
      stderr: "Revoked the token 'explained'.\n",
    });
    expect((await cli.runAsAdmin(['token', 'get', id])).stdout).toMatch(
      /revoked by +administrator\nreason +left the company\n/,
    );
  });
});

describe('a confirmation', () => {
  const revoke = (keys: string) =>
    cli.runAsAdmin(['token', 'revoke', 'asked'], {
      columns: 80,
      answer: { to: /Revoke the token 'asked'/, keys },
    });

  it('is required on a terminal before an action that cannot be undone, with no as the default', async () => {
    await cli.runAsAdmin(['token', 'create', 'asked']);
    for (const keys of ['\r', 'n', '\x03']) {
      expect(await revoke(keys)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('Nothing was done.'),
      });
    }
    expect((await cli.runAsAdmin(['token', 'get', 'asked'])).exitCode).toBe(0);
    expect(await revoke('y')).toMatchObject({ exitCode: 0 });
    expect((await cli.runAsAdmin(['token', 'get', 'asked'])).exitCode).toBe(5);
  });
});

describe('muster access-token', () => {
  it('creates, lists and revokes', async () => {
    const { stdout: value, stderr } = await cli.runAsAdmin([
      ...['access-token', 'create', 'laptop', '--expires', '30d', '--quiet'],
    ]);
    expect([value, stderr]).toEqual([expect.stringMatching(/^mst_u_\w{49}\n$/), '']);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: value.trim() };
    expect((await cli.run(['project', 'list'], { env })).exitCode).toBe(0);
    const listed = await readJson<{ name: string; token: string }[]>(['access-token', 'list']);
    expect(listed.map(({ name }) => name)).toEqual(['laptop', 'administrator']);
    expect(JSON.stringify(listed)).not.toContain(value.trim());
    expect((await cli.runAsAdmin(['access-token', 'revoke', 'laptop', '--yes'])).exitCode).toBe(0);
    expect((await cli.run(['project', 'list', '--quiet'], { env })).exitCode).toBe(3);
  });

  it('rotates: the old value goes on for the grace, or ends at once', async () => {
    const create = ['access-token', 'create', 'script', '--quiet'];
    const { stdout: old } = await cli.runAsAdmin(create);
    const works = async (token: string) =>
      (await cli.run(['project', 'list'], { env: { MUSTER_URL: cli.url, MUSTER_TOKEN: token.trim() } }))
        .exitCode;
    const rotate = ['access-token', 'rotate', 'script', '--quiet'];
    const { stdout: second, stderr } = await cli.runAsAdmin([...rotate, '--grace', '1h']);
    expect([second, stderr]).toEqual([expect.stringMatching(/^mst_u_\w{49}\n$/), '']);
    expect([await works(old), await works(second)]).toEqual([0, 0]);
    const { stdout: third } = await cli.runAsAdmin(rotate);
    expect([await works(old), await works(second), await works(third)]).toEqual([3, 3, 0]);
    expect(await cli.runAsAdmin(['access-token', 'rotate', 'nobody'])).toMatchObject({ exitCode: 5 });
  });
});

describe('muster project', () => {
  it('creates, renames and deletes', async () => {
    const { stdout: token, stderr } = await cli.runAsAdmin(['project', 'create', 'edge', '--quiet']);
    expect(stderr).toBe('');
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token.trim() };
    const { stdout: id } = await cli.runAsAdmin(['project', 'get', 'edge', '--quiet']);
    const me = await cli.run(['whoami', '--json'], { env });
    expect(JSON.parse(me.stdout)).toMatchObject({ kind: 'project', projectID: id.trim() });
    expect(await readJson(['project', 'update', 'edge', '--name', 'edge-eu'])).toMatchObject({
      name: 'edge-eu',
    });
    expect((await cli.runAsAdmin(['project', 'delete', 'edge-eu', '--yes'])).stderr).toBe(
      "Deleted the project 'edge-eu'.\n",
    );
    expect((await cli.run(['whoami'], { env })).exitCode).toBe(3);
  });
});
