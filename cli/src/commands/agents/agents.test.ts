import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentWithConfig, Token } from '@muster/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StockAgent } from '../../../../server/src/testing/calls/stock-agent.ts';
import { snippetNames } from '../../snippets/snippets.ts';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;

beforeAll(async () => {
  cli = await startCliTest();
});
afterAll(() => cli.close());

async function readJson<Value>(args: readonly string[]): Promise<Value> {
  const { stdout } = await cli.runAsAdmin([...args, '--json']);
  return JSON.parse(stdout) as Value; // what the API answers
}

describe('muster agent register', () => {
  it('registers with a temporary token that is revoked at once, and the agent token works', async () => {
    const { exitCode, stdout } = await cli.runAsAdmin(['agent', 'register', 'web-01', '--quiet']);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^mst_a_\w{49}\n$/)]);
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: stdout.trim() };
    expect((await cli.run(['whoami'], { env })).stdout).toContain("the agent 'web-01'");
    const [pass] = await readJson<Token[]>(['token', 'list', '--status', 'revoked']);
    expect(pass).toMatchObject({ name: 'muster agent register web-01', permissions: ['create:agent'] });
    expect(await readJson<Token[]>(['token', 'list'])).toHaveLength(1);
  });

  it('uses the project token of the environment', async () => {
    const project = await cli.app.createProject('own');
    const env = { MUSTER_URL: cli.url, MUSTER_TOKEN: project.token };
    expect((await cli.run(['agent', 'register', 'x', '--quiet'], { env })).stdout).toMatch(/^mst_a_/);
    await cli.runAsAdmin(['project', 'delete', 'own', '--yes']);
  });

  it('returns the same agent for the same machine', async () => {
    const ids = [];
    for (const name of ['host', 'renamed']) {
      ids.push((await readJson<{ id: string }>(['agent', 'register', name, '--machine', 'host-1'])).id);
    }
    expect(new Set(ids).size).toBe(1);
  });

  it('sends the configuration and the properties', async () => {
    const file = join(cli.home, 'fluent-bit.conf');
    writeFileSync(file, '[OUTPUT]\n    name es\n    http_passwd hunter2\n');
    const flags = [
      '--config',
      file,
      '--type',
      'fluentbit',
      '--agent-version',
      '5.1.1',
      '--tag',
      'a',
      '--tag',
      'b',
    ];
    await cli.runAsAdmin(['agent', 'register', 'db-01', ...flags]);
    expect(await readJson<AgentWithConfig>(['agent', 'get', 'db-01'])).toMatchObject({
      type: 'fluentbit',
      version: '5.1.1',
      tags: ['a', 'b'],
      rawConfig: expect.stringContaining('name es'),
    });
    await cli.runAsAdmin(['agent', 'update', 'db-01', '--config', '-'], {
      stdin: '[OUTPUT]\n    name null\n',
    });
    const history = await readJson<{ rawConfig: string }[]>(['agent', 'history', 'db-01']);
    expect(history.map(({ rawConfig }) => rawConfig)).toEqual([
      expect.stringContaining('null'),
      expect.stringContaining('es'),
    ]);
    expect(JSON.stringify(history)).not.toContain('hunter2');
  });

  it.each(snippetNames)('prints a configuration for %s without a token', async (name) => {
    const { exitCode, stdout, stderr } = await cli.runAsAdmin([
      'agent',
      'register',
      'snip',
      '--snippet',
      name,
    ]);
    expect([exitCode, stdout]).toEqual([0, expect.not.stringMatching(/mst_[pa]_/)]);
    expect(stdout).toContain(new URL(cli.url).port);
    if (name === 'otelcol')
      expect(stdout).toContain('muster report --name snip --machine-id snip -- /usr/bin/otelcol');
    else {
      expect(stdout).toContain('MUSTER_AGENT_TOKEN');
      expect(stdout).toMatch(/\/v1\/agents\/[0-9a-f-]{36}\/errors\?truncate=true&partial=true/);
      expect(stderr).toMatch(/MUSTER_AGENT_TOKEN=mst_a_\w{49}\n/);
    }
    if (name !== 'fluent-bit') expect(stdout.split('\n')[0]).toMatch(/^# untried: /);
  });
});

