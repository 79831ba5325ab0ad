import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;

beforeAll(async () => {
  cli = await startCliTest();
});
afterAll(() => cli.close());

async function configure(name: string, ...rawConfigs: string[]): Promise<void> {
  await cli.runAsAdmin(['agent', 'register', name]);
  const file = join(cli.home, 'agent.conf');
  for (const rawConfig of rawConfigs) {
    writeFileSync(file, rawConfig);
    await cli.runAsAdmin(['agent', 'update', name, '--config', file]);
  }
}

const head = /^--- [\da-f-]{36}\t\S+Z\n\+\+\+ [\da-f-]{36}\t\S+Z\n/;

describe('muster agent diff', () => {
  it('prints what the last change has changed, and escapes what a terminal would interpret', async () => {
    await configure('web', 'a\n\tb\n', 'a\n\tc\u001b[2J\r\n');
    const { exitCode, stdout, stderr } = await cli.runAsAdmin(['agent', 'diff', 'web']);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(head);
    expect(stdout.replace(head, '')).toBe('@@ -1,2 +1,2 @@\n a\n-\tb\n+\tc\\x1b[2J\\r\n');
  });

  it('has colours on a terminal, unless NO_COLOR is set', async () => {
    await configure('coloured', 'a\n', 'b\n');
    const { stdout } = await cli.runAsAdmin(['agent', 'diff', 'coloured'], { columns: 80 });
    expect(stdout.split('\n').slice(2)).toEqual([
      '\u001b[36m@@ -1 +1 @@\u001b[39m',
      '\u001b[31m-a\u001b[39m',
      '\u001b[32m+b\u001b[39m',
      '',
    ]);
    const plain = await cli.runAsAdmin(['agent', 'diff', 'coloured'], {
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    expect(plain.stdout.replace(head, '')).toBe('@@ -1 +1 @@\n-a\n+b\n');
  });

  it('compares configurations of the history, and says where nothing differs', async () => {
    await configure('old', 'a\n', 'b\n', 'c\n');
    const { stdout: ids } = await cli.runAsAdmin(['agent', 'history', 'old', '--quiet']);
    const [newest = '', , oldest = ''] = ids.split('\n');
    const diff = await cli.runAsAdmin(['agent', 'diff', 'old', '--from', oldest, '--to', newest, '--json']);
    expect(JSON.parse(diff.stdout)).toMatchObject({
      from: { id: oldest },
      to: { id: newest },
      addedLines: 1,
    });
    expect(await cli.runAsAdmin(['agent', 'diff', 'old', '--from', newest])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No difference. Secrets are not stored, so they are not compared.\n',
    });
  });

  it('says that configurations differ too much', async () => {
    const lines = (letter: string) =>
      Array.from({ length: 1_000 }, (_, index) => `${letter}${index}\n`).join('');
    await configure('rewritten', lines('a'), lines('b'));
    const { stdout, stderr } = await cli.runAsAdmin(['agent', 'diff', 'rewritten']);
    expect(stdout.split('\n')).toHaveLength(2_004);
    expect(stderr).toMatch(/^The configurations differ too much to be compared line by line: /);
  });
});
