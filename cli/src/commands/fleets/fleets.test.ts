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
      stderr: "muster: The fleet has no version 9.\n  'muster fleet versions NAME' shows them.\n",
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
