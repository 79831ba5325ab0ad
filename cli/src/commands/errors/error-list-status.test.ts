import type { AgentError } from '@muster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callAgentErrors } from '../../../../server/src/testing/calls/agent-error-calls.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let projectID = '';

const texts = Array.from({ length: 240 }, (_, index) => `fault ${String(index).padStart(3, '0')}`);
const newestFirst = texts.toReversed();
const isDismissed = (text: string) => Number(text.slice(-3)) % 2 === 0;
const dismissed = newestFirst.filter(isDismissed);
const open = newestFirst.filter((text) => !isDismissed(text));

beforeAll(async () => {
  cli = await startCliTest();
  const calls = callAgentErrors(cli.app);
  const project = await cli.app.createProject('edge');
  projectID = project.id;
  const { id } = await cli.app.registerAgent(project);
  const { body } = await calls.reportAll(
    project,
    id,
    texts.map((error) => ({ error })),
  );
  await Promise.all(body.filter((_, index) => index % 2 === 0).map((one) => calls.dismiss(one.id)));
});
afterAll(() => cli.close());

const run = (...flags: string[]) => cli.runAsAdmin(['error', 'list', '--project', projectID, ...flags]);

async function listed(...flags: string[]): Promise<string[]> {
  const { exitCode, stdout, stderr } = await run('--json', ...flags);
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^(These are the newest 100\..*\n)?$/)]);
  return (JSON.parse(stdout) as AgentError[]).map(({ error }) => error); // what the API answers
}

describe('muster error list', () => {
  it('lists the newest 100 open errors, and says how to list the others', async () => {
    expect(await listed()).toEqual(open.slice(0, 100));
    expect((await run()).stderr).toBe(
      'These are the newest 100. There are more: --last N shows N, --all shows all.\n',
    );
  });

  it('lists the number of open errors that --last sets', async () => {
    expect(await listed('--last', '3')).toEqual(open.slice(0, 3));
    expect(await listed('--all')).toEqual(open);
  });

  it('lists dismissed errors with --status dismissed', async () => {
    expect(await listed('--status', 'dismissed')).toEqual(dismissed.slice(0, 100));
    expect(await listed('--status', 'dismissed', '--last', '3')).toEqual(dismissed.slice(0, 3));
    expect(await listed('--status', 'dismissed', '--all')).toEqual(dismissed);
  });

  it('lists open and dismissed errors with --status all, and marks which is which', async () => {
    expect(await listed('--status', 'all', '--all')).toEqual(newestFirst);
    expect(await listed('--status', 'all', '--last', '4')).toEqual(newestFirst.slice(0, 4));
    const { stdout } = await run('--status', 'all', '--last', '2');
    expect(stdout).toMatch(
      /^ID .*\n\S+ {2}web-01 {2}open .* fault 239\n\S+ {2}web-01 {2}dismissed .* fault 238\n$/,
    );
  });

  it.each([
    [[], 'No open errors of current configurations match'],
    [['--status', 'open'], 'No open errors match'],
    [['--status', 'superseded'], 'No superseded errors match'],
    [['--status', 'dismissed'], 'No dismissed errors match'],
    [['--status', 'all'], 'No errors match'],
  ])('with %j says that no error matches the filter', async (flags, none) => {
    expect(await run('--match', 'no such text', ...flags)).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `${none} --match 'no such text'. Leave out that filter to see more.\n`,
    });
  });

  it.each([
    [[], 'No open errors of current configurations. --status all lists the others too.\n'],
    [['--status', 'open'], 'No open errors. --status dismissed lists dismissed errors.\n'],
    [['--status', 'superseded'], 'No superseded errors.\n'],
    [['--status', 'dismissed'], 'No dismissed errors.\n'],
    [['--status', 'all'], 'No errors, neither open nor dismissed.\n'],
  ])('with %j in an empty project says which errors are missing', async (flags, stderr) => {
    const { id } = await cli.app.createProject('empty');
    const list = await cli.runAsAdmin(['error', 'list', '--project', id, ...flags]);
    expect(list).toEqual({ exitCode: 0, stdout: '', stderr });
  });

  it('refuses an unknown status, and lists the valid ones', async () => {
    expect(await run('--status', 'closed')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('Allowed choices are current, superseded, open, dismissed, all.'),
    });
  });
});
