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
    expect(first).toMatch(/administrator revoked the token 'two' \(reason: 'unused'\)/);
    expect(second).toMatch(
      /administrator created the token 'three' with create:agent, create:agent_error, update:agent and read:fleet/,
    );
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

  it('finds a log that begins after the head that was kept, or with another entry', async () => {
    const { stdout } = await cli.runAsAdmin(['audit', 'export', '--after', '4']);
    const rest = stdout.trimEnd().split('\n');
    expect((await verify(rest, '--head', `4:${entry(4).digest}`)).exitCode).toBe(0);
    expect(await verify(rest, '--head', `4:${'0'.repeat(64)}`)).toEqual(
      fault('The log goes on after another entry 4 than the one that was kept with --head\\.'),
    );
    expect(await verify(rest, '--head', `3:${entry(3).digest}`)).toEqual(
      fault(
        'Entry 3, which --head names, is not in the log any more, so nothing shows that it was there\\..*',
      ),
    );
  });

  it('escapes what a file would say to the terminal', async () => {
    const chain = { ...JSON.parse(line(0)), projectID: '\x1b[2J' };
    const { exitCode, stderr } = await verify([JSON.stringify(chain), ...lines.slice(1)]);
    expect([exitCode, stderr]).toEqual([1, 'muster: Project \\x1b[2J: Entry 1 is of another log.\n']);
    const empty = { ...chain, head: chain.anchor };
    expect((await verify([JSON.stringify(empty)])).stdout).toMatch(/^Project \\x1b\[2J: 0 entries, /);
    expect((await verify([JSON.stringify(empty)], '--json')).stdout).toContain('"projectID":"\\u001b[2J"');
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
});

describe('somebody who may do anything in the database of the running service', () => {
  const change = (sql: string) => changeRows(cli.app.dataDirectory, sql);

  beforeAll(async () => {
    const table = testEngine === 'postgres' ? ' on audit_entries' : '';
    for (const trigger of ['unchangeable', 'undeletable'])
      await change(`drop trigger audit_entries_${trigger}${table}`);
  });

  /** A project with five entries, its id, and the head of its log. */
  async function makeLog(name: string): Promise<{ readonly id: string; readonly head: string }> {
    await cli.runAsAdmin(['project', 'create', name]);
    const id = (await cli.runAsAdmin(['project', 'get', name, '--quiet'])).stdout.trim();
    for (const token of ['a', 'b', 'c']) await cli.runAsAdmin(['token', 'create', token, '--project', id]);
    const { stdout } = await verifyLog(id);
    return { id, head: /Head: (5:\w{64})/.exec(stdout)?.[1] ?? '' };
  }

  const verifyLog = (id: string, ...flags: string[]) =>
    cli.runAsAdmin(['audit', 'verify', '--project', id, ...flags]);

  it.each([
    [
      'edits an entry',
      "update audit_entries set target_name = 'eve' where sequence = 4",
      'Entry 4 was changed: .*',
    ],
    [
      'edits an entry with its digest',
      `update audit_entries set digest = '${'a'.repeat(64)}' where sequence = 2`,
      'Entry 2 was changed: .*',
    ],
    ['deletes an entry', 'delete from audit_entries where sequence = 3', 'Entry 3 is missing\\.'],
    [
      'deletes the newest entry',
      'delete from audit_entries where sequence = 5',
      'Entry 5 at the end is missing\\.',
    ],
    [
      'exchanges an entry for another one',
      'update audit_entries set sequence = 99 - sequence where sequence in (2, 97)',
      'Entry 2 is missing\\.',
    ],
    [
      'moves the head forward',
      'update audit_chains set last_sequence = 6 where 1 = 1',
      'Entry 6 at the end is missing\\.',
    ],
    [
      'replaces the digest of the head',
      `update audit_chains set last_digest = '${'b'.repeat(64)}' where 1 = 1`,
      'Entry 5 is not the one with which the log ends\\.',
    ],
  ])('is found who %s', async (name, sql, sentence) => {
    const { id } = await makeLog(name);
    await change(`${sql} and chain_id = '${id}'`);
    const { exitCode, stdout, stderr } = await verifyLog(id);
    expect({ exitCode, stdout, stderr }).toEqual(fault(sentence));
  });

  it('is found who inserts an entry', async () => {
    const { id } = await makeLog('inserted');
    await change(
      `update audit_entries set sequence = sequence + 1 where sequence = 5 and chain_id = '${id}'`,
    );
    await change(
      `update audit_entries set sequence = sequence + 1 where sequence = 4 and chain_id = '${id}'`,
    );
    await change(`update audit_chains set last_sequence = 6 where chain_id = '${id}'`);
    const columns =
      'chain_id, created_at, action, actor_kind, actor_id, actor_name, target_kind, target_id, before_json, after_json, digest';
    await change(`insert into audit_entries (sequence, id, previous_digest, ${columns})
      select 4, '0192f0a0-0000-7000-8000-00000000000f', digest, ${columns} from audit_entries
      where sequence = 3 and chain_id = '${id}'`);
    expect(await verifyLog(id)).toMatchObject(fault('Entry 4 was changed: .*'));
  });

  it('is found only by a head that was kept, if the end is cut and the head rolled back, also after new entries', async () => {
    const { id, head } = await makeLog('rolled-back');
    await change(`update audit_chains set last_sequence = 3,
      last_digest = (select digest from audit_entries where sequence = 3 and chain_id = '${id}') where chain_id = '${id}'`);
    await change(`delete from audit_entries where sequence > 3 and chain_id = '${id}'`);
    expect((await verifyLog(id)).exitCode).toBe(0);
    expect(await verifyLog(id, '--head', head)).toMatchObject(
      fault('The log ends with entry 3, but it had an entry 5\\.'),
    );
    for (const token of ['d', 'e', 'f']) await cli.runAsAdmin(['token', 'create', token, '--project', id]);
    expect((await verifyLog(id)).exitCode).toBe(0);
    expect(await verifyLog(id, '--head', head)).toMatchObject(
      fault('Entry 5 is not the one that was kept with --head\\.'),
    );
  });
});

// Last, because it adds entries.
describe('muster audit list --actor', () => {
  const asAdmin = (args: readonly string[]) => cli.runAsAdmin(args, { env: { MUSTER_PROJECT: 'default' } });

  it('shows what a token did, by its name, also after its end', async () => {
    const { stdout: value } = await asAdmin([
      ...['token', 'create', 'robot', '--permission', 'create:token', '--quiet'],
    ]);
    const robot = { MUSTER_URL: cli.url, MUSTER_TOKEN: value.trim() };
    await cli.run(['token', 'create', 'child', '--permission', 'create:token'], { env: robot });
    await asAdmin(['token', 'revoke', 'robot', '--yes']);
    const { stdout, stderr } = await asAdmin(['audit', 'list', '--actor', 'robot']);
    expect(stderr).toBe(
      'What agents register and report is not in the audit log. To see who uses a token, run: muster token usage NAME\n',
    );
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
      expect.stringMatching(/ The token 'robot' created the token 'child' with create:token/),
    ]);
    const { stdout: ofPerson, stderr: noNote } = await asAdmin([
      ...['audit', 'list', '--actor', 'administrator', '--last', '1'],
    ]);
    expect(ofPerson).toMatch(/ administrator revoked the token 'robot' and 1 token created with it/);
    expect(noNote).not.toContain('token usage');
    const { stdout: ofAll } = await asAdmin([
      ...['audit', 'list', '--installation', '--actor', 'administrator', '--last', '1'],
    ]);
    expect(ofAll).toBe(ofPerson);
  });

  it('says of a name that nobody or several have what to give instead', async () => {
    const nobody = await asAdmin(['audit', 'list', '--actor', 'nobody']);
    expect(nobody).toEqual({
      exitCode: 5,
      stdout: '',
      stderr:
        "muster: There is no person, token or agent 'nobody'.\n  'muster audit list --json' shows the ids of those who are gone.\n",
    });
    await asAdmin(['token', 'create', 'administrator']);
    const several = await asAdmin(['audit', 'list', '--actor', 'administrator']);
    expect([several.exitCode, several.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^muster: 'administrator' is the name of several\. Give the id of one of them:\n {2}\S{36} {2}token\n {2}\S{36} {2}person\n$/,
      ),
    ]);
  });
});
