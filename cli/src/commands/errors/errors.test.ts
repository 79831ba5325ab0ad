import type { AgentError } from '@muster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let agentID = '';
let asAgents: Readonly<Record<string, string>>;

const hostile = 'output \x1b[31mfailed\x1b[0m\nagain \x07';

beforeAll(async () => {
  cli = await startCliTest();
  const { stdout: token } = await cli.runAsAdmin(['token', 'create', 'agents', '--quiet']);
  asAgents = { MUSTER_URL: cli.url, MUSTER_TOKEN: token.trim() };
  const { stdout } = await cli.runAsAdmin(['agent', 'register', 'web-01', '--fleet', 'edge', '--json']);
  agentID = (JSON.parse(stdout) as { id: string }).id;
});
afterAll(() => cli.close());

const report = (text: string, ...flags: string[]) =>
  cli.run(['error', 'create', text, ...(flags.length > 0 ? flags : ['--machine', 'web-01'])], {
    env: asAgents,
  });

async function list(...flags: string[]): Promise<AgentError[]> {
  const { stdout } = await cli.runAsAdmin(['error', 'list', '--json', ...flags]);
  return JSON.parse(stdout) as AgentError[]; // what the API answers
}

describe('muster error create', () => {
  it('reports for a machine, and says when a report was ignored', async () => {
    expect(await report('disk full')).toMatchObject({ exitCode: 0, stderr: 'Created.\n' });
    expect(await report('disk full')).toMatchObject({
      exitCode: 0,
      stderr: 'Ignored: the same error is already open; the repeat was counted.\n',
    });
    expect(await report('of an agent', '--agent', agentID)).toMatchObject({ exitCode: 0 });
    expect(await list('--agent', 'web-01')).toMatchObject([
      { error: 'of an agent' },
      { error: 'disk full', agentID },
    ]);
  });

  it('requires either a machine or an agent', async () => {
    const { exitCode, stderr } = await report('x', '--machine', 'web-01', '--agent', agentID);
    expect([exitCode, stderr]).toEqual([2, 'muster: Give --machine or --agent, not both.\n']);
    const neither = await cli.run(['error', 'create', 'x'], { env: asAgents });
    expect(neither).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('either --machine or --agent'),
    });
  });

  it('reports for the agent of an agent token, which need not be named', async () => {
    const made = await cli.runAsAdmin(['agent', 'register', 'own-token', '--json']);
    const { id, token } = JSON.parse(made.stdout) as { id: string; token: string };
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token };
    const create = (text: string, ...flags: string[]) =>
      cli.run(['error', 'create', text, ...flags], { env });
    expect(await create('one')).toMatchObject({ exitCode: 0, stderr: 'Created.\n' });
    expect(await create('two', '--agent', 'own-token')).toMatchObject({ exitCode: 0, stderr: 'Created.\n' });
    expect(await create('three', '--agent', id)).toMatchObject({ exitCode: 0, stderr: 'Created.\n' });
    expect((await list('--agent', 'own-token')).map(({ error }) => error)).toEqual(['three', 'two', 'one']);
    expect(await create('four', '--agent', 'web-01')).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        "muster: This token belongs to the agent 'own-token' and cannot report errors of 'web-01'.\n  Leave out --agent, or use a project token.\n",
    });
  });

  it('is refused for an access token', async () => {
    const { exitCode, stderr } = await cli.runAsAdmin(['error', 'create', 'x', '--machine', 'web-01']);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('muster: This command takes a project token, and no other credential.\n');
    expect(stderr).not.toMatch(/X-Project-Token|route/);
  });

  it('cuts a text that is too long with --truncate', async () => {
    expect((await report('x'.repeat(2000))).exitCode).toBe(1);
    expect((await report('x'.repeat(2000), '--machine', 'web-01', '--truncate')).exitCode).toBe(0);
  });
});

