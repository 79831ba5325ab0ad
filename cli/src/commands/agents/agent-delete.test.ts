import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;

beforeAll(async () => {
  cli = await startCliTest();
  for (const name of ['ci-1', 'ci-2', 'ci-3']) await cli.runAsAdmin(['agent', 'register', name]);
  cli.app.clock.advance(2 * 86_400_000);
  await cli.runAsAdmin(['agent', 'register', 'web']);
});
afterAll(() => cli.close());

const names = async () =>
  JSON.parse((await cli.runAsAdmin(['agent', 'list', '--json'])).stdout).map(
    (agent: { name: string }) => agent.name,
  );

describe('muster agent delete with flags', () => {
  it('previews how many match', async () => {
    const preview = (...flags: string[]) => cli.runAsAdmin(['agent', 'delete', ...flags, '--dry-run']);
    expect(await preview('--not-seen-since', '1d')).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '3 agents would be deleted.\n',
    });
    expect((await preview('--name', 'web')).stderr).toBe('1 agent would be deleted.\n');
    expect((await preview('--status', 'offline')).stderr).toBe('No agent matches.\n');
    const json = await preview('--name', 'ci-*', '--json');
    expect(JSON.parse(json.stdout)).toEqual({ agentsCount: 3, dryRun: true });
    expect(await names()).toHaveLength(4);
  });

  it('asks with the number, and deletes after a yes alone', async () => {
    const args = ['agent', 'delete', '--name', 'ci-*', '--not-seen-since', '1d'];
    const question = /Delete 3 agents with their errors and configurations\?/;
    const refused = await cli.runAsAdmin(args);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringMatching(question)]);
    const no = await cli.runAsAdmin(args, { columns: 80, answer: { to: question, keys: 'n' } });
    expect([no.exitCode, await names()]).toEqual([1, expect.arrayContaining(['ci-1'])]);
    const register = () => cli.runAsAdmin(['agent', 'register', 'ci-4']);
    const more = await cli.runAsAdmin(['agent', 'delete', '--name', 'ci-*'], {
      columns: 80,
      answer: { to: question, keys: 'y', meanwhile: register },
    });
    expect([more.exitCode, more.stderr]).toEqual([
      1,
      expect.stringContaining('4 agents match now, and at most 3 may be deleted. None was.'),
    ]);
    const yes = await cli.runAsAdmin(args, { columns: 80, answer: { to: question, keys: 'y' } });
    expect([yes.exitCode, yes.stderr]).toEqual([0, expect.stringContaining('Deleted 3 agents.\n')]);
    expect(await names()).toEqual(['ci-4', 'web']);
  });

  it('needs either a name or a flag', async () => {
    for (const args of [[], ['web', '--status', 'healthy']]) {
      const { exitCode, stderr } = await cli.runAsAdmin(['agent', 'delete', ...args, '--yes']);
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining('Name one agent, or give at least one of'),
      ]);
    }
    expect(await names()).toEqual(['ci-4', 'web']);
  });
});
