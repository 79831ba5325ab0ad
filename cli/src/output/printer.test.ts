import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../testing/start-cli-test.ts';

let cli: CliTest;

const hostileCharacters = '\x1b\x07\u202e';
const hostileName = '\x1b[2J\x1b]0;owned\x07\u202etxt.exe';

beforeAll(async () => {
  cli = await startCliTest();
  for (let index = 0; index < 105; index += 1) {
    await cli.app.createProject(`p${index}`);
    cli.app.clock.advance(1_000);
  }
  await cli.app.createProject(hostileName);
});
afterAll(() => cli.close());

describe('a list', () => {
  it('shows the newest 100 by default, and says that there are more', async () => {
    const { stdout, stderr } = await cli.runAsAdmin(['project', 'list', '--quiet']);
    expect(stdout.trim().split('\n')).toHaveLength(100);
    expect(stderr).toBe('These are the newest 100. There are more: --last N shows N, --all shows all.\n');
  });

  it('has the length that --last or --all sets', async () => {
    const count = async (...flags: string[]) => {
      const { stdout, stderr } = await cli.runAsAdmin(['project', 'list', '--quiet', ...flags]);
      return [new Set(stdout.trim().split('\n')).size, stderr];
    };
    expect(await count('--last', '3')).toEqual([3, '']);
    expect(await count('--last', '1500')).toEqual([107, '']);
    expect(await count('--all')).toEqual([107, '']);
  });

  it("is an array of the API's objects with --json", async () => {
    const { stdout } = await cli.runAsAdmin(['project', 'list', '--json', '--last', '1']);
    const { body } = await cli.app.request('GET', '/v1/projects?last=1', { as: { access: cli.app.admin } });
    expect(JSON.parse(stdout)).toEqual(body);
  });

  it('is an empty array for scripts, and a sentence for people, if there are no items', async () => {
    const args = ['project', 'list', '--name', 'nothing'];
    expect(await cli.runAsAdmin([...args, '--json'])).toEqual({ exitCode: 0, stdout: '[]\n', stderr: '' });
    expect(await cli.runAsAdmin(args)).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No projects match --name nothing. Leave out that filter to see more.\n',
    });
  });

  it('is complete and without colour outside a terminal', async () => {
    const { stdout } = await cli.runAsAdmin(['project', 'list', '--last', '3']);
    const [head = '', first = '', second = ''] = stdout.split('\n');
    expect(head).toMatch(/^ID {36}NAME +CREATED$/);
    expect(first).toMatch(
      /^[0-9a-f-]{36} {2}\\x1b\[2J\\x1b\]0;owned\\x07\\u202etxt\.exe {2}2026-03-02T10:22:15\.456Z$/,
    );
    expect(second).toMatch(/^[0-9a-f-]{36} {2}p104 +2026-03-02T10:22:14\.456Z$/);
  });

  it('fits the terminal, with relative times', async () => {
    const { stdout } = await cli.runAsAdmin(['project', 'list', '--last', '3'], {
      columns: 60,
      env: { NO_COLOR: '1' },
    });
    const lines = stdout.trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(lines[1]).toMatch(/^[0-9a-f]{8} {2}\\x1b\[2J.*txt\.exe {2}now$/);
    expect(lines[3]).toMatch(/ p103 +2 s ago$/);
  });

  it.each([20, 40])(
    'never cuts ids on a terminal of %i columns, and shows whole ones with --wide',
    async (columns) => {
      const { stdout } = await cli.runAsAdmin(['project', 'list', '--last', '1'], { columns });
      expect(stdout).toMatch(/^.*ID.*\n[0-9a-f]{8} {2}\S{8,20}…( {2}now)?\n$/);
      const wide = await cli.runAsAdmin(['project', 'list', '--last', '1', '--wide'], { columns });
      expect(wide.stdout).toMatch(/^.*ID.*\n[0-9a-f-]{36} {2}\S+txt\.exe {2}now\n$/);
    },
  );
});

describe('colour', () => {
  const list = (env: Record<string, string>, columns?: number) =>
    cli.runAsAdmin(['project', 'list', '--last', '1'], {
      env,
      ...(columns === undefined ? {} : { columns }),
    });

  it('is used only on a terminal, and never with NO_COLOR', async () => {
    expect((await list({}, 80)).stdout).toContain('\x1b[2m');
    expect((await list({ NO_COLOR: '1' }, 80)).stdout).not.toContain('\x1b');
    expect((await list({ TERM: 'dumb' }, 80)).stdout).not.toContain('\x1b');
    expect((await list({ FORCE_COLOR: '1' })).stdout).not.toContain('\x1b');
  });
});

describe('a hostile name', () => {
  it('is escaped for terminals, and keeps its value in JSON', async () => {
    const outputs = await Promise.all([
      cli.runAsAdmin(['project', 'get', hostileName], { columns: 80, env: { NO_COLOR: '1' } }),
      cli.runAsAdmin(['project', 'get', hostileName, '--json']),
      cli.runAsAdmin(['project', 'update', hostileName, '--name', hostileName]),
      cli.runAsAdmin(['project', 'get', `${hostileName}x`]),
    ]);
    const printed = outputs.map(({ stdout, stderr }) => stdout + stderr).join('');
    expect([...hostileCharacters].filter((character) => printed.includes(character))).toEqual([]);
    expect(JSON.parse(outputs[1]?.stdout ?? '')).toMatchObject({ name: hostileName });
    expect(outputs[3]?.exitCode).toBe(5);
  });
});
