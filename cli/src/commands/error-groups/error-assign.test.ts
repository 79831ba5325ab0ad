import type { AgentErrorGroup } from '@muster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetWithCauses } from '../../testing/fleet-with-causes.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let groups: string[];

beforeAll(async () => {
  cli = await startCliTest();
  const fleet = await FleetWithCauses.create(cli);
  groups = [await fleet.groupID('dumy'), await fleet.groupID('10.0.0.')];
});
afterAll(() => cli.close());

const run = (verb: string, of: readonly string[], ...flags: string[]) =>
  cli.runAsAdmin(['error', verb, ...of, '--project', 'edge', ...flags]);

async function read(group = ''): Promise<AgentErrorGroup> {
  return JSON.parse((await run('get', [group], '--json')).stdout) as AgentErrorGroup; // what the API answers
}

describe('muster error assign', () => {
  it('assigns many groups to oneself, with a note and a link', async () => {
    const link = 'https://tickets.example.com/4711';
    const { exitCode, stdout, stderr } = await run(
      'assign',
      groups,
      '--to',
      'me',
      '--note',
      'Known',
      '--link',
      link,
    );
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^Assigned to 'administrator': /),
      expect.stringMatching(/^Assigned to 'administrator': /),
    ]);
    for (const group of groups)
      expect(await read(group)).toMatchObject({ assignee: { name: 'administrator' }, note: 'Known', link });
    const shown = await cli.runAsAdmin(['error', 'get', groups[0] ?? '', '--project', 'edge'], {
      columns: 80,
    });
    expect(shown.stdout).toMatch(/\nassigned to +administrator\nnote +Known\nlink +https:/);
  });

  it('removes what is given as empty, and leaves the rest', async () => {
    const [group = ''] = groups;
    expect((await run('assign', [group], '--nobody', '--note', '')).exitCode).toBe(0);
    expect(await read(group)).toMatchObject({ assignee: null, note: null, link: expect.any(String) });
  });

  it('says what is missing if there is nothing to change, and who is no member', async () => {
    const nothing = await run('assign', groups);
    expect([nothing.exitCode, nothing.stderr]).toEqual([
      2,
      expect.stringContaining('There is nothing to change.'),
    ]);
    const unknown = await run('assign', groups, '--to', 'nobody-we-know');
    expect([unknown.exitCode, unknown.stderr]).toEqual([5, expect.stringContaining("'nobody-we-know'")]);
  });
});