describe('muster agent release', () => {
  it('releases the machine; get shows the release, and later the new registration with its address', async () => {
    await cli.runAsAdmin(['agent', 'register', 'kiosk']);
    expect(await cli.runAsAdmin(['agent', 'release', 'kiosk'])).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: "Released the machine of the agent 'kiosk': its next registration is accepted.\n",
    });
    const released = (await cli.runAsAdmin(['agent', 'get', 'kiosk'])).stdout;
    expect(released).toMatch(/^released +\S/m);
    expect(released).not.toContain('registered again');
    await cli.runAsAdmin(['agent', 'register', 'kiosk']);
    const again = (await cli.runAsAdmin(['agent', 'get', 'kiosk'])).stdout;
    expect(again).toMatch(/^registered again +\S.* from 127\.0\.0\.1$/m);
    expect(again).not.toMatch(/^released/m);
  });
});

describe('an agent whose fleet Muster configures', () => {
  afterAll(() => cli.runAsAdmin(['project', 'delete', 'presses', '--yes']));

  const config = (release: number) =>
    `# release ${release}\n[INPUT]\n    Name dummy\n    Tag  ${release}\n\n[OUTPUT]\n    Name  stdout\n    Match *\n`;
  const lines = async (name: string) => {
    const { stdout } = await cli.runAsAdmin(['agent', 'get', name, '--project', 'presses']);
    return stdout.split('\n').filter((line) => /^(fleet|should run|runs|configuration) /.test(line));
  };

  it('is shown with the name of the fleet, and what it runs and should run', async () => {
    const project = await cli.app.createProject('presses');
    await cli.app.request('POST', `/v1/projects/${project.id}/fleets`, {
      as: { access: cli.app.admin },
      body: { name: 'plant-north', rawConfig: config(7), reporting: 'off' },
    });
    const agent = new StockAgent(cli.app, { project, machineID: 'press-1', name: 'press-1' });
    await agent.startByName('plant-north');
    cli.app.clock.advance(15_000);
    await agent.poll();
    const flags = ['agent', 'list', '--name', 'press-*', '--project', 'presses'];
    const listed = (await cli.runAsAdmin(flags)).stdout;
    expect(listed).toMatch(/^ID .* FLEET +RUNS .*\n.* plant-north +version 1 /);
    expect(await lines('press-1')).toEqual([
      'fleet          plant-north',
      'should run     version 1',
      expect.stringMatching(/^runs +version 1 [0-9a-f]{8}$/),
      expect.stringMatching(/^configuration +[0-9a-f-]{36}$/),
    ]);
  });

  it('is shown with the label of another configuration', async () => {
    const register = ['agent', 'register', 'press-2', '--project', 'presses', '--config', '-'];
    await cli.runAsAdmin(register, { stdin: config(8) });
    const update = ['agent', 'update', 'press-2', '--project', 'presses', '--config', '-'];
    await cli.runAsAdmin(update, { stdin: config(9) });
    expect(await lines('press-2')).toEqual([
      expect.stringMatching(/^runs +release 9 [0-9a-f]{8}$/),
      expect.stringMatching(/^configuration +[0-9a-f-]{36}$/),
    ]);
  });
});

describe('muster agent delete', () => {
  it('deletes the agent with its errors', async () => {
    await cli.runAsAdmin(['agent', 'register', 'gone']);
    expect(await cli.runAsAdmin(['agent', 'delete', 'gone', '--yes'])).toMatchObject({
      exitCode: 0,
      stderr: "Deleted the agent 'gone'.\n",
    });
    expect((await cli.runAsAdmin(['agent', 'get', 'gone'])).exitCode).toBe(5);
  });
});
