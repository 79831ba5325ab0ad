import { describe, expect, it } from 'vitest';
import { runIn } from '../testing/start-cli-test.ts';

describe.each(['bash', 'zsh', 'fish'])('muster completion %s', (shell) => {
  const print = (env: Readonly<Record<string, string>>, columns?: number) =>
    runIn('/nonexistent', ['completion', shell], columns === undefined ? { env } : { env, columns });

  it('is the same on a narrow terminal, with and without colour, and without a server', async () => {
    const { stdout } = await print({});
    expect(stdout).toMatch(/^[\n -~]+\n$/);
    const away = { MUSTER_URL: 'http://127.0.0.1:9', MUSTER_TOKEN: 'nonsense', MUSTER_PROFILE: 'nobody' };
    for (const [env, columns] of [
      [{ NO_COLOR: '1' }, undefined],
      [{ FORCE_COLOR: '1' }, 20],
      [away, undefined],
    ] as const) {
      expect(await print(env, columns)).toEqual({ exitCode: 0, stdout, stderr: '' });
    }
  });
});
