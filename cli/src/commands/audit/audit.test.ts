import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditEntry } from '@muster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeRows } from '../../../../server/src/testing/rows/change-rows.ts';
import { testEngine } from '../../../../server/src/testing/test-database.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let directory: string;
let lines: string[];

beforeAll(async () => {
  cli = await startCliTest();
  directory = mkdtempSync(join(tmpdir(), 'muster-audit-'));
  for (const name of ['one', 'two', 'three']) await cli.runAsAdmin(['token', 'create', name]);
  await cli.runAsAdmin(['token', 'revoke', 'two', '--yes', '--reason', 'unused']);
  lines = (await cli.runAsAdmin(['audit', 'export'])).stdout.trimEnd().split('\n');
});

afterAll(async () => {
  await cli.close();
  rmSync(directory, { recursive: true });
});

async function verify(changed: readonly string[], ...flags: string[]) {
  const file = join(directory, 'audit.jsonl');
  writeFileSync(file, `${changed.join('\n')}\n`);
  const { exitCode, stdout, stderr } = await cli.run(['audit', 'verify', file, ...flags]);
  return { exitCode, stdout, stderr: stderr.replaceAll(directory, '') };
}

/** The line of an entry. The first line of a file is the chain. */
const line = (sequence: number) => lines[sequence] ?? '';
const entry = (sequence: number) => JSON.parse(line(sequence)) as AuditEntry;
const without = (...sequences: number[]) => lines.filter((_, index) => !sequences.includes(index));
const changed = (sequence: number, change: object) =>
  lines.map((text, index) => (index === sequence ? JSON.stringify({ ...entry(sequence), ...change }) : text));

const fault = (sentence: string) => ({
  exitCode: 1,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^muster: Project [0-9a-f-]{36}: ${sentence}\n$`)),
});

describe('muster audit list', () => {
  it('says in sentences who did what, newest first', async () => {
    const { stdout, exitCode } = await cli.runAsAdmin([
      'audit',
      'list',
      '--action',
      'token.*',
      '--last',
      '2',
    ]);
    expect(exitCode).toBe(0);
    const [title, first, second, ...rest] = stdout.split('\n');
    expect(title).toMatch(/^WHEN +WHAT +FROM +REQUEST/);
    expect(first).toMatch(/administrator revoked the token 'two' \(reason 'unused', /);
    expect(second).toMatch(/administrator created the token 'three' \(/);
    expect(rest).toEqual(['']);
  });

  it('lists all logs for administrators, as JSON too', async () => {
    const { stdout } = await cli.runAsAdmin([
      'audit',
      'list',
      '--installation',
      '--json',
      '--action',
      'user.created',
    ]);
    expect(JSON.parse(stdout)).toMatchObject([{ action: 'user.created', projectID: null }]);
  });

  it('refuses an unknown action, and a project together with the installation', async () => {
    const unknown = await cli.runAsAdmin(['audit', 'list', '--action', 'tokens']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('Actions are: ')]);
    const both = await cli.runAsAdmin(['audit', 'list', '--installation', '--project', 'default']);
    expect(both).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'muster: Give --project or --installation, not both.\n',
    });
  });
});

describe('muster audit verify', () => {
  it('finds the log of the service whole', async () => {
    const { exitCode, stdout } = await cli.runAsAdmin(['audit', 'verify']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^Project [0-9a-f-]{36}: 6 entries, none changed, removed or inserted\. Head: 6:[0-9a-f]{64}\n$/,
    );
    const all = await cli.runAsAdmin(['audit', 'verify', '--installation']);
    expect([all.exitCode, all.stdout]).toEqual([
      0,
      expect.stringMatching(/^Project .*\nInstallation: .*\n$/),
    ]);
    const json = await cli.runAsAdmin(['audit', 'verify', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ entriesCount: 6, fault: null, head: { sequence: 6 } });
  });

  it('finds an export whole, without a connection, also one of several logs', async () => {
    expect(await verify(lines)).toMatchObject({ exitCode: 0, stderr: '' });
    const { stdout } = await cli.runAsAdmin(['audit', 'export', '--installation']);
    expect((await verify(stdout.trimEnd().split('\n'))).exitCode).toBe(0);
    const rest = await cli.runAsAdmin(['audit', 'export', '--after', '4']);
    expect((await verify(rest.stdout.trimEnd().split('\n'))).stdout).toContain('2 entries, none');
  });

  it.each<[string, () => readonly string[], string]>([
    [
      'a changed entry',
      () => changed(3, { actor: { ...entry(3).actor, name: 'eve' } }),
      'Entry 3 was changed: .*',
    ],
    ['a changed value', () => changed(3, { after: { name: 'other' } }), 'Entry 3 was changed: .*'],
    ['an added field', () => changed(3, { note: 'added' }), 'Entry 3 was changed: .*'],
    ['a removed entry', () => without(3), 'Entry 3 is missing\\.'],
    ['several removed entries', () => without(3, 4), 'Entries 3 to 4 are missing\\.'],
    [
      'an inserted copy',
      () => [...lines.slice(0, 4), line(3), ...lines.slice(4)],
      'Entry 3 comes after entry 3\\.',
    ],
    [
      'exchanged entries',
      () => [...lines.slice(0, 3), line(4), line(3), ...lines.slice(5)],
      'Entry 3 is missing\\.',
    ],
    ['a cut end', () => without(6), 'Entry 6 at the end is missing\\.'],
    ['a cut beginning', () => without(1, 2), 'Entries 1 to 2 are missing\\.'],
    ['another beginning', () => changed(1, { previousDigest: 'f'.repeat(64) }), 'Entry 1 was changed: .*'],
  ])('finds %s, and names the first bad entry', async (_, tampered, sentence) => {
    expect(await verify(tampered())).toEqual(fault(sentence));
  });

  it('finds a log that was made anew after an entry, by a head that was kept', async () => {
    const head = `4:${entry(4).digest}`;
    expect((await verify(lines, '--head', head)).exitCode).toBe(0);
    expect(await verify(lines, '--head', `4:${'0'.repeat(64)}`)).toEqual(
      fault('Entry 4 is not the one that was kept with --head\\.'),
    );
    expect(await verify(lines, '--head', `9:${'0'.repeat(64)}`)).toEqual(
      fault('The log ends with entry 6, but it had an entry 9\\.'),
    );
  });

  it('refuses what is no export', async () => {
    expect(await verify(['{}'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: "muster: /audit.jsonl cannot be verified: line 1 is not from 'muster audit export'.\n",
    });
    expect(await verify([''])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('it is empty') });
    const missing = await cli.run(['audit', 'verify', join(directory, 'missing')]);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('cannot be read')]);
    expect((await cli.run(['audit', 'verify', '--head', 'x'])).exitCode).toBe(2);
  });

  it('finds what was changed in the database, whoever did it', async () => {
    const change = (sql: string) => changeRows(cli.app.dataDirectory, sql);
    const table = testEngine === 'postgres' ? ' on audit_entries' : '';
    await change(`drop trigger audit_entries_unchangeable${table}`);
    await change("update audit_entries set target_name = 'three' where sequence = 4");
    const { exitCode, stderr } = await cli.runAsAdmin(['audit', 'verify']);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Entry 4 was changed')]);
  });
});
