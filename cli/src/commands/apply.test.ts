import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProjectToken } from '@muster/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../testing/start-cli-test.ts';

let cli: CliTest;
let file: string;

beforeAll(async () => {
  cli = await startCliTest();
  file = join(cli.home, 'muster.yaml');
});
afterAll(() => cli.close());

async function generate(name: string, ...flags: readonly string[]) {
  const { exitCode, stdout, stderr } = await cli.run(['token', 'generate', ...flags]);
  expect(exitCode).toBe(0);
  writeFileSync(join(cli.home, name), stdout);
  const value = stdout.trim();
  const ids = readProjectToken(value);
  expect(stderr).toBe(`project ${ids?.projectID}\ntoken   ${ids?.tokenID}\n`);
  return { value, ...ids };
}

describe('muster token generate', () => {
  it('makes a value with new ids, or with the ids of another value', async () => {
    const first = await generate('first-token');
    const second = await generate('second-token', '--like', join(cli.home, 'first-token'));
    expect({ ...second, value: '' }).toEqual({ ...first, value: '' });
    expect(second.value).not.toBe(first.value);
    const third = await generate('third-token', '--project', first.projectID ?? '');
    expect(third.projectID).toBe(first.projectID);
    expect(third.tokenID).not.toBe(first.tokenID);
  });

  it('refuses what is no id and no value', async () => {
    expect(await cli.run(['token', 'generate', '--project', 'edge'])).toMatchObject({
      exitCode: 2,
      stdout: '',
    });
    writeFileSync(join(cli.home, 'no-token'), 'mst_p_canary');
    const like = await cli.run(['token', 'generate', '--like', join(cli.home, 'no-token')]);
    expect(like).toMatchObject({ exitCode: 2, stdout: '' });
    expect(like.stderr).not.toContain('canary');
  });
});

describe('muster apply', () => {
  it('prints what differs, changes it, and prints nothing secret', async () => {
    const first = await generate('agents-token');
    const me = () => cli.run(['whoami'], { env: { MUSTER_URL: cli.url, MUSTER_TOKEN: first.value } });
    writeFileSync(
      file,
      'projects:\n  - name: edge\n    tokens:\n      - name: agents\n        valueFile: agents-token\n        permissions: [read:*]\n        reportsPerSecond: 5\n',
    );
    const difference =
      '+ project edge\n+ token agents in edge\n    permissions: read:*\n    reportsPerSecond: 5\n';
    expect(await cli.runAsAdmin(['apply', '-f', file, '--dry-run'])).toEqual({
      exitCode: 7,
      stdout: difference,
      stderr: 'muster: 2 changes would be made. Nothing was changed.\n',
    });
    expect((await me()).exitCode).toBe(3);
    expect(await cli.runAsAdmin(['apply', '-f', file])).toEqual({
      exitCode: 0,
      stdout: `${difference}Made 2 changes.\n`,
      stderr: '',
    });
    expect((await me()).exitCode).toBe(0);
    for (const flags of [[], ['--dry-run']]) {
      expect(await cli.runAsAdmin(['apply', '-f', file, ...flags])).toEqual({
        exitCode: 0,
        stdout: 'Everything is as the file says.\n',
        stderr: '',
      });
    }
    const next = await generate('agents-token', '--like', join(cli.home, 'agents-token'));
    writeFileSync(file, readFileSync(file, 'utf8').replace('5\n', '10\n'));
    const rotated = await cli.runAsAdmin(['apply', '-f', file]);
    expect(rotated.stdout).toBe(
      '~ token agents in edge\n    reportsPerSecond: 5 -> 10\n~ token agents in edge\n    new value; the one before it ends in 1 d\nMade 2 changes.\n',
    );
    await cli.runAsAdmin(['token', 'revoke', 'agents', '--project', 'edge', '--yes']);
    const left = await cli.runAsAdmin(['apply', '-f', file]);
    expect(left).toMatchObject({ exitCode: 0, stderr: '' });
    expect(left.stdout).toMatch(
      /^! token agents in edge\n {4}it was revoked by administrator at .*; choose another value for a new token\nEverything else is as the file says\.\n$/,
    );
    const json = await cli.runAsAdmin(['apply', '-f', file, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      dryRun: false,
      changes: [{ action: 'skip', name: 'agents' }],
    });
    for (const { value } of [first, next]) {
      expect([rotated, left, json].map(({ stdout }) => stdout).join()).not.toContain(value.slice(137));
    }
  });

  it('names the line of a fault that the service finds, and of one in the file', async () => {
    writeFileSync(
      file,
      'projects:\n  - name: core\n    members:\n      - subject: ada\n        role: viewer\n',
    );
    expect(await cli.runAsAdmin(['apply', '-f', file])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `muster: ${file}:4: projects[0].members[0].subject needs an identity provider, but MUSTER_OIDC_ISSUER is not set. Without one, give the userID.\n`,
    });
    writeFileSync(file, 'projects:\n  - nme: core\n');
    expect(await cli.runAsAdmin(['apply', '-f', file])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `muster: ${file}:2: projects[0].name is missing.\nmuster: ${file}:2: projects[0].nme is unknown; did you mean 'name'?\n`,
    });
  });
});