describe('muster error list', () => {
  it('shows agent names and texts on one line, with control characters escaped', async () => {
    await report(hostile);
    const { stdout } = await cli.runAsAdmin(['error', 'list', '--last', '1']);
    const [head, line = '', rest] = stdout.split('\n');
    expect(head).toMatch(/^ID +AGENT +TIMES +LAST SEEN +ERROR$/);
    expect(line).toMatch(/ {2}web-01 +1 {2}2026-\S+ {2}output \\x1b\[31mfailed\\x1b\[0m\\nagain \\x07$/);
    expect(rest).toBe('');
    expect(await list('--last', '1')).toMatchObject([{ error: hostile }]);
  });

  it('filters by text, agent, fleet and time', async () => {
    await report('alpha', '--machine', 'db-01');
    cli.app.clock.advance(10 * 60_000);
    await report('beta', '--machine', 'db-01');
    const texts = async (...flags: string[]) =>
      (await list('--agent', 'db-01', ...flags)).map(({ error }) => error);
    expect(await texts()).toEqual(['beta', 'alpha']);
    expect(await texts('--match', 'ALPH')).toEqual(['alpha']);
    expect(await texts('--since', '5min')).toEqual(['beta']);
    expect(await texts('--until', '5min')).toEqual(['alpha']);
    expect(await texts('--fleet', 'edge')).toEqual([]);
    expect((await list('--fleet', 'edge')).length).toBeGreaterThan(0);
  });

  it('shows ids if the credential may not read agents', async () => {
    const { stdout: token } = await cli.runAsAdmin([
      ...['token', 'create', 'errors-only', '--permission', 'read:agent_error', '--quiet'],
    ]);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: token.trim() };
    const { exitCode, stdout, stderr } = await cli.run(['error', 'list', '--fleet', 'edge'], { env });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`  ${agentID}      1  `);
  });
});

describe('muster error dismiss and reopen', () => {
  it('change each error, and do not fail for one that is already in that state', async () => {
    await report('first', '--machine', 'app-01');
    await report('second', '--machine', 'app-01');
    const ids = (await list('--agent', 'app-01')).map(({ id }) => id);
    const dismiss = ['error', 'dismiss', ...ids, '--reason', 'replaced'];
    expect(await cli.runAsAdmin(dismiss)).toEqual({ exitCode: 0, stdout: '', stderr: 'Dismissed: 2.\n' });
    expect(await list('--agent', 'app-01')).toEqual([]);
    expect(await list('--agent', 'app-01', '--status', 'dismissed')).toMatchObject([
      { dismissReason: 'replaced' },
      { dismissReason: 'replaced' },
    ]);
    expect(await cli.runAsAdmin([...dismiss, '--json'])).toEqual({
      exitCode: 0,
      stdout: '[]\n',
      stderr: ids.map((id) => `${id} is dismissed already.\n`).join(''),
    });
    expect(await cli.runAsAdmin(['error', 'reopen', ...ids, '--quiet'])).toEqual({
      exitCode: 0,
      stdout: ids.map((id) => `${id}\n`).join(''),
      stderr: '',
    });
    expect(await list('--agent', 'app-01')).toHaveLength(2);
  });

  it('read ids from standard input for -, even if it is empty', async () => {
    await report('piped', '--machine', 'app-03');
    const ids = (await list('--agent', 'app-03')).map(({ id }) => id);
    const dismiss = ['error', 'dismiss', '-', '--reason', 'replaced'];
    expect(await cli.runAsAdmin(dismiss, { stdin: `${ids.join('\n')}\n` })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Dismissed: 1.\n',
    });
    expect(await cli.runAsAdmin(dismiss, { stdin: '' })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Nothing to do: no ids were given.\n',
    });
    expect(await cli.runAsAdmin([...dismiss, '--json'], { stdin: '' })).toMatchObject({
      exitCode: 0,
      stdout: '[]\n',
    });
    expect(await cli.runAsAdmin(dismiss, { stdin: 'web-01\n' })).toMatchObject({
      exitCode: 2,
      stderr: "muster: 'web-01' is not the id of an error.\n  'muster error list' shows the ids.\n",
    });
    expect((await cli.runAsAdmin(['error', 'reopen', '-'], { stdin: ids.join(' ') })).stderr).toBe(
      'Reopened: 1.\n',
    );
  });

  it('continue after an unknown id, and exit with 5', async () => {
    await report('third', '--machine', 'app-02');
    const [{ id } = { id: '' }] = await list('--agent', 'app-02');
    const missing = '0192f0a0-0000-7000-8000-000000000000';
    const { exitCode, stdout, stderr } = await cli.runAsAdmin([
      ...['error', 'dismiss', missing, id, '--reason', 'gone', '--json'],
    ]);
    expect(exitCode).toBe(5);
    expect(JSON.parse(stdout)).toEqual([{ id, dismissedAt: expect.any(String) }]);
    expect(stderr).toMatch(/^muster: .*\n(.*\n)*muster: 1 of 2 failed\.\n$/);
  });
});
