import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../server/src/foundation/secret.ts';
import { FleetWithCauses } from './testing/fleet-with-causes.ts';
import { type CliTest, startCliTest } from './testing/start-cli-test.ts';

let cli: CliTest;
let folder: string;
let groupID: string;
/** Of all commands before. */
let output = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-tasks-'));
  const mail = { url: new Secret('smtp://127.0.0.1:1'), from: 'muster@example.com' };
  cli = await startCliTest({ mail });
  const fleet = await FleetWithCauses.create(cli);
  groupID = await fleet.groupID('dumy');
  const { id } = fleet.project;
  const { token } = await cli.app.createToken(id, ['create:token', 'create:agent']);
  for (const [path, body] of [
    [`/v1/projects/${id}/tokens`, { name: 'of-test', permissions: ['create:agent'] }],
    ['/v1/agents', { name: 'edge-9', machineID: 'edge-9' }],
  ] as const) {
    const { status } = await cli.app.request('POST', path, { as: { project: token }, body });
    expect(status).toBe(201);
  }
});
afterAll(async () => {
  await cli.close();
  rmSync(folder, { recursive: true });
});

/** What each command has to print, in the order of the README. */
const answers: Readonly<Record<string, readonly RegExp[]>> = {
  'What is broken now?': [
    /^causes +5 agents \(83%\), first seen \S+ with configuration \S+: .* could not connect to <address> \(.*\)$/m,
  ],
  'On how many agents is each cause?': [/^\S+ +83% +5 .*\n\S+ +33% +2 .*$/m],
  'Since which configuration, and what to do?': [
    /^first config +\S+, first on edge-1\n(.|\n)*\nWhat to do:$/m,
  ],
  'Dismiss a cause, and undo that': [/^Dismissed: 2 errors of 2 agents\.$/m, /^Reopened: 2 errors\.$/m],
  'Be told of a new cause': [/^status +active\n(.|\n)*^It is told by the rule 'New errors'\.$/m],
  'Who uses a token, and give it a new value': [
    /^agents +1 agent registered or reports with it; if it is revoked, it goes on$/m,
    /^token +\S+$/m,
  ],
  'Let a colleague in': [/^link +\S+\/invitation\/\S+$/m],
  'Back up, and restore': [
    /^The backup of the database is complete: \S+$/m,
    /^The backup is restored: \S+$/m,
  ],
  'What did this token do?': [/The token 'test' created the token 'of-test'/],
};

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const [, table = ''] =
  /\n## What an operator asks\n\n\| \| \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(readme) ?? [];
const rows = table
  .trim()
  .split('\n')
  .map((row) => {
    const [, question = '', commands = ''] =
      row.split(' | ').length === 2 ? (/^\| (.*) \| (.*) \|$/.exec(row) ?? []) : [];
    return { question, commands: [...commands.matchAll(/`npx muster (.*?)`/g)].map(([, one = '']) => one) };
  });

it('has an answer for each question of the README', () => {
  expect(rows.map(({ question }) => question)).toEqual(Object.keys(answers));
});

it.each(rows)('one command each answers: $question', async ({ question, commands }) => {
  expect(commands).toHaveLength(answers[question]?.length ?? 0);
  for (const [index, command] of commands.entries()) {
    const { exitCode, stdout, stderr } = await cli.runAsAdmin(wordsOf(command), {
      env: { MUSTER_PROJECT: 'edge', MUSTER_DATA_DIR: cli.app.dataDirectory },
    });
    expect({ command, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({
      command,
      exitCode: 0,
      stderr: '',
    });
    expect(stdout + stderr).toMatch(answers[question]?.[index] ?? /^$/);
    output += stdout + stderr;
  }
});

/** What a person gives instead of the words in capitals. */
function wordsOf(command: string): string[] {
  const backups = join(folder, 'backups');
  const addressFile = join(folder, 'address');
  writeFileSync(addressFile, 'https://hooks.slack.com/services/T000/B000/example\n');
  const meant: Readonly<Record<string, string>> = {
    ID: command.startsWith('dismissal undo') ? (/dismissal undo (\S+)/.exec(output)?.[1] ?? '') : groupID,
    TEXT: 'Rolled back',
    NAME: 'test',
    FILE: addressFile,
    DIRECTORY: backups,
    EMPTY: join(folder, 'restored'),
  };
  return [
    ...command.split(' ').map((word) => meant[word] ?? word),
    ...(command.includes('dismiss ') ? ['--yes'] : []),
  ];
}
