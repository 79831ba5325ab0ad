import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliTest, type RunOptions, startCliTest } from '../../testing/start-cli-test.ts';

let cli: CliTest;
let reporter: Readonly<Record<string, string>>;

beforeAll(async () => {
  cli = await startCliTest();
  const { stdout } = await cli.runAsAdmin(['token', 'create', 'agents', '--quiet']);
  reporter = { MUSTER_URL: cli.url, MUSTER_TOKEN: stdout.trim() };
});
afterAll(() => cli.close());

const report = (text: string) => cli.run(['error', 'create', text, '--machine', 'web-01'], { env: reporter });

/** Watches until the output matches, then interrupts the command as Ctrl-C does. */
function watch(args: readonly string[], options: RunOptions = {}) {
  const controller = new AbortController();
  let output = '';
  let wanted: { pattern: RegExp; found: () => void } | undefined;
  const take = (text: string): void => {
    output += text;
    if (wanted?.pattern.test(output)) wanted.found();
  };
  const ended = cli.runAsAdmin(['error', 'watch', '--interval', '1', ...args], {
    ...options,
    signal: controller.signal,
    onOutput: take,
    onNote: take,
  });
  return {
    async until(pattern: RegExp): Promise<void> {
      await new Promise<void>((resolve) => {
        wanted = { pattern, found: resolve };
        take('');
      });
    },
    interrupt() {
      controller.abort();
      return ended;
    },
    ended,
  };
}

describe('muster error watch', () => {
  it('prints new errors, oldest first, and exits with 0 on Ctrl-C', async () => {
    await report('before');
    const watching = watch(['--last', '1']);
    await watching.until(/before/);
    await report('one \x1b[31m');
    cli.app.clock.advance(5);
    await report('two');
    await watching.until(/two/);
    const { exitCode, stdout, stderr } = await watching.interrupt();
    expect([exitCode, stderr]).toEqual([0, `Watching the errors of ${cli.url}. Ctrl-C ends it.\n`]);
    expect(stdout.split('\n').map((line) => line.replace(/^\S+ {2}/, ''))).toEqual([
      'web-01  before',
      'web-01  one \\x1b[31m',
      'web-01  two',
      '',
    ]);
  });

  it('prints each new error once as a line of JSON, and no earlier ones', async () => {
    await report('before');
    const watching = watch(['--json']);
    // The watch prints nothing before its first error, so errors are reported until one is seen.
    let areSeen = false;
    const seen = watching.until(/\n.*\n/).then(() => {
      areSeen = true;
    });
    for (let count = 1; !areSeen; count += 1) {
      await report(`new ${count}`);
      // Errors of a group that are created within a second share one event.
      cli.app.clock.advance(1_000);
    }
    await seen;
    const { exitCode, stdout } = await watching.interrupt();
    const texts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { error: string }).error);
    expect(exitCode).toBe(0);
    expect(texts).not.toContain('before');
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('exits with 3 when its credential is revoked', async () => {
    const { stdout: token } = await cli.runAsAdmin([
      'token',
      'create',
      'eyes',
      '--preset',
      'viewer',
      '--quiet',
    ]);
    const watching = watch([], { env: { MUSTER_TOKEN: token.trim() } });
    await watching.until(/Watching/);
    await cli.runAsAdmin(['token', 'revoke', 'eyes', '--yes']);
    expect((await watching.ended).exitCode).toBe(3);
  });

  // This test comes last: the service is not started again.
  it('continues while the service is unavailable, and reports that once', async () => {
    const watching = watch([]);
    await watching.until(/Watching/);
    await cli.app.app.http.close();
    await watching.until(/Still watching/);
    const { exitCode, stderr } = await watching.interrupt();
    expect(exitCode).toBe(0);
    expect(stderr.match(/Still watching/g)).toHaveLength(1);
  });
});
