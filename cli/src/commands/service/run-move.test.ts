import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let other: CliTest;

beforeAll(async () => {
  cli = await startCliTest();
  other = await startCliTest();
  for (const [profile, { url, app }] of Object.entries({ a: cli, b: other }))
    await cli.run(['login', '--with-token', '--url', url, '--profile', profile], { stdin: app.admin });
});

afterAll(async () => {
  await cli.close();
  await other.close();
});

describe('muster copy --project', () => {
  it('prints the name of the project without what a terminal would do', async () => {
    const { id } = await cli.app.createProject('edge\u001b[2J');
    const move = () => cli.run(['copy', '--project', id, '--from-profile', 'a', '--to-profile', 'b']);
    const first = await move();
    expect(first).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`the project edge\\x1b[2J is at ${other.url}`),
    });
    expect((await move()).stdout).toBe(`The project edge\\x1b[2J has moved to ${other.url} already.\n`);
  });

  it('cannot be finished once the project is deleted at the source, which asks before', async () => {
    const { id } = await cli.app.createProject('edge');
    const copy = ['copy', '--project', id, '--from-profile', 'a', '--to-profile', 'b'];
    expect(await cli.run(copy)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('count as offline'),
    });
    expect(await cli.run(['project', 'delete', id, '--profile', 'a'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('If it has not arrived there yet, muster copy cannot finish the move'),
    });
  });
});
