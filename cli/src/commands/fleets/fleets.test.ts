import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let directory: string;

beforeAll(async () => {
  cli = await startCliTest();
  await cli.app.createProject('plants');
  directory = mkdtempSync(join(tmpdir(), 'muster-fleets-'));
});
afterAll(async () => {
  await cli.close();
  rmSync(directory, { recursive: true });
});

const run = (...args: string[]) => cli.runAsAdmin(['fleet', ...args], { env: { MUSTER_PROJECT: 'plants' } });

const classic = '[INPUT]\n    Name dummy\n    Tag  app\n\n[OUTPUT]\n    Name  stdout\n    Match app\n';

function write(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

describe('muster fleet', () => {
  it('creates a fleet, changes it, and shows its versions and their difference', async () => {
    const config = write('edge.conf', classic);
    expect(await run('list')).toMatchObject({
      exitCode: 0,
      stderr: 'No fleets. To create one, run: muster fleet create NAME --config FILE\n',
    });
    const created = await run('create', 'edge', '--config', config, '--tag', 'eu', '--note', 'first');
    expect(created.stderr).toBe('');
    expect(created.stdout).toMatch(
      /^id {10}\S{36}\nname {8}edge\nversion {5}1\nsince {7}\S+\nformat {6}classic\nreporting {3}on\nagents {6}0\n/,
    );
    const changed = write('changed.conf', classic.replaceAll('app', 'new'));
    expect((await run('update', 'edge', '--config', changed, '--note', 'renamed')).stdout).toContain(
      'version     2\n',
    );
    const versions = await run('versions', 'edge');
    expect(versions.stdout).toMatch(
      /^VERSION {2}SERVED {2}CREATED .*\n {6}2 {2}yes .* renamed .*\n {6}1 {2}no .* first .*\n$/,
    );
    const { stdout } = await run('diff', 'edge');
    expect(stdout).toMatch(/^--- version 1\t.*\n\+\+\+ version 2\t.*\n@@ -1,7 \+1,7 @@\n/);
    expect(stdout).toContain('-    Tag  app\n+    Tag  new\n');
    expect((await run('diff', 'edge', '--from', '2', '--to', '2')).stderr).toBe(
      'The configurations are equal.\n',
    );
    expect(await run('diff', 'edge', '--to', '9')).toMatchObject({
      exitCode: 5,
      stderr:
        'muster: The fleet has no version 9.\n  To list the existing ones, run: muster fleet versions NAME\n',
    });
    expect((await run('update', 'edge', '--serve-version', '1')).stdout).toContain('version     1\n');
    expect((await run('update', 'edge', '--serve-version', '2')).stdout).toContain('version     2\n');
    expect((await run('list')).stdout).toMatch(/^ID .*\n\S+ +edge +2 +0 .* eu\n$/);
  });

  it('refuses a configuration with an error, with its line and what to do', async () => {
    const wrong = write('wrong.conf', classic.replace('dummy', 'dumy'));
    const { exitCode, stderr } = await run('create', 'wrong', '--config', wrong);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('line 2');
    expect(stderr).toContain('dummy');
    const { stdout } = await run('list', '--json');
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  it('checks a configuration with what a build of Fluent Bit says of itself', async () => {
    const config = write('own.conf', classic.replace('dummy', 'own_input'));
    expect((await run('validate', config)).exitCode).toBe(1);
    const printed = {
      'fluent-bit': { version: '9.9.9' },
      customs: [],
      inputs: [{ name: 'own_input', properties: { options: [] } }],
      processors: [],
      filters: [],
      outputs: [{ name: 'stdout' }],
    };
    const schema = write('schema.json', JSON.stringify(printed));
    expect(await run('validate', config, '--schema', schema)).toMatchObject({ exitCode: 1 });
    const tagged = {
      ...printed,
      inputs: [{ name: 'own_input', properties: { global_options: [{ name: 'tag', type: 'string' }] } }],
    };
    expect(
      await run('validate', config, '--schema', write('schema.json', JSON.stringify(tagged))),
    ).toMatchObject({
      exitCode: 0,
    });
    expect(await run('validate', config, '--schema', config)).toMatchObject({
      exitCode: 2,
      stderr: `muster: ${config} is not what 'fluent-bit -J' prints.\n  Run: fluent-bit -J > schema.json\n`,
    });
  });

  it('sets and removes files', async () => {
    const parsers = write('parsers.conf', '[PARSER]\n    Name   app\n    Format json\n');
    expect((await run('files', 'edge')).stderr).toBe(
      'No files. To add one, run: muster fleet files NAME --set FILE\n',
    );
    expect((await run('files', 'edge', '--set', parsers)).stdout).toMatch(
      /^ID .*\n\S+ +parsers\.conf +\d+ .*\n$/,
    );
    expect((await run('files', 'edge', '--remove', 'none.conf')).exitCode).toBe(5);
    expect((await run('files', 'edge', '--remove', 'parsers.conf', '--quiet')).stdout).toBe('');
  });

  it('sets, lists and removes variables', async () => {
    expect((await run('vars', 'edge')).stderr).toBe(
      'No variables. To set one, run: muster fleet vars NAME --set NAME=VALUE\n',
    );
    expect((await run('vars', 'edge', '--set', 'region=eu=1', '--set', 'port=24224')).stderr).toBe(
      'Changed 2 values.\n',
    );
    expect((await run('vars', 'edge', '--set', 'region=us', '--tag', 'canary')).exitCode).toBe(0);
    const { stdout } = await run('vars', 'edge', '--json');
    expect(JSON.parse(stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'region', value: 'eu=1', tag: null }),
        expect.objectContaining({ name: 'region', value: 'us', tag: 'canary' }),
      ]),
    );
    expect((await run('vars', 'edge', '--unset', 'port')).stderr).toBe('Changed 1 value.\n');
    expect((await run('vars', 'edge', '--set', 'region')).exitCode).toBe(2);
    expect((await run('vars', 'edge', '--tag', 'canary')).exitCode).toBe(2);
  });

  it('sets secrets from standard input or a file, and never shows them', async () => {
    const set = await cli.runAsAdmin(['fleet', 'secrets', 'edge', '--set', 'db_password'], {
      env: { MUSTER_PROJECT: 'plants' },
      stdin: 'Tr0ub4dor and 3\n',
    });
    expect(set).toEqual({ exitCode: 0, stdout: '', stderr: 'Changed 1 secret.\n' });
    // The line break at the end is no part of it.
    const same = write('password', 'Tr0ub4dor and 3');
    expect((await run('secrets', 'edge', '--set', 'db_password', '--file', same)).stderr).toBe(
      'Changed 0 secrets.\n',
    );
    const { stdout } = await run('secrets', 'edge', '--json');
    expect(stdout).toContain('db_password');
    expect(stdout).not.toContain('Tr0ub4dor');
    expect((await run('secrets', 'edge', '--set', 'db_password=x')).exitCode).toBe(2);
    expect((await run('secrets', 'edge', '--unset', 'db_password')).stderr).toBe('Changed 1 secret.\n');
  });

  it('gives a value to all agents that use it only if it is told to', async () => {
    const config = write('used.conf', classic.replaceAll('app', '{{vars.region}}'));
    await run('create', 'used', '--config', write('plain.conf', classic));
    await run('vars', 'used', '--set', 'region=eu');
    await run('secrets', 'used', '--set', 'key', '--file', write('key', 'a long secret'));
    const update = await run('update', 'used', '--config', config, '--json');
    const { id: fleetID } = JSON.parse(update.stdout) as { id: string };
    const { body: project } = await cli.app.request<{ projectID: string }>('GET', `/v1/fleets/${fleetID}`, {
      as: { access: cli.app.admin },
    });
    const { token } = await cli.app.createToken(project.projectID, ['create:agent']);
    await cli.app.request('POST', '/v1/agents', {
      as: { project: token },
      body: { name: 'web-01', machineID: 'machine-1', rawConfig: classic, fleetID },
    });
    expect(await run('vars', 'used', '--set', 'region=us')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        '1 agent would get it at once.\n  To give it to all of them at once, add --all-at-once.',
      ),
    });
    for (const args of [
      ['vars', 'used', '--set', 'port=1'],
      ['vars', 'used', '--set', 'region=us', '--agent', 'web-01'],
      ['vars', 'used', '--set', 'region=us', '--all-at-once'],
      ['secrets', 'used', '--unset', 'key', '--despite-freeze'],
    ])
      expect(await run(...args)).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^Changed 1 /) });
  });

  it('deletes a fleet', async () => {
    expect(await run('delete', 'edge', '--yes')).toMatchObject({
      exitCode: 0,
      stderr: "Deleted the fleet 'edge'.\n",
    });
    expect((await run('get', 'edge')).exitCode).toBe(5);
  });
});

describe('muster fleet validate', () => {
  it('needs no server, and ends with 1 if agents would refuse the configuration', async () => {
    const right = write('right.conf', classic);
    expect(await cli.run(['fleet', 'validate', right])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Agents accept this configuration.\n',
    });
    const wrong = write('wrong.yaml', 'pipeline:\n  inputs:\n    - name: dumy\n');
    const { exitCode, stdout, stderr } = await cli.run(['fleet', 'validate', wrong]);
    expect([exitCode, stderr]).toEqual([1, 'muster: The configuration has an error.\n']);
    expect(stdout).toMatch(/wrong\.yaml:3:\d+: error: .*dumy.*dummy/);
    const json = await cli.run(['fleet', 'validate', wrong, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ isValid: false, findings: [{ line: 3 }] });
  });
});
